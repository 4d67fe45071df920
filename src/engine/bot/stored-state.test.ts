import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { marginModeOf } from '../risk/liquidation.ts';
import type { BotContext, BotState } from './state.ts';
import { step } from './step.ts';
import type { StoredIdentity } from './stored-state.ts';
import {
  emptyMemory,
  fromStored,
  fromStoredTrade,
  StoredStateError,
  storedVersion,
  toStoredMemory,
  toStoredTrade,
} from './stored-state.ts';
import { context, eventOf, happening, stateWith } from './testing/random-events.ts';

const identityOf = (state: BotState): StoredIdentity => ({
  botId: state.botId,
  timeframe: state.timeframe,
  settings: state.settings,
  status: state.status,
  closedProfit: state.closedProfit,
  consecutiveLosses: state.consecutiveLosses,
  decidedCandleTimes: Object.fromEntries(Object.entries(state.pairs).map(([symbol, { decidedCandleTime }]) => [symbol, decidedCandleTime])),
});
/** What becomes of a state that is written as JSON and read back. */
const restored = (state: BotState): BotState => {
  const written = JSON.stringify({ memory: toStoredMemory(state), trades: state.trades.map(toStoredTrade) });
  const read = JSON.parse(written) as { memory: unknown; trades: unknown[] };
  return fromStored(identityOf(state), read.memory, read.trades);
};
/** Without what comes again with the next candle and the next prices. */
const lasting = (state: BotState): BotState => ({
  ...state,
  pairs: Object.fromEntries(Object.entries(state.pairs).map(([symbol, memory]) => [symbol, { ...memory, signal: null, view: null }])),
});

describe('stored state', () => {
  test.each(['simulated', 'exchange'] as const)('whatever a bot has gone through, it is restored whole (orders %s)', (execution) => {
    const how: BotContext = { ...context, execution };
    const seen = { trades: 0, formerTrades: 0, recentTrades: 0, enteredCandleTimes: 0, locks: 0 };
    fc.assert(
      fc.property(fc.array(happening, { minLength: 20, maxLength: 150 }), (happenings) => {
        const state = stateWith({ protections: [{ kind: 'cooldown', stopCandles: 20 }] });
        for (const [i, each] of happenings.entries()) {
          const event = eventOf(each, i, state);
          if (event === null || (event.kind === 'order-update' && execution === 'simulated')) continue;
          step(state, event, how);
          if (i % 3 !== 0) continue;
          expect(restored(state)).toEqual(lasting(state));
          for (const name of Object.keys(seen) as (keyof typeof seen)[]) seen[name] += Object.keys(state[name]).length;
        }
      }),
      { numRuns: 240 }, // of each kind some hundreds are seen: few would be no chance
    );
    for (const name of ['trades', 'recentTrades', 'enteredCandleTimes', 'locks'] as const) expect(seen[name], name).toBeGreaterThan(10);
    if (execution === 'exchange') expect(seen.formerTrades).toBeGreaterThan(10);
  });

  test('pauses after refused exits and exits that ran out of time are restored', () => {
    const state = { ...stateWith({}), exitRetryTimes: { 3: 1_700_000_000_000 }, exitTimeouts: { 3: 2 } };
    expect(restored(state)).toEqual(state);
  });

  test('stops that have failed in a row are restored, and refused when they are not whole', () => {
    const state = held();
    const [trade] = state.trades;
    if (trade === undefined) throw new Error('nothing is held');
    trade.stopFailures = { since: 1, last: 2, orderId: 'fl-bot1-3', marketPrice: null };
    expect(restored(state).trades[0]?.stopFailures).toEqual(trade.stopFailures);
    const damaged = { ...toStoredTrade(trade), stopFailures: { since: 1, orderId: 'fl-bot1-3', marketPrice: 4 } };
    expect(() => fromStoredTrade(damaged)).toThrow(
      `The failed stops of stored trade ${trade.id} cannot be read: "last" is missing, not a number.`,
    );
  });

  test('what a strategy keeps with a trade is restored, and refused when it is a number', () => {
    const state = held();
    const [trade] = state.trades;
    if (trade === undefined) throw new Error('nothing is held');
    trade.customData = { highest: 120, steps: ['first'] };
    expect(restored(state).trades[0]?.customData).toEqual({ highest: 120, steps: ['first'] });
    expect(() => fromStoredTrade({ ...toStoredTrade(trade), customData: 7 })).toThrow('"customData"');
  });

  const identity = identityOf(stateWith({}));
  const held = (): BotState => {
    const state = stateWith({ orderTypes: { entry: 'market', exit: 'market', stoploss: 'market' } });
    const row = { enterLong: true, exitLong: false, enterShort: false, exitShort: false, enterTag: null, exitTag: null, confidence: null };
    const time = Date.UTC(2024, 0, 1);
    const view = { symbol: 'BTC/USDT:USDT', time, bid: 99, ask: 100, last: 100 };
    step(state, { kind: 'candle-closed', time, symbol: view.symbol, candleTime: time - 300_000, row, view }, context);
    return state;
  };

  test('a bot that has never traded has no memory', () => {
    expect(fromStored(identity, null, [])).toEqual(stateWith({}));
    expect(fromStored(identity, emptyMemory, [])).toEqual(stateWith({}));
  });

  test('a memory of version 1 is upgraded: what it did not know has not happened', () => {
    const first = { nextTradeId: 8, nextOrderNumber: 15, locks: [], exitTimeouts: { 3: 1 } };
    expect(fromStored(identity, first, [])).toEqual({ ...stateWith({}), nextTradeId: 8, nextOrderNumber: 15, exitTimeouts: { 3: 1 } });
  });

  test('only a memory of version 1 may lack what it did not know', () => {
    const { exitRetryTimes: _exitRetryTimes, ...lacking } = emptyMemory;
    expect(() => fromStored(identity, lacking, [])).toThrow('"exitRetryTimes" is missing, not a record.');
  });

  test('a trade without a version is read; what an earlier program kept beside it is left out', () => {
    const [trade] = held().trades;
    expect(fromStoredTrade({ ...trade, confidence: 0.5 })).toEqual(trade);
  });

  test.each([0, 3, 99, '2', null])('version %j is refused with a sentence', (version) => {
    const sentence = `The stored memory of the bot is of version ${version}, and this program reads version ${storedVersion}: start the version of Flotilla that wrote it.`;
    expect(() => fromStored(identity, { ...emptyMemory, version }, [])).toThrow(new StoredStateError(sentence));
    expect(() => fromStoredTrade({ ...toStoredTrade(held().trades[0]), version })).toThrow(`A stored trade is of version ${version}, and`);
  });

  test.each([
    [[], 'The stored memory of the bot cannot be read: it is not an object.'],
    [{ version: 2 }, 'The stored memory of the bot cannot be read: "nextTradeId" is missing, not a number.'],
    [{ ...emptyMemory, locks: null }, 'The stored memory of the bot cannot be read: "locks" is missing, not a list.'],
    [{ ...emptyMemory, formerTrades: undefined }, 'The stored memory of the bot cannot be read: "formerTrades" is missing, not a list.'],
    [{ ...emptyMemory, recentTrades: [null] }, 'Stored trade ? cannot be read: it is not an object.'],
    [{ ...emptyMemory, locks: {} }, 'The stored memory of the bot cannot be read: "locks" is record, not a list.'],
    [
      { ...emptyMemory, locks: [{ symbol: '*' }] },
      'The stored memory of the bot, lock 1, cannot be read: "side" is missing, not a string.',
    ],
    [{ ...emptyMemory, formerTrades: [{ id: 4 }] }, 'Stored trade 4 cannot be read: "symbol" is missing, not a string.'],
    [{ ...emptyMemory, recentTrades: [7] }, 'Stored trade ? cannot be read: it is not an object.'],
  ])('what is not whole is refused with a sentence: %j', (memory, sentence) => {
    expect(() => fromStored(identity, memory, [])).toThrow(new StoredStateError(sentence));
  });

  test('a trade of before margin modes were kept has that of the settings of now, and keeps it when these change', () => {
    const { marginMode: _, ...old } = toStoredTrade(held().trades[0]);
    const state = fromStored(identityOf(held()), emptyMemory, [old]);
    state.settings = { ...state.settings, marginMode: 'cross' };
    expect(state.trades.map((trade) => marginModeOf(trade, state.settings))).toEqual(['isolated']);
    expect(restored(state).trades).toMatchObject([{ marginMode: 'isolated' }]);
  });

  test('a trade, an order or a fill that lacks any of its fields is refused', () => {
    const whole = (): Record<string, unknown> => JSON.parse(JSON.stringify(toStoredTrade(held().trades[0]))) as Record<string, unknown>;
    const orderOf = (trade: Record<string, unknown>) => (trade['orders'] as Record<string, unknown>[])[0] ?? {};
    const fillOf = (trade: Record<string, unknown>) => (orderOf(trade)['fills'] as Record<string, unknown>[])[0] ?? {};
    let refused = 0;
    for (const partOf of [(trade: Record<string, unknown>) => trade, orderOf, fillOf]) {
      for (const name of Object.keys(partOf(whole()))) {
        if (['version', 'fundedUntil', 'marginMode'].includes(name)) continue; // which older trades lack
        const damaged = whole();
        delete partOf(damaged)[name];
        expect(() => fromStoredTrade(damaged), name).toThrow(StoredStateError);
        refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(60);
    const damaged = whole();
    expect(damaged).toMatchObject({ marginMode: 'isolated' });
    expect(fromStoredTrade(damaged)).toHaveProperty('marginMode', 'isolated');
    expect(() => fromStoredTrade({ ...damaged, marginMode: 'both' })).toThrow('Stored trade 1 cannot be read: "marginMode" is "both".');
    damaged['interest'] = {};
    expect(() => fromStoredTrade(damaged)).toThrow('The interest of stored trade 1 cannot be read: "scheme" is missing, not a string.');
  });
});
