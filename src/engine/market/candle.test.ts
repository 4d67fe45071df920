import { describe, expect, test } from 'vitest';
import type { Candle } from './candle.ts';
import { candleAt, candleColumns, candleFault, copyColumns, sliceColumns, toColumns } from './candle.ts';

const candle = (n: number): Candle => ({ openTime: n, open: 10 + n, high: 20 + n, low: 5 + n, close: 15 + n, volume: 100 + n });
const four = () => toColumns([0, 1, 2, 3].map(candle));
const rows = (columns: ReturnType<typeof four>) => Array.from(columns.openTime, (_, i) => candleAt(columns, i));

describe('candles in columns', () => {
  test('are the candles again, each number in its own column', () => {
    expect(rows(four())).toEqual([0, 1, 2, 3].map(candle));
    expect(rows(candleColumns(2))).toEqual([0, 0].map(() => ({ openTime: 0, open: 0, high: 0, low: 0, close: 0, volume: 0 })));
  });
  test('a slice is a view of some of them', () => {
    const columns = four();
    const slice = sliceColumns(columns, 1, 3);
    expect(rows(slice)).toEqual([1, 2].map(candle));
    for (const name of Object.keys(columns) as (keyof typeof columns)[]) {
      columns[name][1] = 77;
      expect(slice[name][0]).toBe(77);
    }
  });
  test('a copy is of all or of the first ones, and shares nothing', () => {
    const columns = four();
    const [all, two] = [copyColumns(columns), copyColumns(columns, 2)];
    for (const column of Object.values(columns)) column.fill(77);
    expect(rows(all)).toEqual([0, 1, 2, 3].map(candle));
    expect(rows(two)).toEqual([0, 1].map(candle));
  });
});

describe('a candle is not believed', () => {
  const good: Candle = { openTime: 60_000, open: 100, high: 110, low: 90, close: 105, volume: 0 };
  test.each<[string, Partial<Candle>, string | null]>([
    ['unless', {}, null],
    ['unless it is flat', { high: 100, low: 100, close: 100 }, null],
    ['that opens between two milliseconds', { openTime: 0.5 }, 'opening time 0.5 is not a whole number of milliseconds'],
    ['with an open of 0', { open: 0 }, 'open 0 is not a positive number'],
    ['with a high that is not a number', { high: Number.NaN }, 'high NaN is not a positive number'],
    ['with an endless high', { high: Infinity }, 'high Infinity is not a positive number'],
    ['with a low below 0', { low: -1 }, 'low -1 is not a positive number'],
    ['with a close of 0', { close: 0 }, 'close 0 is not a positive number'],
    ['with a volume below 0', { volume: -1 }, 'volume -1 is not a number of at least 0'],
    ['with a volume that is not a number', { volume: Number.NaN }, 'volume NaN is not a number of at least 0'],
    ['whose high is below its open', { high: 104, open: 106 }, 'high 104 is below open 106 or close 105'],
    ['whose high is below its close', { high: 104 }, 'high 104 is below open 100 or close 105'],
    ['whose low is above its open', { low: 101 }, 'low 101 is above open 100 or close 105'],
    ['whose low is above its close', { low: 96, close: 95 }, 'low 96 is above open 100 or close 95'],
  ])('%s', (_, given, fault) => {
    expect(candleFault({ ...good, ...given })).toBe(fault);
  });
});
