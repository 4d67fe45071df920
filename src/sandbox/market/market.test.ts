import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dayMs, hourMs, minuteMs } from '#engine/market/durations.ts';
import { intervalLengths } from '../wire/intervals.ts';
import { bookAt } from './order-book.ts';
import { Market, tickMs, type WireCandle } from './market.ts';

const market = new Market(7, 0, []);
const now = Date.UTC(2026, 4, 20);
const anyPair = fc.constantFrom(...market.pairs);
const anyMinute = fc.integer({ min: Date.UTC(2022, 0, 1) / minuteMs, max: now / minuteMs - 2000 });
const candle = (pair: (typeof market.pairs)[number], openTime: number, length: number) => market.candle(pair, openTime, length, now)!;

describe('the price process', () => {
  test('high and low of a candle contain open and close, and something is traded', () => {
    fc.assert(
      fc.property(anyPair, anyMinute, (pair, at) => {
        const { open, high, low, close, volume } = candle(pair, at * minuteMs, minuteMs);
        expect(low).toBeLessThanOrEqual(Math.min(open, close));
        expect(high).toBeGreaterThanOrEqual(Math.max(open, close));
        expect(low).toBeGreaterThan(0);
        expect(volume).toBeGreaterThan(0);
      }),
      { numRuns: 300 },
    );
  });

  test('a minute opens where the minute before closed', () => {
    fc.assert(
      fc.property(anyPair, anyMinute, (pair, at) => {
        expect(candle(pair, at * minuteMs, minuteMs).close).toBe(candle(pair, (at + 1) * minuteMs, minuteMs).open);
      }),
      { numRuns: 300 },
    );
  });

  test('larger candles are the exact sum of their minutes', () => {
    fc.assert(
      fc.property(anyPair, anyMinute, fc.constantFrom('5m', '15m', '1h', '4h', '1d'), (pair, at, interval) => {
        const length = intervalLengths[interval];
        const openTime = Math.floor((at * minuteMs) / length) * length;
        const minutes: WireCandle[] = [];
        for (let time = openTime; time < openTime + length; time += minuteMs) minutes.push(candle(pair, time, minuteMs));
        const sum = (pick: (part: WireCandle) => number) => minutes.reduce((total, part) => total + pick(part), 0);
        expect(candle(pair, openTime, length)).toEqual({
          openTime,
          open: minutes[0].open,
          high: Math.max(...minutes.map(({ high }) => high)),
          low: Math.min(...minutes.map(({ low }) => low)),
          close: minutes.at(-1)!.close,
          volume: sum(({ volume }) => volume),
          quoteVolume: sum(({ quoteVolume }) => quoteVolume),
          trades: sum(({ trades }) => trades),
        });
      }),
      { numRuns: 60 },
    );
  });

  test('the executions inside a minute add up to exactly its candle', () => {
    fc.assert(
      fc.property(anyPair, anyMinute, (pair, at) => {
        const executions = Array.from({ length: minuteMs / tickMs }, (_, i) => market.execution(pair, (at * minuteMs) / tickMs + i)!);
        const prices = executions.map(({ price }) => price);
        const whole = candle(pair, at * minuteMs, minuteMs);
        expect(prices[0]).toBe(whole.open);
        expect(prices.at(-1)).toBe(whole.close);
        expect(Math.max(...prices)).toBe(whole.high);
        expect(Math.min(...prices)).toBe(whole.low);
        expect(executions.reduce((sum, { amount }) => sum + amount, 0)).toBe(whole.volume);
        expect(market.openMinute(pair, at * minuteMs + minuteMs - 1)).toEqual(whole);
      }),
      { numRuns: 100 },
    );
  });

  test('the same seed gives the same candles in any order of requests, another seed gives others', () => {
    const pair = market.pair('spot', 'BTCUSDT')!;
    const again = new Market(7, 0, []);
    const other = new Market(8, 0, []);
    const times = Array.from({ length: 200 }, (_, i) => now - (i + 1) * 5 * dayMs);
    const closes = (from: Market, order: number[]) =>
      new Map(order.map((time) => [time, from.candle(from.pair('spot', 'BTCUSDT')!, time, minuteMs, now)!.close]));
    const forward = new Map(times.map((time) => [time, candle(pair, time, minuteMs).close]));
    expect(closes(again, times.toReversed())).toEqual(forward);
    const different = times.filter((time) => closes(other, [time]).get(time) !== forward.get(time));
    expect(different.length).toBeGreaterThan(190);
  });

  test('it moves like a market: daily moves of some per cent, fat tails, and pairs that go together', () => {
    const moves = (id: string) => {
      const pair = market.pair('spot', id)!;
      const closes = Array.from({ length: 288 * 60 }, (_, i) => candle(pair, now - (i + 1) * 5 * minuteMs, 5 * minuteMs).close).reverse();
      return closes.slice(1).map((close, i) => Math.log(close / closes[i]));
    };
    const [btc, eth] = [moves('BTCUSDT'), moves('ETHUSDT')];
    const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    const deviation = Math.sqrt(mean(btc.map((move) => move ** 2)));
    const dailyMove = deviation * Math.sqrt(288);
    const tails = mean(btc.map((move) => move ** 4)) / deviation ** 4;
    const together = mean(btc.map((move, i) => move * eth[i])) / deviation / Math.sqrt(mean(eth.map((move) => move ** 2)));
    expect(dailyMove).toBeGreaterThan(0.01);
    expect(dailyMove).toBeLessThan(0.05);
    expect(tails).toBeGreaterThan(6);
    expect(together).toBeGreaterThan(0.5);
    expect(together).toBeLessThan(0.98);
  });

  test('bid and ask lie at least one tick from the price, best first, on both sides', () => {
    fc.assert(
      fc.property(anyPair, anyMinute, (pair, at) => {
        const execution = market.execution(pair, (at * minuteMs) / tickMs)!;
        const { bids, asks } = bookAt(market, pair, execution, 100);
        expect(bids[0][0]).toBeLessThanOrEqual(execution.price - 1);
        expect(asks[0][0]).toBeGreaterThanOrEqual(execution.price + 1);
        for (let i = 1; i < bids.length; i++) expect(bids[i][0]).toBeLessThan(bids[i - 1][0]);
        for (let i = 1; i < asks.length; i++) expect(asks[i][0]).toBeGreaterThan(asks[i - 1][0]);
      }),
      { numRuns: 100 },
    );
  });

  test('a pair has no candle before it was listed', () => {
    const pair = market.pair('spot', 'BTCUSDT')!;
    for (const length of [minuteMs, hourMs]) {
      expect(market.candle(pair, pair.listedAt - length, length, now)).toBeNull();
      expect(market.candle(pair, pair.listedAt, length, now)).not.toBeNull();
    }
  });

  test('each day is computed once, however many candles of it are requested, and the newest are kept', () => {
    const fresh = new Market(9, 0, []);
    const pair = fresh.pair('spot', 'SOLUSDT')!;
    for (let time = now - 60 * dayMs; time < now; time += 5 * minuteMs) fresh.candle(pair, time, 5 * minuteMs, now);
    expect(fresh.work).toBe(60);
    for (let time = now - 10 * dayMs; time < now; time += hourMs) fresh.candle(pair, time, hourMs, now);
    expect(fresh.work).toBe(60);
  });
});
