import { aTrade } from '#engine/account/testing/a-trade.ts';
import { emptyMemory, toStoredTrade } from '#engine/bot/stored-state.ts';
import { requireSettings } from '#engine/settings/normalise-settings.ts';
import type { StoredBot } from '#storage/bots/running-bots.ts';
import { expect, test } from 'vitest';
import { storedState } from './stored-state.ts';

const settings = requireSettings({
  stakeAmount: 100,
  maxOpenTrades: 3,
  startingBalance: 300,
  tradableBalanceRatio: 1,
  stoploss: -0.1,
  minimalRoi: {},
});
const bot = {
  id: 'bot-1',
  nickname: 'Quiet',
  status: 'paused',
  epoch: '4',
  startingBalance: '300',
  stakeCurrency: 'USDT',
  consecutiveLosses: 2,
  version: 3,
};
const stored = (given: Partial<StoredBot> = {}): StoredBot => ({
  bot: bot as StoredBot['bot'],
  strategy: { version: 2 } as StoredBot['strategy'],
  code: null,
  mode: 'paper',
  tradingState: 'reducing',
  memory: null,
  nextOrderNumber: 1,
  openTrades: [],
  closedProfit: '12.5',
  totalFees: '1.25',
  wins: 3,
  closedTrades: 4,
  imported: { trades: 5, wins: 2, profit: '-7.5', fees: '0.5' },
  decidedCandleTimes: { 'BTC/USDT': 60_000 },
  ownerEmail: 'owner@example.com',
  ...given,
});
const read = (given: Partial<StoredBot> = {}) => storedState(stored(given), settings, '1m', { entry: 'IOC' });

test('a bot continues with what was written of it', () => {
  const { state, sums, facts } = read({ memory: { ...emptyMemory, nextTradeId: 8, nextOrderNumber: 15 } });
  expect(state).toMatchObject({
    status: 'paused',
    closedProfit: 12.5,
    consecutiveLosses: 2,
    nextTradeId: 8,
    nextOrderNumber: 15,
    settings,
  });
  expect(state.pairs['BTC/USDT']).toMatchObject({ decidedCandleTime: 60_000 });
  expect(sums).toEqual({ profit: 12.5, fees: 1.25, wins: 3, trades: 4 });
  expect(facts).toEqual({
    botId: 'bot-1',
    nickname: 'Quiet',
    ownerEmail: 'owner@example.com',
    mode: 'paper',
    epoch: '4',
    startingBalance: '300',
    versions: { bot: 3, strategy: 2 },
    stakeCurrency: 'USDT',
    imported: { trades: 5, wins: 2, profit: '-7.5', fees: '0.5' },
    timeInForce: { entry: 'IOC' },
  });
});

test('the numbers of its orders continue after those of all its modes', () => {
  const memory = { ...emptyMemory, nextOrderNumber: 15 };
  expect(read({ memory, nextOrderNumber: 20 }).state.nextOrderNumber).toBe(20);
  expect(read({ memory, nextOrderNumber: 3 }).state.nextOrderNumber).toBe(15);
});

test('each open trade is the one that was written, with how sure the strategy was', () => {
  const kept = (id: number, more: object = {}) => ({ ...toStoredTrade(aTrade({ id, symbol: `S${id}/USDT` })), ...more });
  const { state, confidences } = read({
    memory: { ...emptyMemory, nextTradeId: 9 },
    openTrades: [kept(3, { confidence: 0.75 }), kept(5, { confidence: null }), kept(7), kept(8, { confidence: 'high' })],
  });
  expect(state.trades.map(({ id, symbol }) => [id, symbol])).toEqual([
    [3, 'S3/USDT'],
    [5, 'S5/USDT'],
    [7, 'S7/USDT'],
    [8, 'S8/USDT'],
  ]);
  expect([...confidences]).toEqual([
    [3, 0.75],
    [5, null],
    [7, null],
    [8, null],
  ]);
});

test('what another version has written is refused', () => {
  expect(() => read({ memory: { ...emptyMemory, version: 99 } })).toThrow('is of version 99');
});

test('stops and exits that have failed keep the next one waiting after a restart, unless somebody has changed the bot since', () => {
  const stopFailures = { since: 1_000, last: 9_000, orderId: 'fl-bot1-4', marketPrice: 99 };
  const exitFailures = { since: 1_000, last: 8_500, orderId: 'fl-bot1-3', marketPrice: 99 };
  const openTrades = [{ ...toStoredTrade({ ...aTrade(), stopFailures, exitFailures }) }];
  const memory = () => ({ ...emptyMemory, exitRetryTimes: { [aTrade().id]: 20_000 } });
  const changedAt = (ms: number) => ({ ...bot, updatedAt: new Date(ms) }) as StoredBot['bot'];
  const at = (ms: number) => read({ memory: memory(), openTrades, bot: changedAt(ms) }).state;
  expect(at(8_500).trades[0]).toMatchObject({ stopFailures, exitFailures });
  expect(at(8_501).trades[0]).toMatchObject({ stopFailures });
  expect([at(8_501).trades[0]?.exitFailures, at(8_500).exitRetryTimes, at(8_501).exitRetryTimes]).toEqual([
    undefined,
    { [aTrade().id]: 20_000 },
    {},
  ]);
  expect(at(9_001).trades[0]?.stopFailures).toBeUndefined();
});
