import { describe, expect, test } from 'vitest';
import { simulatePaperOrder } from './paper-fill.ts';
import { aMarketView as view } from './testing/a-market-view.ts';

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
    ['a limit buy hardly 1 per cent across is a limit order', { price: 102.02 }, true, [102.02, 'taker']],
    ['a limit sell more than 1 per cent across is a market order', { side: 'sell', price: 98 }, true, [99, 'taker']],
    ['a limit sell hardly 1 per cent across is a limit order', { side: 'sell', price: 98.02 }, true, [98.02, 'taker']],
    ['later a limit sell fills at its price as a maker', { side: 'sell', price: 90 }, false, [90, 'maker']],
    ['later a market order still takes what is there', { type: 'market', price: 101 }, false, [101, 'taker']],
    ['a market buy of a level takes that level alone', { type: 'market', price: 101, amount: 1 }, true, [101, 'taker']],
    ['a market sell at most 5 per cent worse', { side: 'sell', type: 'market', price: 110, amount: 10 }, true, [104.5, 'taker']],
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
  test('a fill is that of the whole amount at this moment', () => {
    expect(fill({ price: 101, amount: 7 })).toEqual({ price: 101, amount: 7, time: 5, feeRatio: 0.001, liquidity: 'taker' });
  });
  test('beyond the first 20 levels the rest is had at the price of the 20th', () => {
    const levels = Array.from({ length: 25 }, (_, i) => [100 + i, 1] as const);
    const deep = { ...view, ask: 100, asks: levels };
    const found = simulatePaperOrder({ side: 'buy', type: 'market', price: 200, amount: 22 }, deep, fees, {
      time: 0,
      isNew: true,
      priceTick: 0.0001,
    });
    // 100 to 119, one of each, and two more at 119.
    expect(found?.price).toBe(Number(((20 * 109.5 + 2 * 119) / 22).toFixed(4)));
  });
  test('an empty book is none', () => {
    const order = { side: 'buy', type: 'market', price: 101, amount: 10 } as const;
    expect(simulatePaperOrder(order, { ...view, asks: [] }, fees, { time: 0, isNew: true, priceTick: 0.01 })?.price).toBe(101);
  });
});
