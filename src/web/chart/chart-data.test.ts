import { describe, expect, test } from 'vitest';
import type { Candle } from './chart-data.ts';
import {
  cleanCandles,
  curveAt,
  evenTimes,
  newestCandles,
  placeOf,
  priceFormatFor,
  toChartCandle,
  toLine,
  toVolumeBar,
} from './chart-data.ts';
import { chartColors, chartHeight } from './chart-style.ts';
import { toMarkers } from './trade-marks.ts';

const minute = 60_000;
const candle = (index: number, close = 100): Candle => ({ timestamp: index * minute, open: 100, high: 110, low: 90, close, volume: 5 });
const series = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => candle(from + i));

describe('candles', () => {
  test('a moment lies in the candle that has opened by then', () => {
    const candles = series(10, 20);
    const times = [10 * minute - 1, 10 * minute, 11 * minute - 1, 11 * minute, 9999 * minute];
    expect(times.map((time) => placeOf(candles, time))).toEqual([-1, 0, 0, 1, 9]);
    expect(placeOf([], minute)).toBe(-1);
  });

  test('DATA-22 a candle of the wire becomes one of the chart, in seconds', () => {
    expect(toChartCandle(candle(2))).toEqual({ time: 120, open: 100, high: 110, low: 90, close: 100 });
    expect(toVolumeBar(candle(2, 99)).color).toContain(chartColors.down);
  });

  test('unsorted, doubled and broken candles never reach the chart', () => {
    const doubled = candle(1, 105);
    expect(cleanCandles([candle(2), candle(1), doubled, { ...candle(3), close: Number.NaN }])).toEqual([doubled, candle(2)]);
  });

  test('only the last candle and those after it are drawn again, so that the zoom stays', () => {
    const drawn = series(0, 5);
    expect(newestCandles(drawn, [...series(0, 4), candle(4, 103)])).toEqual([candle(4, 103)]);
    expect(newestCandles(drawn, [...series(1, 5), candle(5)])).toEqual([candle(4), candle(5)]);
  });

  test('another past, a gap or nothing drawn yet means: draw all', () => {
    const drawn = series(0, 5);
    expect(newestCandles([], series(0, 5))).toBeNull();
    expect(newestCandles(drawn, [])).toBeNull();
    expect(newestCandles(drawn, series(10, 15))).toBeNull();
    expect(newestCandles(drawn, [candle(0), candle(1, 1), ...series(2, 5)])).toBeNull();
    expect(newestCandles(drawn, [candle(0), ...series(2, 5)])).toBeNull();
    expect(newestCandles(drawn, series(-2, 5))).toBeNull();
    expect(newestCandles(drawn, [...series(0, 3), candle(4)])).toBeNull(); // the last but one is gone
  });
});

test('MON-17 a candle that closes where it opened has the colour of a rise, in its volume too', () => {
  expect(toVolumeBar(candle(1, 100)).color).toBe(`${chartColors.up}55`);
  expect(toVolumeBar(candle(1, 99.99)).color).toBe(`${chartColors.down}55`);
});

describe('curves', () => {
  const points = [
    { time: 0, value: 10 },
    { time: 1_500, value: 11 },
    { time: 9_000, value: 9 },
  ];

  test('times are evenly spaced from the first to the last point, whatever lies between', () => {
    expect(evenTimes([points], 3)).toEqual([0, 3_000, 6_000, 9_000]);
    expect(evenTimes([points, [{ time: 10_500 }]], 5)).toEqual([0, 3_000, 6_000, 9_000, 11_000]);
    // The shorter curve ends between two steps: its last value is drawn all the same.
    const shorter = [
      { time: 0, value: 100 },
      { time: 7_000, value: 89.13 },
    ];
    const times = evenTimes([shorter, [{ time: 0 }, { time: 12_000 }]], 3);
    expect(times).toEqual([0, 4_000, 7_000, 8_000, 12_000]);
    expect(curveAt(shorter, times).at(-1)).toEqual({ time: 7_000, value: 89.13 });
    expect(evenTimes([[], []])).toEqual([]);
    expect(evenTimes([[{ time: 5_000 }]])).toEqual([5_000]);
  });

  test('a curve keeps its value until the next point, and is not drawn before or after its own time', () => {
    expect(curveAt(points, [0, 3_000, 6_000, 9_000]).map(({ value }) => value)).toEqual([10, 11, 11, 9]);
    expect(curveAt(points, [-3_000, 0, 9_000, 12_000])).toEqual([
      { time: 0, value: 10 },
      { time: 9_000, value: 9 },
    ]);
    expect(curveAt([], [0])).toEqual([]);
  });
});

test('DATA-23, MON-18, MON-19, MON-20, OP-49 marks stand at the candle in which it happened', () => {
  const markers = toMarkers(series(1, 4), {
    trades: [
      { timestamp: 3 * minute + 5, direction: 'short' },
      { timestamp: minute, direction: 'long' },
      { timestamp: 30, direction: 'long' }, // before the first candle
      { timestamp: 4 * minute, direction: 'long', status: 'open', entry_price: null }, // its entry has bought nothing yet
    ],
    stops: [{ timestamp: 2 * minute + 59_999 }],
    avwap: [],
  });
  expect(markers).toMatchObject([
    { time: 60, position: 'belowBar', shape: 'arrowUp' },
    { time: 120, shape: 'circle' },
    { time: 180, position: 'aboveBar', shape: 'arrowDown' },
  ]);
});

test('a line is finite and strictly ascending', () => {
  expect(
    toLine([
      { time: 2000, value: 1 },
      { time: 1000, value: 2 },
      { time: 2500, value: 3 },
      { time: 3000, value: Number.NaN },
    ]),
  ).toEqual([
    { time: 1, value: 2 },
    { time: 2, value: 3 },
  ]);
});

test('MON-17, MON-22 height and candle colours are the given ones', () => {
  expect(chartHeight).toBe(300);
  expect([chartColors.up, chartColors.down]).toEqual(['#26a69a', '#ef5350']);
});

test('prices below 1 keep digits that say something on the scale', () => {
  expect(priceFormatFor(64_000).precision).toBe(2);
  expect(priceFormatFor(0.5).precision).toBe(5);
  expect(priceFormatFor(0.00001234).precision).toBe(9);
  expect(priceFormatFor(0).precision).toBe(2);
});
