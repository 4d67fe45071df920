import { dayMs, minuteMs } from '../market/durations.ts';
import type { CandleColumns } from '../market/candle.ts';
import { WindowHighest } from '../indicators/window-highest.ts';

// Columns of numbers, each computed from others in one pass. Rows that are not known are NaN.

/** What a candle has; hl2, hlc3 and ohlc4 are averages of its prices. */
export const priceNames = ['open', 'high', 'low', 'close', 'volume', 'hl2', 'hlc3', 'ohlc4'] as const;

/** One of them. */
export type PriceName = (typeof priceNames)[number];

/** The same number in each row. */
export function constant(length: number, value: number): Float64Array {
  return new Float64Array(length).fill(value);
}

/** A price of the candles, their volume, or an average of their prices. */
export function priceLine(candles: CandleColumns, name: PriceName): Float64Array {
  const { open, high, low, close } = candles;
  if (name === 'hl2') return close.map((_, i) => (high[i] + low[i]) / 2);
  if (name === 'hlc3') return close.map((last, i) => (high[i] + low[i] + last) / 3);
  if (name === 'ohlc4') return close.map((last, i) => (open[i] + high[i] + low[i] + last) / 4);
  return candles[name];
}

/** The line as it was `count` rows before. */
export function rowsBack(line: Float64Array, count: number): Float64Array {
  if (count === 0) return line;
  const column = new Float64Array(line.length).fill(NaN);
  column.set(line.subarray(0, Math.max(0, line.length - count)), Math.min(count, line.length));
  return column;
}

/** How far the line is from where it was `count` rows before, as a ratio of that; NaN where it was 0. */
export function change(line: Float64Array, count: number): Float64Array {
  const column = new Float64Array(line.length).fill(NaN);
  for (let i = count; i < line.length; i++) {
    const before = line[i - count];
    if (before !== 0) column[i] = (line[i] - before) / Math.abs(before);
  }
  return column;
}

/** The highest value of the last `count` rows, the row's own included. */
export function highest(line: Float64Array, count: number): Float64Array {
  const window = new WindowHighest(count);
  return line.map((value) => window.push(value));
}

/** The lowest value of the last `count` rows, the row's own included. */
export function lowest(line: Float64Array, count: number): Float64Array {
  const window = new WindowHighest(count);
  return line.map((value) => -window.push(-value));
}

/** `line` + `times` x `unit`, row by row. */
export function shifted(line: Float64Array, times: number, unit: Float64Array): Float64Array {
  const column = new Float64Array(line.length);
  for (let i = 0; i < line.length; i++) column[i] = line[i] + times * unit[i];
  return column;
}

/** The distance of the outer bands as a ratio of the middle; NaN where the middle is 0. */
export function bandWidth({ upper, middle, lower }: Record<'upper' | 'middle' | 'lower', Float64Array>): Float64Array {
  const column = new Float64Array(middle.length).fill(NaN);
  for (let i = 0; i < middle.length; i++) if (middle[i] !== 0) column[i] = (upper[i] - lower[i]) / middle[i];
  return column;
}

/**
 * The line with its last known value where it is not known, once it has begun.
 *
 * An average of a line that has such a row would never be known again.
 */
export function withoutHoles(line: Float64Array): Float64Array {
  let last = NaN;
  return line.map((value) => (last = Number.isFinite(value) ? value : last));
}

/** How many rows ago the flag was set last, counted up to `upTo`; NaN while fewer rows have passed and none was set. */
export function candlesSince(flags: Uint8Array, upTo: number): Float64Array {
  const column = new Float64Array(flags.length);
  let since = NaN;
  for (let i = 0; i < flags.length; i++) {
    if (flags[i] === 1) since = 0;
    else if (Number.isNaN(since)) since = i + 1 >= upTo ? upTo : NaN;
    else since = Math.min(since + 1, upTo);
    column[i] = since;
  }
  return column;
}

/** Minutes from midnight UTC to the opening of each candle. */
export function minuteOfDay({ openTime }: Pick<CandleColumns, 'openTime'>): Float64Array {
  return openTime.map((time) => Math.floor((time % dayMs) / minuteMs));
}

/** The UTC weekday on which each candle opens: 1 is Monday, 7 is Sunday. */
export function weekday({ openTime }: Pick<CandleColumns, 'openTime'>): Float64Array {
  return openTime.map((time) => ((Math.floor(time / dayMs) + 3) % 7) + 1); // 1 January 1970 was a Thursday
}
