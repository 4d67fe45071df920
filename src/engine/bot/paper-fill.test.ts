import { describe, expect, test } from 'vitest';
import { requireSettings } from '../settings/normalise-settings.ts';
import type { MarketView } from './event.ts';
import { simulatePaperOrder } from './paper-fill.ts';
import { currentRate, withinDistance } from './pricing.ts';

const view: MarketView = {
  symbol: 'BTC/USDT',
  time: 0,
  bid: 99,
  ask: 101,
  last: 100,
  bids: [
    [99, 1],
    [98, 2],
  ],
  asks: [
    [101, 1],
    [102, 2],
    [110, 100],
  ],
};
const fees = { maker: 0.0005, taker: 0.001 };
const fill = (order: Partial<Parameters<typeof simulatePaperOrder>[0]>, isNew = true) =>
  simulatePaperOrder({ side: 'buy', type: 'limit', price: 100, amount: 1, ...order }, view, fees, { time: 5, isNew, priceTick: 0.01 });

describe('OP-83 paper fills', () => {
  test.each([
    ['a limit buy under the ask waits', { price: 100.99 }, true, null],
    ['one exactly at the ask fills', { price: 101 }, true, [101, 'taker']],
    ['one exactly at the bid fills', { side: 'sell', price: 99 }, true, [99, 'taker']],
    ['one that reaches the ask fills at its price as a taker', { price: 101.5 }, true, [101.5, 'taker']],
    ['more than 1 per cent across is a market order', { price: 103 }, true, [101, 'taker']],
    ['later it fills at its price as a maker', { price: 103 }, false, [103, 'maker']],
    ['a limit sell above the bid waits', { side: 'sell', price: 99.01 }, true, null],
    ['one that reaches the bid fills', { side: 'sell', price: 98.5 }, true, [98.5, 'taker']],
    ['a market buy averages the levels', { type: 'market', price: 101, amount: 2 }, true, [101.5, 'taker']],
    ['at most 5 per cent worse', { type: 'market', price: 101, amount: 50 }, true, [106.05, 'taker']],
    ['a market sell takes the rest at the last level', { side: 'sell', type: 'market', price: 99, amount: 10 }, true, [98.1, 'taker']],
  ] as const)('%s', (_, order, isNew, expected) => {
    const found = fill(order, isNew);
    expect(found === null ? null : [found.price, found.liquidity]).toEqual(expected);
    if (found !== null) expect(found.feeRatio).toBe(expected?.[1] === 'maker' ? 0.0005 : 0.001);
  });
  test('without a book a market order fills at the best price', () => {
    const bare = { symbol: view.symbol, time: 0, bid: 99, ask: 101, last: 100 };
    const order = { side: 'sell', type: 'market', price: 99, amount: 10 } as const;
    expect(simulatePaperOrder(order, bare, fees, { time: 0, isNew: true, priceTick: 0.01 })?.price).toBe(99);
  });
  test('a book that is not deep enough gives the rest at its last level', () => {
    const order = { side: 'buy', type: 'market', price: 200, amount: 203 } as const;
    const found = simulatePaperOrder(order, view, fees, { time: 0, isNew: true, priceTick: 0.01 });
    expect(found?.price).toBe(Number(((101 + 204 + 110 * 200) / 203).toFixed(2)));
  });
});

describe('prices', () => {
  const base = { stakeAmount: 1, maxOpenTrades: 1, stoploss: -0.1 };
  test.each([
    ['entry', 'long', 'same', 99],
    ['entry', 'long', 'other', 101],
    ['entry', 'short', 'same', 101],
    ['entry', 'short', 'other', 99],
    ['exit', 'long', 'same', 101],
    ['exit', 'long', 'other', 99],
    ['exit', 'short', 'same', 99],
    ['exit', 'short', 'other', 101],
    ['entry', 'long', 'ask', 101],
  ] as const)('%s of a %s on the %s side', (purpose, direction, side, price) => {
    const settings = requireSettings({ ...base, entryPricing: { side }, exitPricing: { side } });
    expect(currentRate(purpose, direction, 'limit', view, settings)).toBe(price);
  });
  test('a market order looks at the other side', () => {
    expect(currentRate('exit', 'long', 'market', view, requireSettings(base))).toBe(99);
  });
  test('a level of the book', () => {
    const settings = requireSettings({ ...base, entryPricing: { side: 'other', useOrderBook: true, orderBookTop: 2 } });
    expect(currentRate('entry', 'long', 'limit', view, settings)).toBe(102);
  });
  test('an unfavourable price is moved towards the last', () => {
    const pricing = { side: 'other', priceLastBalance: 0.25 } as const;
    const settings = requireSettings({ ...base, entryPricing: pricing, exitPricing: pricing });
    expect(currentRate('entry', 'long', 'limit', view, settings)).toBe(100.75);
    expect(currentRate('exit', 'long', 'limit', view, settings)).toBe(99.25);
  });
  test('a wished price stays within a distance', () => {
    expect(withinDistance(50, 100, 0.02)).toBe(98);
    expect(withinDistance(150, 100, 0.02)).toBe(102);
    expect(withinDistance(101, 100, 0.02)).toBe(101);
  });
});
