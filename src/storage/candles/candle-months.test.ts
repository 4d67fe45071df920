import type { CandleColumns } from '#engine/market/candle.ts';
import { toColumns } from '#engine/market/candle.ts';
import { describe, expect, test } from 'vitest';
import { byMonth, candlesWithin, columnsFault, mergeCandles, spansMissing } from './candle-months.ts';

const at = (text: string): number => Date.parse(`${text}Z`);
const span = (from: number, to: number) => ({ from, to });
/** Candles that open at these times, and close at `close`. */
const candles = (times: readonly number[], close = 5): CandleColumns =>
  toColumns(times.map((openTime) => ({ openTime, open: 4, high: 9, low: 1, close, volume: 0 })));
const read = ({ openTime, close }: CandleColumns) => Array.from(openTime, (time, i) => [time, close[i]]);

test('a span in parts by calendar month, UTC', () => {
  expect(byMonth(span(at('2025-12-31T23:59'), at('2026-02-01T00:01')))).toEqual([
    { month: '2025-12-01', span: span(at('2025-12-31T23:59'), at('2026-01-01')) },
    { month: '2026-01-01', span: span(at('2026-01-01'), at('2026-02-01')) },
    { month: '2026-02-01', span: span(at('2026-02-01'), at('2026-02-01T00:01')) },
  ]);
  expect(byMonth(span(at('2026-01-01'), at('2026-02-01')))).toHaveLength(1);
  expect(byMonth(span(5, 5))).toEqual([]);
});

test.each([
  ['nothing is stored', [], [[10, 20]]],
  ['all of it is stored', [[10, 20]], []],
  ['more than it is stored', [[5, 25]], []],
  ['its beginning is stored', [[5, 12]], [[12, 20]]],
  ['its end is stored', [[15, 25]], [[10, 15]]],
  [
    'its middle is stored',
    [[12, 15]],
    [
      [10, 12],
      [15, 20],
    ],
  ],
  [
    'what is stored lies outside',
    [
      [0, 10],
      [20, 30],
    ],
    [[10, 20]],
  ],
  [
    'parts are stored',
    [
      [0, 5],
      [10, 11],
      [13, 14],
      [19, 30],
      [40, 50],
    ],
    [
      [11, 13],
      [14, 19],
    ],
  ],
])('what is missing of a span when %s', (_what, stored, missing) => {
  const spans = (list: number[][]) => list.map(([from = 0, to = 0]) => span(from, to));
  expect(spansMissing(spans(stored), span(10, 20))).toEqual(spans(missing));
});

test('nothing is missing of an empty span', () => {
  expect(spansMissing([], span(10, 10))).toEqual([]);
  expect(spansMissing([span(0, 5)], span(10, 10))).toEqual([]);
});

test('candles of a span are those that open in it, the first moment included and the last not', () => {
  const all = candles([10, 20, 30, 40, 50]);
  const times = (from: number, to: number) => Array.from(candlesWithin(all, span(from, to)).openTime);
  expect(times(20, 40)).toEqual([20, 30]);
  expect(times(19, 41)).toEqual([20, 30, 40]);
  expect(times(21, 40)).toEqual([30]);
  expect(times(0, 99)).toEqual([10, 20, 30, 40, 50]);
  expect(times(51, 99)).toEqual([]);
  expect(times(0, 10)).toEqual([]);
  expect(candlesWithin(all, span(20, 40)).close.buffer).toBe(all.close.buffer); // a view, no copy
});

describe('candles of two sources', () => {
  const [older, newer] = [1, 2];
  test.each([
    ['none', [], [], []],
    [
      'one of them',
      [10, 20],
      [],
      [
        [10, older],
        [20, older],
      ],
    ],
    [
      'the other',
      [],
      [10, 20],
      [
        [10, newer],
        [20, newer],
      ],
    ],
    [
      'the same times',
      [10, 20],
      [10, 20],
      [
        [10, newer],
        [20, newer],
      ],
    ],
    [
      'some before and some after',
      [10, 40],
      [20, 30, 50],
      [
        [10, older],
        [20, newer],
        [30, newer],
        [40, older],
        [50, newer],
      ],
    ],
    [
      'some at the same times',
      [10, 20, 30],
      [20, 40],
      [
        [10, older],
        [20, newer],
        [30, older],
        [40, newer],
      ],
    ],
  ])('%s', (_what, first, second, merged) => {
    expect(read(mergeCandles(candles(first, older), candles(second, newer)))).toEqual(merged);
  });
});

describe('what cannot be kept as the candles of a span', () => {
  const of = (changes: Partial<Record<keyof CandleColumns, number>>) => {
    const columns = candles([10, 20, 30]);
    for (const [name, value] of Object.entries(changes)) columns[name as keyof CandleColumns][1] = value;
    return columnsFault(columns, span(10, 40));
  };

  test.each([
    [{ high: Infinity }, 'high Infinity is not a positive number'],
    [{ low: 0 }, 'low 0 is not a positive number'],
    [{ open: 10 }, 'high 9 is below open'],
    [{ close: 10 }, 'high 9 is below'],
    [{ open: 0.5 }, 'low 1 is above open'],
    [{ close: 0.5 }, 'low 1 is above'],
    [{ volume: -1 }, 'volume -1 is not a number of at least 0'],
    [{ volume: Number.NaN }, 'volume NaN is not a number of at least 0'],
    [{ volume: Infinity }, 'volume Infinity is not a number of at least 0'],
    [{ openTime: 20.5 }, 'is not a whole number of milliseconds'],
    [{ openTime: 10 }, 'the candles are not in order of time'],
    [{ openTime: 30 }, 'the candles are not in order of time'],
  ])('%j', (changes, fault) => {
    expect(of(changes)).toContain(fault);
  });

  test('are not candles whose prices touch each other', () => {
    expect(of({ open: 9, close: 1 })).toBeNull();
    expect(of({ open: 1, close: 9 })).toBeNull();
    expect(of({ volume: 1e300 })).toBeNull();
  });

  test('are candles outside it', () => {
    const times = candles([10, 20, 30]);
    expect(columnsFault(times, span(10, 31))).toBeNull();
    expect(columnsFault(times, span(11, 31))).toBe('the first candle opens before the span');
    expect(columnsFault(times, span(10, 30))).toBe('the last candle opens after the span');
    expect(columnsFault(candles([]), span(10, 30))).toBeNull();
  });
});
