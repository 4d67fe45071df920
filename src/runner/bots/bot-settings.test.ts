import { minuteMs } from '#engine/market/durations.ts';
import { expect, test } from 'vitest';
import type { OwnSettings } from '#engine/settings/own-settings.ts';
import type { StrategyTerms } from '#storage/strategies/strategy-values.ts';
import type { BotTerms } from './bot-settings.ts';
import { settingsOf, valuesOf } from './bot-settings.ts';

const bot: BotTerms = {
  exchangeId: 'binance',
  marketType: 'spot',
  leverage: '1',
  leverageMode: 'isolated',
  stakeAmount: '100.5',
  maxOpenTrades: 3,
  startingBalance: '301.5',
  ownSettings: {},
};
const strategy: StrategyTerms = {
  defaultTimeframe: '5m',
  stoploss: '-0.1',
  trailingStop: true,
  trailingStopPositive: '0.01',
  trailingStopPositiveOffset: '0.02',
  trailingOnlyOffsetIsReached: true,
  minimalRoi: { 0: 0.05 },
  riskRewardRatio: '2.5',
  maxConsecutiveLosses: 5,
  orderTypes: { entry: 'market', exit: 'limit', stoploss: 'limit' },
  orderTimeInForce: { entry: 'GTC', exit: 'GTC' },
};
const of = (given: Partial<BotTerms> = {}, terms: Partial<StrategyTerms> = {}, canShort = false) =>
  settingsOf({ ...bot, ...given }, valuesOf({ ...bot, ...given }, { ...strategy, ...terms }, { parameters: {} }), { canShort });
const own = (ownSettings: OwnSettings) => of({ ownSettings });

test('a bot without values of its own trades with those of its strategy', () => {
  expect(of()).toMatchObject({
    marketType: 'spot',
    leverage: 1,
    startingBalance: 301.5,
    stakeAmount: 100.5,
    maxOpenTrades: 3,
    tradableBalanceRatio: 1,
    amendLastStakeAmount: true,
    stoploss: -0.1,
    trailingStop: true,
    trailingStopPositive: 0.01,
    trailingStopPositiveOffset: 0.02,
    trailingOnlyOffsetIsReached: true,
    riskRewardRatio: 2.5,
    maxConsecutiveLosses: 5,
    orderTypes: { entry: 'market', exit: 'limit', stoploss: 'limit' },
    unfilledTimeout: { entryMs: 5 * minuteMs, exitMs: 5 * minuteMs },
  });
  expect(JSON.stringify(of().minimalRoi)).toContain('0.05');
});

test('its own values come first', () => {
  expect(own({ stoploss: -0.2, trailingStop: false, maxConsecutiveLosses: 9 })).toMatchObject({
    stoploss: -0.2,
    trailingStop: false,
    maxConsecutiveLosses: 9,
  });
  expect(JSON.stringify(own({ minimalRoi: { 0: 0.07 } }).minimalRoi)).toContain('0.07');
});

test('each of its own settings reaches the engine, and times out orders with its own timeframe', () => {
  const trailing = { trailingStop: true, trailingStopPositive: 0.03, trailingStopPositiveOffset: 0.04, trailingOnlyOffsetIsReached: false };
  expect(own({ ...trailing, riskRewardRatio: null, timeframe: '1h', orderTypes: { exit: 'market' } })).toMatchObject({
    ...trailing,
    riskRewardRatio: null,
    orderTypes: { entry: 'market', exit: 'market', stoploss: 'limit' },
    exitPricing: { side: 'other' },
    unfilledTimeout: { entryMs: 60 * minuteMs, exitMs: 60 * minuteMs },
  });
  expect(own({ riskRewardRatio: 4 }).riskRewardRatio).toBe(4);
});

test('its own parameters are those the strategy is computed with, and one that it has no longer is left out', () => {
  const declared = { parameters: { fast: { default: 12, min: 5, max: 25, step: 1, meaning: 'A number.' } } };
  const of = (parameters: Record<string, number>) => valuesOf({ ownSettings: { parameters } }, strategy, declared).parameters;
  expect([of({}), of({ fast: 8 }), of({ gone: 1 })]).toEqual([{ fast: 12 }, { fast: 8 }, { fast: 12 }]);
});

test('what nobody has set is what is usual', () => {
  const plain = { trailingStop: false, trailingStopPositive: null, trailingStopPositiveOffset: null, trailingOnlyOffsetIsReached: false };
  expect(of({}, { ...plain, orderTypes: {}, riskRewardRatio: null })).toMatchObject({
    trailingStopPositive: null,
    trailingStopPositiveOffset: 0,
    riskRewardRatio: null,
    orderTypes: { entry: 'limit', exit: 'limit', stoploss: 'market' },
  });
});

test('a market order takes the price of the other side, a limit order waits on its own', () => {
  expect(of({}, { orderTypes: { entry: 'market', exit: 'limit' } })).toMatchObject({
    entryPricing: { side: 'other', useOrderBook: true },
    exitPricing: { side: 'same', useOrderBook: true },
  });
  expect(of({}, { orderTypes: { entry: 'limit', exit: 'market' } })).toMatchObject({
    entryPricing: { side: 'same' },
    exitPricing: { side: 'other' },
  });
});

test('a bot of perpetuals has its leverage, its margin mode, and sells short when its strategy does', () => {
  expect(of({ marketType: 'futures', leverage: '3', leverageMode: 'isolated' }, {}, true)).toMatchObject({
    marketType: 'futures',
    leverage: 3,
    marginMode: 'isolated',
    canShort: true,
  });
});

test('values that contradict each other are refused with the reason', () => {
  expect(() => of({}, { trailingStopPositive: '0.05', trailingStopPositiveOffset: '0.02' })).toThrow(RangeError);
});
