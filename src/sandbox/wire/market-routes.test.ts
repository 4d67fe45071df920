import { afterAll, describe, expect, test } from 'vitest';
import { hourMs, minuteMs } from '#engine/market/durations.ts';
import { listedAt } from '../market/listings.ts';
import { startSandbox } from '../sandbox.ts';

const now = Date.UTC(2026, 4, 20, 16, 7, 21);
const sandbox = await startSandbox({ startTime: now, factor: 0 });
afterAll(() => sandbox.close());

async function get<Answer>(path: string, query: Record<string, string | number>): Promise<Answer> {
  const answer = await fetch(`${sandbox.url}${path}?${new URLSearchParams(query as Record<string, string>)}`);
  return (await answer.json()) as Answer;
}

/** The opening times of the candles of a request, in minutes after 16:00. */
async function minutesOf(query: Record<string, string | number>): Promise<number[]> {
  const rows = await get<[number][]>('/api/v3/klines', { symbol: 'BTCUSDT', interval: '1m', ...query });
  return rows.map(([openTime]) => (openTime - Date.UTC(2026, 4, 20, 16)) / minuteMs);
}

const at = (minutes: number): number => Date.UTC(2026, 4, 20, 16) + minutes * minuteMs;

describe('klines', () => {
  test('hold the candles that open within the range, both ends included', async () => {
    expect(await minutesOf({ startTime: at(1), endTime: at(4) })).toEqual([1, 2, 3, 4]);
    expect(await minutesOf({ startTime: at(1) + 1, endTime: at(4) - 1 })).toEqual([2, 3]);
  });

  test('end with the open candle: the future has none', async () => {
    expect(await minutesOf({ startTime: at(5) })).toEqual([5, 6, 7]);
    expect(await minutesOf({ startTime: at(5), endTime: at(60) })).toEqual([5, 6, 7]);
    expect(await minutesOf({ startTime: at(8) })).toEqual([]);
  });

  test('are the first of the range up to the limit; without a start the newest', async () => {
    expect(await minutesOf({ startTime: at(0), limit: 3 })).toEqual([0, 1, 2]);
    expect(await minutesOf({ limit: 3 })).toEqual([5, 6, 7]);
    expect(await minutesOf({ endTime: at(4), limit: 2 })).toEqual([3, 4]);
    expect(await minutesOf({ endTime: at(60), limit: 2 })).toEqual([6, 7]);
  });

  test('begin with the listing of the pair', async () => {
    const rows = await get<[number][]>('/api/v3/klines', { symbol: 'BTCUSDT', interval: '1h', startTime: listedAt - 5 * hourMs, limit: 2 });
    expect(rows.map(([openTime]) => openTime)).toEqual([listedAt, listedAt + hourMs]);
    const early = { symbol: 'BTCUSDT', interval: '1m', startTime: 0, endTime: listedAt - 1 };
    expect(await get('/api/v3/klines', early)).toEqual([]);
  });

  test('of the open candle hold nothing of its future', async () => {
    const open = async () => (await get<string[][]>('/api/v3/klines', { symbol: 'BTCUSDT', interval: '5m', limit: 1 }))[0];
    const before = await open();
    const executions = await get<{ p: string }[]>('/api/v3/aggTrades', { symbol: 'BTCUSDT', limit: 1 });
    expect(Number(before[4])).toBe(Number(executions[0].p)); // its close is the last execution
    sandbox.clock.advance(30_000);
    const after = await open();
    expect(after[0]).toBe(before[0]);
    expect(after[1]).toBe(before[1]);
    expect(Number(after[5])).toBeGreaterThan(Number(before[5]));
  });

  test('of an unknown pair or interval are refused in the words of the exchange', async () => {
    expect(await get('/api/v3/klines', { symbol: 'NOSUCH', interval: '1m' })).toEqual({ code: -1121, msg: 'Invalid symbol.' });
    expect(await get('/api/v3/klines', { symbol: 'BTCUSDT', interval: '7m' })).toEqual({ code: -1120, msg: 'Invalid interval.' });
  });
});

test('a payment of funding is in the history from its very moment on', async () => {
  const paid = async () =>
    (await get<{ fundingTime: number }[]>('/fapi/v1/fundingRate', { symbol: 'BTCUSDT', limit: 2 })).map(({ fundingTime }) => fundingTime);
  const sixteen = Date.UTC(2026, 4, 20, 16);
  expect(await paid()).toEqual([sixteen - 8 * hourMs, sixteen]);
  sandbox.clock.advance(sixteen + 8 * hourMs - 1 - sandbox.clock.now());
  expect((await paid()).at(-1)).toBe(sixteen);
  sandbox.clock.advance(1);
  expect((await paid()).at(-1)).toBe(sixteen + 8 * hourMs);
});
