import { NetworkError, RateLimitExceeded } from 'ccxt';
import { describe, expect, test } from 'vitest';
import { minuteMs } from '#engine/market/durations.ts';
import { fetchCandles, patiently, retryWait } from './candle-history.ts';
import type { CcxtClient } from './ccxt-client.ts';
import { RequestBudget } from './request-budget.ts';

const start = Date.UTC(2026, 0, 1);

/** A history whose requests are answered with the numbers of minutes that `answer` gives. */
function historyOf(answer: (from: number, count: number, request: number) => number[]) {
  const requests: [from: number, count: number][] = [];
  const client = {
    id: 'bybit',
    has: {},
    fetchOHLCV: async (_symbol: string, _timeframe: string, from: number, count: number) => {
      requests.push([(from - start) / minuteMs, count]);
      const minutes = answer((from - start) / minuteMs, count, requests.length);
      return minutes.map((minute) => [start + minute * minuteMs, 100, 102, 99, 101, 1 + minute]);
    },
  } as unknown as CcxtClient;
  const source = { client, budget: new RequestBudget(1e6), exchangeId: 'bybit', marketType: 'spot', price: 'last', retryMs: 1 } as const;
  const minutes = async (from: number, to: number) =>
    (await fetchCandles(source, 'BTC/USDT', '1m', start + from * minuteMs, start + to * minuteMs)).map(
      ({ openTime }) => (openTime - start) / minuteMs,
    );
  return { minutes, requests, source };
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

describe('a page of history', () => {
  test('ends with its last candle when the exchange gives fewer than requested: the next page begins there', async () => {
    const { minutes, requests } = historyOf((from, count) => range(from, from + Math.min(count, 30)));
    expect(await minutes(0, 100)).toEqual(range(0, 100));
    expect(requests.map(([from]) => from)).toEqual([0, 30, 60, 90]);
  });

  test('with a hole is requested a second time, and what either answer has is kept', async () => {
    const { minutes, requests } = historyOf((from, count, request) =>
      range(from, from + count).filter((minute) => minute !== (request === 1 ? 4 : 7)),
    );
    expect(await minutes(0, 10)).toEqual(range(0, 10));
    expect(requests).toHaveLength(2);
  });

  test('that is empty is requested a second time before it counts as empty', async () => {
    const { minutes, requests } = historyOf((from, count, request) => (request === 1 ? [] : range(from, from + count)));
    expect(await minutes(0, 10)).toEqual(range(0, 10));
    const nothing = historyOf(() => []);
    expect(await nothing.minutes(0, 10)).toEqual([]);
    expect([requests.length, nothing.requests.length]).toEqual([2, 2]);
  });

  test('holds only what lies in it, sorted, each candle once', async () => {
    const { minutes } = historyOf((from, count) => [...range(from - 3, from + count + 3), from].reverse());
    expect(await minutes(5, 10)).toEqual(range(5, 10));
  });
});

describe('a request for history that fails', () => {
  test('waits twice as long after each attempt, and never shorter than the exchange has asked for', () => {
    expect([1, 2, 3].map((attempt) => retryWait(attempt, 500, null))).toEqual([500, 1000, 2000]);
    expect([1, 2, 3].map((attempt) => retryWait(attempt, 500, 1500))).toEqual([1500, 1500, 2000]);
  });

  test('is not repeated while the exchange has asked to send nothing', async () => {
    const { source } = historyOf(() => []);
    const closedFor: number[] = [];
    await patiently(source, 'candles', async () => {
      closedFor.push(source.budget.closedForMs());
      if (closedFor.length > 1) return;
      source.budget.pause(200);
      throw new RateLimitExceeded('too many');
    });
    expect(closedFor).toEqual([0, 0]);
  });

  test('is tried four times, and its last error names what was requested', async () => {
    let attempts = 0;
    const { source } = historyOf(() => {
      attempts += 1;
      throw new NetworkError('away');
    });
    await expect(fetchCandles(source, 'BTC/USDT', '1m', start, start + minuteMs)).rejects.toMatchObject({
      kind: 'temporary',
      message: 'bybit failed to give candles of BTC/USDT 1m: away',
    });
    expect(attempts).toBe(4);
  });
});
