import { describe, expect, test } from 'vitest';
import type { Row } from './answer-row.ts';
import { spotFillNames } from './binance-fill.ts';
import { type FillSource, fillsAfter } from './fill-list.ts';
import { compareIds } from './pages.ts';

const hour = 3_600_000;
const now = 100 * hour;
const fill = (id: number, orderId: number, time = now - 2 * hour) => ({
  id,
  orderId,
  price: '100.5',
  qty: '2',
  commission: '0.002',
  commissionAsset: 'BTC',
  time,
  isMaker: false,
  isBuyer: true,
});

/** An account with fills and orders, of which some are remembered. */
function sourceOf({ fills, orders, known = {} }: { fills: Row[]; orders: Record<string, string>; known?: Record<string, string> }) {
  const memory = new Map(Object.entries(known));
  const asked: object[] = [];
  const pages = { idParameter: 'from', timeName: 'time', windowMs: hour };
  const from = (rows: Row[], name: string) => async (range: object) => {
    if (name === 'orderId') asked.push(range);
    return rows.filter((row) => compareIds(String(row[name] as number), (range as { from: string }).from) >= 0);
  };
  const orderRows = Object.entries(orders).map(([orderId, clientOrderId]) => ({ orderId: Number(orderId), clientOrderId }));
  const source: FillSource = {
    symbol: 'BTC/USDT',
    fills: { ...pages, idName: 'id', fetch: from(fills, 'id') },
    orders: { ...pages, idName: 'orderId', fetch: from(orderRows, 'orderId') },
    names: spotFillNames,
    now,
    clientIdOf: (orderId) => memory.get(orderId) ?? null,
    note: (row) => void memory.set(String(row['orderId']), row['clientOrderId'] as string),
    refresh: async () => {},
  };
  return { source, asked };
}

describe('fills by the id of the exchange', () => {
  test('have the client id of their order, which is asked for from the oldest unknown one on', async () => {
    const { source, asked } = sourceOf({
      fills: [fill(7, 1), fill(8, 3), fill(9, 4)],
      orders: { 1: 'a', 2: 'b', 3: 'c', 4: 'd' },
      known: { 1: 'a' },
    });
    expect((await fillsAfter(source, null)).map(({ id, clientOrderId }) => [id, clientOrderId])).toEqual([
      ['7', 'a'],
      ['8', 'c'],
      ['9', 'd'],
    ]);
    expect(asked).toEqual([{ limit: 1000, from: '3' }]);
    expect((await fillsAfter(source, '8')).map(({ id }) => id)).toEqual(['9']);
    expect(asked).toHaveLength(1);
  });

  test('OP-85 have that of an older order too, which was filled after a newer one', async () => {
    const { source, asked } = sourceOf({ fills: [fill(7, 4), fill(8, 1)], orders: { 1: 'a', 2: 'b', 3: 'c', 4: 'd' } });
    expect((await fillsAfter(source, null)).map(({ id, clientOrderId }) => [id, clientOrderId])).toEqual([
      ['7', 'd'],
      ['8', 'a'],
    ]);
    expect(asked).toEqual([{ limit: 1000, from: '1' }]);
  });

  test('a fee in the coin that was bought is worth what the fill paid for it', async () => {
    const { source } = sourceOf({ fills: [fill(7, 1)], orders: {}, known: { 1: 'a' } });
    expect(await fillsAfter(source, null)).toEqual([
      {
        id: '7',
        clientOrderId: 'a',
        symbol: 'BTC/USDT',
        side: 'buy',
        price: 100.5,
        amount: 2,
        fee: 0.002,
        feeCurrency: 'BTC',
        feeInQuote: 0.201,
        liquidity: 'taker',
        time: now - 2 * hour,
      },
    ]);
  });

  test("a new fill whose order is missing may be ours: it is an error; an old one is nobody's", async () => {
    const { source } = sourceOf({ fills: [fill(7, 1, now - 1000)], orders: {} });
    await expect(fillsAfter(source, null)).rejects.toThrow('the order 1 of a fill is missing');
    const old = sourceOf({ fills: [fill(7, 1)], orders: {} });
    expect((await fillsAfter(old.source, null)).map(({ clientOrderId }) => clientOrderId)).toEqual(['']);
  });

  test.each(['price', 'qty', 'commission', 'commissionAsset', 'isMaker', 'isBuyer', 'time', 'id', 'orderId'])(
    'one without %s is an error',
    async (name) => {
      const { [name]: _, ...rest } = fill(7, 1) as Row;
      const { source } = sourceOf({ fills: [rest], orders: {}, known: { 1: 'a' } });
      source.fills.fetch = async () => [rest];
      await expect(fillsAfter(source, null)).rejects.toThrow(name);
    },
  );
});
