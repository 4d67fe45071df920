import { describe, expect, test } from 'vitest';
import { dayMs, hourMs, minuteMs, secondMs } from './durations.ts';
import { entrySide, exitSide, signOf } from './direction.ts';
import { tickBar } from './price-bar.ts';
import { candleOpenTime, isTimeframe, openTimeBefore } from './timeframe.ts';

test('durations are in milliseconds', () => {
  expect([secondMs, minuteMs, hourMs, dayMs]).toEqual([1000, 60_000, 3_600_000, 86_400_000]);
});

test('a long buys to enter and sells to leave, a short the other way round', () => {
  expect([signOf('long'), entrySide('long'), exitSide('long')]).toEqual([1, 'buy', 'sell']);
  expect([signOf('short'), entrySide('short'), exitSide('short')]).toEqual([-1, 'sell', 'buy']);
});

test('a tick is a bar of one price', () => {
  expect(tickBar(7, 100)).toEqual({ time: 7, open: 100, high: 100, low: 100, close: 100 });
});

describe('timeframes', () => {
  test('are known by their names', () => {
    expect(['1m', '1w', '7m', '', 'toString'].map(isTimeframe)).toEqual([true, true, false, false, false]);
  });
  test.each([
    ['1m', 119_999, 60_000],
    ['1m', 120_000, 120_000],
    ['1d', dayMs - 1, 0],
    ['1d', -1, -dayMs],
    // 5 January 1970 was the first Monday.
    ['1w', 4 * dayMs, 4 * dayMs],
    ['1w', 4 * dayMs - 1, -3 * dayMs],
  ] as const)('a candle of %s at %d opened at %d', (timeframe, time, opened) => {
    expect(candleOpenTime(timeframe, time)).toBe(opened);
  });
  test('any length has its candles from the beginning of 1970', () => {
    expect(openTimeBefore(7 * minuteMs, 20 * minuteMs)).toBe(14 * minuteMs);
  });
});
