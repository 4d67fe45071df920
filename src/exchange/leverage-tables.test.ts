import { AuthenticationError, NetworkError } from 'ccxt';
import { expect, onTestFinished, test, vi } from 'vitest';
import { hourMs } from '#engine/market/durations.ts';
import type { CcxtClient } from './ccxt-client.ts';
import { toLeverageTiers } from './ccxt-mapping.ts';
import { LeverageTables } from './leverage-tables.ts';
import { RequestBudget } from './request-budget.ts';

/** Tables of an exchange that answers as given, and how often it was asked. */
function tablesOf(answer: () => unknown, id = 'bybit') {
  const asked = { times: 0 };
  const client = {
    id,
    markets: { 'BTC/USDT:USDT': { contractSize: 0.01 } },
    fetchTicker: async () => ({ last: 90_000 }),
    has: { fetchMarketLeverageTiers: true },
    async fetchMarketLeverageTiers() {
      asked.times += 1;
      return answer();
    },
  } as unknown as CcxtClient;
  const source = {
    client,
    budget: new RequestBudget(1000),
    exchangeId: 'bybit',
    marketType: 'futures',
    price: 'last',
    retryMs: 1,
  } as const;
  return { tables: new LeverageTables(source), asked };
}

const rows = [
  { minNotional: 50_000, maxNotional: 600_000, maintenanceMarginRate: 0.005, maxLeverage: 100, info: {} },
  { minNotional: 0, maxNotional: 50_000, maintenanceMarginRate: 0.004, maxLeverage: 125, info: {} },
  { minNotional: 600_000, maxNotional: 3_000_000, maintenanceMarginRate: 0.01, maxLeverage: 50, info: {} },
];

test('a table comes smallest positions first, with the maintenance amounts Binance publishes for the same table', () => {
  expect(toLeverageTiers(rows)).toEqual([
    { minNotional: 0, maxNotional: 50_000, maintenanceRate: 0.004, maxLeverage: 125, maintenanceAmount: 0 },
    { minNotional: 50_000, maxNotional: 600_000, maintenanceRate: 0.005, maxLeverage: 100, maintenanceAmount: 50 },
    { minNotional: 600_000, maxNotional: 3_000_000, maintenanceRate: 0.01, maxLeverage: 50, maintenanceAmount: 3050 },
  ]);
});

test('a tier ends where the next begins, also when only the beginnings are given; an unusable table is empty', () => {
  const withoutEnds = rows.map(({ maxNotional: _end, ...row }) => row);
  expect(toLeverageTiers(withoutEnds).map(({ maxNotional }) => maxNotional)).toEqual([50_000, 600_000, Infinity]);
  expect(toLeverageTiers([{ info: {} }])).toEqual([]);
  expect(toLeverageTiers([...rows, { ...rows[1], maxLeverage: 10 }])).toEqual([]);
});

test('sizes in contracts become values in quote currency', async () => {
  const { tables } = tablesOf(() => rows, 'okx');
  const [first, second] = await tables.of('BTC/USDT:USDT');
  expect(first).toMatchObject({ minNotional: 0, maxNotional: 45_000_000, maintenanceAmount: 0 });
  expect(second).toMatchObject({ minNotional: 45_000_000, maintenanceAmount: 45_000 });
});

test('a table is asked for once, also by many at a time', async () => {
  const { tables, asked } = tablesOf(() => rows);
  const [one, two] = await Promise.all([tables.of('BTC/USDT:USDT'), tables.of('BTC/USDT:USDT')]);
  expect(one).toHaveLength(3);
  expect(two).toBe(one);
  await tables.of('BTC/USDT:USDT');
  expect(asked.times).toBe(1);
});

test('a table that is an hour old is asked for again: the exchange may have changed it', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  let published = rows;
  const { tables, asked } = tablesOf(() => published);
  expect(await tables.of('BTC/USDT:USDT')).toHaveLength(3);
  published = rows.slice(0, 2);
  vi.advanceTimersByTime(hourMs - 1);
  expect(await tables.of('BTC/USDT:USDT')).toHaveLength(3);
  vi.advanceTimersByTime(1);
  expect(await tables.of('BTC/USDT:USDT')).toHaveLength(2);
  expect(asked.times).toBe(2);
});

test('an exchange that requires a key has no table for us; one that does not answer is asked again by the next caller', async () => {
  const keyed = tablesOf(() => {
    throw new AuthenticationError('a key is needed');
  });
  expect(await keyed.tables.of('BTC/USDT:USDT')).toEqual([]);
  let isThere = false;
  const silent = tablesOf(() => {
    if (!isThere) throw new NetworkError('nobody there');
    return rows;
  });
  await expect(silent.tables.of('BTC/USDT:USDT')).rejects.toMatchObject({ kind: 'temporary' });
  isThere = true;
  expect(await silent.tables.of('BTC/USDT:USDT')).toHaveLength(3);
});
