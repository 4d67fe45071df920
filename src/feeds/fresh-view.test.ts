import type { BookLevel, MarketData } from '#engine/ports/market-data.ts';
import { expect, test } from 'vitest';
import { freshView } from './fresh-view.ts';

const levels: readonly BookLevel[] = [
  [99, 1],
  [98, 2],
];
const asks: readonly BookLevel[] = [[101, 3]];
const marketWith = (book: { bids: readonly BookLevel[]; asks: readonly BookLevel[] }) => {
  const limits: number[] = [];
  const orderBook: MarketData['orderBook'] = async (symbol, limit) => {
    limits.push(limit);
    return { symbol, ...book, time: 1 };
  };
  return { market: { orderBook } as MarketData, limits };
};

test('a view has the best prices, twenty levels, the last price and the time of now', async () => {
  const { market, limits } = marketWith({ bids: levels, asks });
  expect(await freshView(market, 'BTC/USDT', 100.5, () => 7)).toEqual({
    symbol: 'BTC/USDT',
    time: 7,
    bid: 99,
    ask: 101,
    last: 100.5,
    bids: levels,
    asks,
  });
  expect(limits).toEqual([20]);
});

test('without a last price the middle of bid and ask stands for it; a last price of 0 is one', async () => {
  const { market } = marketWith({ bids: levels, asks });
  expect(await freshView(market, 'BTC/USDT', undefined, () => 7)).toMatchObject({ last: 100 });
  expect(await freshView(market, 'BTC/USDT', 0, () => 7)).toMatchObject({ last: 0 });
});

test.each([
  ['nobody buys', { bids: [], asks }],
  ['nobody sells', { bids: levels, asks: [] }],
])('a market in which %s has no view', async (_, book) => {
  await expect(freshView(marketWith(book).market, 'BTC/USDT', 100, () => 7)).rejects.toThrow('The order book of BTC/USDT is empty');
});
