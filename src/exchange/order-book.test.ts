import { pro } from 'ccxt';
import { expect, test } from 'vitest';
import type { CcxtClient } from './ccxt-client.ts';
import { defaultExchanges } from './default-exchanges.ts';
import { fetchOrderBook } from './order-book.ts';
import { ccxtClass, ccxtIdOf, sandboxId } from './supported.ts';

const wish = { symbol: 'BTC/USD', limit: 3, contractSize: 1, now: () => 5 };

/** A client of ccxt whose exchange answers each request with these rows, and the lengths that it was asked for. */
function bitfinexWith(rows: readonly (readonly [orderId: number, price: number, amount: number])[]) {
  const lengths: unknown[] = [];
  const client = Object.assign(new pro.bitfinex(), {
    markets: {},
    market: () => ({ id: 'tBTCUSD', symbol: 'BTC/USD' }),
    fetch2: async (_path: string, _api: unknown, _method: string, parameters: { len?: number }) => {
      lengths.push(parameters.len);
      return rows;
    },
  });
  return { client: client as unknown as CcxtClient, lengths };
}

test('the orders of one price are one level at Bitfinex, which lists each order', async () => {
  const { client, lengths } = bitfinexWith([
    [1, 100, 0.5],
    [2, 100, 0.75],
    [3, 99, 1],
    [4, 99, 1],
    [5, 98, 2],
    [6, 97, 2],
    [7, 101, -0.5],
    [8, 101, -1],
    [9, 101, -0.25],
  ]);
  const book = await fetchOrderBook(client, { ...wish, exchangeId: 'bitfinex' });
  expect(book.bids).toEqual([
    [100, 1.25],
    [99, 2],
    [98, 2],
  ]);
  expect(book.asks).toEqual([[101, 1.75]]);
  expect(lengths).toEqual([100]);
});

test.each([
  [20, 100],
  [101, 250],
  [1_000, 250],
])('for %i levels Bitfinex is asked for %i orders: it takes no other number', async (limit, expected) => {
  const { client, lengths } = bitfinexWith([
    [1, 100, 0.5],
    [2, 101, -0.5],
  ]);
  await fetchOrderBook(client, { ...wish, limit, exchangeId: 'bitfinex' });
  expect(lengths).toEqual([expected]);
});

test('prices that are not in their order are no book', async () => {
  const { client } = bitfinexWith([]);
  for (const fault of [
    {
      bids: [
        [99, 1],
        [100, 1],
        [99, 1],
      ],
      asks: [[101, 1]],
    },
    {
      bids: [[99, 1]],
      asks: [
        [101, 1],
        [100, 1],
      ],
    },
  ]) {
    client.fetchOrderBook = async () => fault as unknown as Awaited<ReturnType<CcxtClient['fetchOrderBook']>>;
    await expect(fetchOrderBook(client, { ...wish, exchangeId: 'bitfinex' })).rejects.toThrow('not sorted');
  }
});

const others = defaultExchanges.map(({ id }) => id).filter((id) => id !== sandboxId);

test.each(others.flatMap((id) => (['spot', 'futures'] as const).map((marketType) => [id, marketType] as const)))(
  'ccxt takes the number of levels that a bot asks %s for on %s',
  async (exchangeId, marketType) => {
    const asked: object[] = [];
    const symbol = marketType === 'spot' ? 'BTC/USDT' : 'BTC/USDT:USDT';
    const client = Object.assign(new (ccxtClass(ccxtIdOf(exchangeId, marketType))!)(), {
      markets: {},
      market: () => ({ id: 'BTCUSDT', symbol, spot: marketType === 'spot', swap: marketType !== 'spot', linear: true, type: 'spot' }),
      fetch2: async (_path: string, _api: unknown, _method: string, parameters: object) => {
        asked.push(parameters);
        throw new Error('no more is wanted');
      },
    }) as unknown as CcxtClient;
    await expect(fetchOrderBook(client, { ...wish, exchangeId, symbol, limit: 20 })).rejects.toThrow('no more is wanted');
    expect(asked).toHaveLength(1);
  },
);
