import { describe, expect, test } from 'vitest';
import { toColumns, type CandleColumns } from '../market/candle.ts';
import { adx } from './adx.ts';
import { anchoredVwap } from './anchored-vwap.ts';
import { atr } from './atr.ts';
import { bollinger } from './bollinger.ts';
import { donchian } from './donchian.ts';
import { ema } from './ema.ts';
import { macd } from './macd.ts';
import { rsi } from './rsi.ts';
import { sma } from './sma.ts';
import { stochastic } from './stochastic.ts';
import { superTrend } from './super-trend.ts';
import { vwap } from './vwap.ts';

// Unless a test says otherwise, the expected numbers were worked out by hand from the definition in the indicator's file.

const midnight = 1_704_067_200_000; // 2024-01-01 00:00 UTC
const hour = 3_600_000;
const none = NaN;

/** Candles of an hour from rows of [high, low, close] or [high, low, close, volume], the first at midnight UTC. */
function candles(rows: readonly (readonly number[])[]): CandleColumns {
  return toColumns(
    rows.map(([high, low, close, volume = 1], i) => ({ openTime: midnight + i * hour, open: close, high, low, close, volume })),
  );
}

function expectColumn(column: Float64Array, expected: readonly number[]): void {
  expect(column).toHaveLength(expected.length);
  expected.forEach((value, i) => {
    if (Number.isNaN(value)) expect(column[i], `row ${i}`).toBeNaN();
    else expect(column[i], `row ${i}`).toBeCloseTo(value, 10);
  });
}

const flat = candles(Array.from({ length: 60 }, () => [7, 7, 7]));
const wild = candles([
  [10, 8, 9],
  [12, 9, 11],
  [11, 7, 8],
  [14, 9, 13],
  [15, 12, 14],
]);

describe('SMA', () => {
  test('is the plain average of the last values', () => {
    expectColumn(sma(Float64Array.of(1, 2, 3, 4), 2), [none, 1.5, 2.5, 3.5]);
  });
  test('skips leading NaN, so that it can average another indicator', () => {
    expectColumn(sma(Float64Array.of(NaN, NaN, 1, 2, 3), 2), [none, none, none, 1.5, 2.5]);
  });
  test('says nothing once a value is missing', () => {
    expectColumn(sma(Float64Array.of(1, 2, NaN, 3, 4, 5), 2), [none, 1.5, none, none, none, none]);
  });
});

describe('EMA', () => {
  test('starts as the average of the first period, then moves by 2 / (period + 1)', () => {
    // Seed (2 + 4 + 6) / 3 = 4, factor 1/2.
    expectColumn(ema(Float64Array.of(2, 4, 6, 8, 4), 3), [none, none, 4, 6, 5]);
  });
  test('skips leading NaN', () => {
    expectColumn(ema(Float64Array.of(NaN, 2, 4, 6, 8), 3), [none, none, none, 4, 6]);
  });
});

describe('RSI', () => {
  test('weighs average gains against average losses', () => {
    // Changes +2 -1 +2 0: gains 1, 1.5, 0.75; losses 0.5, 0.25, 0.125.
    expectColumn(rsi(Float64Array.of(10, 12, 11, 13, 13), 2), [none, none, 100 / 1.5, 150 / 1.75, 75 / 0.875]);
  });
  test('gives the published example of StockCharts to two digits', () => {
    // StockCharts, ChartSchool, "Relative Strength Index", the table of QQQ closes at four digits.
    const closes = [
      44.3389, 44.0902, 44.1497, 43.6124, 44.3278, 44.8264, 45.0955, 45.4245, 45.8433, 46.0826, 45.8931, 46.0328, 45.614, 46.282, 46.282,
      46.0028, 46.0328, 46.4116, 46.2222, 45.6439, 46.2122,
    ];
    const values = [...rsi(Float64Array.from(closes), 14).subarray(14)].map((value) => Number(value.toFixed(2)));
    expect(values).toEqual([70.53, 66.32, 66.55, 69.41, 66.36, 57.97, 62.93]);
  });
  test('is 100 when prices only rise, 0 when they only fall, 50 when they never move', () => {
    expect(rsi(Float64Array.of(1, 2, 3, 4), 2).at(-1)).toBe(100);
    expect(rsi(Float64Array.of(4, 3, 2, 1), 2).at(-1)).toBe(0);
    expect(rsi(flat.close, 14).at(-1)).toBe(50);
  });
  test('works for a coin of tiny price as for any other', () => {
    const closes = Float64Array.of(10, 12, 11, 13, 13);
    const tiny = closes.map((close) => close * 2 ** -40);
    expect(rsi(tiny, 2)).toEqual(rsi(closes, 2));
  });
});

describe('MACD', () => {
  test('seeds the fast average on the row of the slow one, and begins with the signal', () => {
    // Slow (3): 7/3, 14/3, 47/6. Fast (2), seeded by 2 and 4 only: 3, 17/3, 83/9. Difference: 2/3, 1, 25/18.
    const lines = macd(Float64Array.of(1, 2, 4, 7, 11), { fast: 2, slow: 3, signal: 2 });
    const signal = 5 / 6 + ((25 / 18 - 5 / 6) * 2) / 3;
    expectColumn(lines.macd, [none, none, none, 1, 25 / 18]);
    expectColumn(lines.signal, [none, none, none, 5 / 6, signal]);
    expectColumn(lines.histogram, [none, none, none, 1 / 6, 25 / 18 - signal]);
  });
  test('is 0 on flat prices', () => {
    expect(macd(flat.close, { fast: 12, slow: 26, signal: 9 }).histogram.at(-1)).toBe(0);
  });
  test('takes swapped periods in the right order', () => {
    const values = Float64Array.of(1, 2, 4, 7, 11, 3, 8);
    expect(macd(values, { fast: 3, slow: 2, signal: 2 })).toEqual(macd(values, { fast: 2, slow: 3, signal: 2 }));
  });
});

describe('Bollinger bands', () => {
  test('lie population deviations around the average', () => {
    // The textbook sample: mean 5, population deviation 2.
    const bands = bollinger(Float64Array.of(2, 4, 4, 4, 5, 5, 7, 9), { period: 8, deviations: 2 });
    expect([bands.upper[7], bands.middle[7], bands.lower[7]]).toEqual([9, 5, 1]);
  });
  test('keep their width at a price of 1e-8', () => {
    const steps = [0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2, 1];
    // Mean 1 step, squares 10 of 20: deviation √½ steps of 1e-12.
    const bands = bollinger(
      Float64Array.from(steps, (step) => 1e-8 + step * 1e-12),
      { period: 20, deviations: 2 },
    );
    expect((bands.upper[19] - bands.middle[19]) / (2 * Math.SQRT1_2 * 1e-12)).toBeCloseTo(1, 3);
  });
  test('meet on flat prices', () => {
    const { upper, lower } = bollinger(flat.close, { period: 20, deviations: 2 });
    expect([upper.at(-1), lower.at(-1)]).toEqual([7, 7]);
  });
});

describe('ATR', () => {
  test('averages true ranges, gaps included, from the second candle on', () => {
    // True ranges 3, 1, 6 (a gap from 10 to 16): (3 + 1) / 2 = 2, then (2 + 6) / 2 = 4.
    const range = atr(
      candles([
        [10, 8, 9],
        [12, 9, 11],
        [11, 10, 10],
        [16, 12, 15],
      ]),
      2,
    );
    expectColumn(range, [none, none, 2, 4]);
  });
  test('is 0 on flat prices', () => {
    expect(atr(flat, 14).at(-1)).toBe(0);
  });
});

describe('ADX', () => {
  test('smooths movements and range as sums, and the index as an average', () => {
    // +DM 2 0 3 1, -DM 0 2 0 0, range 3 4 6 3. Sums: + 1, 3.5, 2.75; - 2, 1, 0.5; range 5.5, 8.75, 7.375.
    const lines = adx(wild, 2);
    expectColumn(lines.plusDi, [none, none, 100 / 5.5, 350 / 8.75, 275 / 7.375]);
    expectColumn(lines.minusDi, [none, none, 200 / 5.5, 100 / 8.75, 50 / 7.375]);
    const first = (100 / 3 + 250 / 4.5) / 2;
    expectColumn(lines.adx, [none, none, none, first, (first + 225 / 3.25) / 2]);
  });
  test('is 0 on flat prices, and keeps its value when a market stops', () => {
    expect(adx(flat, 14).adx.at(-1)).toBe(0);
    const rise = Array.from({ length: 10 }, (_, i) => [10 + i, 9 + i, 9.5 + i]);
    const stopped = adx(candles([...rise, ...Array.from({ length: 5 }, () => [19, 18, 18.5])]), 2);
    expect(stopped.adx[9]).toBe(100);
    expect(stopped.adx[14]).toBe(100); // -DI is 0 throughout, so DX stays 100
  });
});

describe('Stochastic', () => {
  test('places the close in the range of the window, smoothed twice', () => {
    // Fast %K 20, 600/7, 87.5.
    const { k, d } = stochastic(wild, { k: 3, slowing: 2, d: 2 });
    const k3 = (20 + 600 / 7) / 2;
    const k4 = (600 / 7 + 87.5) / 2;
    expectColumn(k, [none, none, none, none, k4]);
    expectColumn(d, [none, none, none, none, (k3 + k4) / 2]);
  });
  test('is 50 on flat prices', () => {
    const { k, d } = stochastic(flat, { k: 14, slowing: 3, d: 3 });
    expect([k.at(-1), d.at(-1)]).toEqual([50, 50]);
  });
});

describe('SuperTrend', () => {
  test('tightens its bands, and changes side on a close beyond them', () => {
    // Ranges 2 3 3 1.9 3.5, averaged 2.5, 2.75, 2.325, 2.9125.
    const { line, direction } = superTrend(
      candles([
        [10, 8, 9],
        [12, 10, 11],
        [14, 12, 13.9],
        [13, 12, 12.5],
        [12, 9, 10],
      ]),
      { period: 2, factor: 1 },
    );
    expectColumn(direction, [none, -1, 1, 1, -1]);
    expectColumn(line, [none, 13.5, 10.25, 10.25, 13.4125]);
  });
  test('stays where it is on flat prices', () => {
    const { line, direction } = superTrend(flat, { period: 10, factor: 3 });
    expect(new Set(direction.subarray(9))).toEqual(new Set([-1]));
    expect(line.at(-1)).toBe(7);
  });
});

describe('VWAP', () => {
  test('weighs prices by volume, with its deviation', () => {
    // (10 x 1 + 13 x 2) / 3 = 12; (4 x 1 + 1 x 2) / 3 = 2.
    const { vwap: mean, deviation } = vwap(
      candles([
        [10, 10, 10, 1],
        [13, 13, 13, 2],
      ]),
    );
    expectColumn(mean, [10, 12]);
    expectColumn(deviation, [0, Math.SQRT2]);
  });
  test('begins again at midnight UTC', () => {
    const day = candles(Array.from({ length: 26 }, (_, i) => [10 + i, 10 + i, 10 + i, 1]));
    const { vwap: mean } = vwap(day);
    expect(mean[23]).toBeCloseTo(21.5, 10);
    expect([mean[24], mean[25]]).toEqual([34, 34.5]);
  });
  test('keeps its value without volume, and has none before the first volume of the day', () => {
    const rows = [[10, 10, 10, 0], [10, 10, 10, 5], [90, 90, 90, 0], ...Array.from({ length: 22 }, () => [20, 20, 20, 0])];
    const { vwap: mean } = vwap(candles(rows));
    expect([mean[0], mean[1], mean[2], mean[23], mean[24]]).toEqual([NaN, 10, 10, 10, NaN]);
  });
});

describe('anchored VWAP', () => {
  test('counts from the anchor candle on, across midnight', () => {
    const rows = Array.from({ length: 30 }, (_, i) => [i, i, i, 2]);
    const { vwap: mean } = anchoredVwap(candles(rows), midnight + 20 * hour);
    expectColumn(mean.subarray(18), [none, none, 20, 20.5, 21, 21.5, 22, 22.5, 23, 23.5, 24, 24.5]);
  });
});

describe('Donchian channel', () => {
  test('is the highest high and lowest low, the row itself included', () => {
    const { upper, middle, lower } = donchian(wild, 3);
    expectColumn(upper, [none, none, 12, 14, 15]);
    expectColumn(lower, [none, none, 7, 7, 7]);
    expectColumn(middle, [none, none, 9.5, 10.5, 11]);
  });
  test('begins its window again after a missing value', () => {
    const high = Float64Array.of(5, 6, NaN, 1, 2, 3);
    expectColumn(donchian({ high, low: high }, 2).upper, [none, 6, none, none, 2, 3]);
  });
});
