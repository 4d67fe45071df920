import type { CandleColumns } from '#engine/market/candle.ts';
import { candleAt, candleColumns, candleFault, sliceColumns } from '#engine/market/candle.ts';
import { firstAtOrAfter } from '#engine/market/first-at-or-after.ts';

/** A span of time; `to` is not part of it. */
export interface TimeSpan {
  from: number; // ms since the epoch
  to: number;
}

/** The parts of a span by calendar month, UTC; a month is named by its first day, e.g. '2026-03-01'. */
export function byMonth({ from, to }: TimeSpan): { month: string; span: TimeSpan }[] {
  const parts = [];
  for (let start = from; start < to;) {
    const date = new Date(start);
    const next = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
    const end = Math.min(next, to);
    parts.push({ month: `${date.toISOString().slice(0, 7)}-01`, span: { from: start, to: end } });
    start = end;
  }
  return parts;
}

/** The parts of a span outside the stored ones, oldest first. Shape: `stored` sorted, apart from each other */
export function spansMissing(stored: readonly TimeSpan[], { from, to }: TimeSpan): TimeSpan[] {
  const missing: TimeSpan[] = [];
  let at = from;
  for (const known of stored) {
    if (known.to <= at) continue;
    if (known.from >= to) break;
    if (known.from > at) missing.push({ from: at, to: known.from });
    at = known.to;
  }
  if (at < to) missing.push({ from: at, to });
  return missing;
}

/** The candles of a span: a view that shares memory with the columns. */
export function candlesWithin(columns: CandleColumns, { from, to }: TimeSpan): CandleColumns {
  return sliceColumns(columns, firstAtOrAfter(columns.openTime, from), firstAtOrAfter(columns.openTime, to));
}

/**
 * The candles of both, oldest first; where both have one, it is the newer's.
 *
 * Shape: both sorted by opening time
 */
export function mergeCandles(older: CandleColumns, newer: CandleColumns): CandleColumns {
  const picks = new Int32Array(older.openTime.length + newer.openTime.length); // an index of newer, or of older as ~index
  let length = 0;
  for (let i = 0, k = 0; i < older.openTime.length || k < newer.openTime.length; length++) {
    const [a = Infinity, b = Infinity] = [older.openTime[i], newer.openTime[k]];
    picks[length] = b <= a ? k : ~i;
    if (a <= b) i++;
    if (b <= a) k++;
  }
  const merged = candleColumns(length);
  for (const name of Object.keys(merged) as (keyof CandleColumns)[]) {
    const [to, fromOlder, fromNewer] = [merged[name], older[name], newer[name]];
    for (let n = 0; n < length; n++) {
      const pick = picks[n] ?? 0;
      to[n] = (pick < 0 ? fromOlder[~pick] : fromNewer[pick]) ?? Number.NaN;
    }
  }
  return merged;
}

/** Why columns cannot be kept as the candles of a span, or null. */
export function columnsFault(columns: CandleColumns, { from, to }: TimeSpan): string | null {
  const { openTime, open, high, low, close, volume } = columns;
  let last = from - 1;
  for (let i = 0; i < openTime.length; i++) {
    const [time = 0, top = 0, bottom = 0, first = 0, end = 0] = [openTime[i], high[i], low[i], open[i], close[i]];
    // The usual candle is passed without looking at it closely: a year of minutes has half a million.
    const isUsual =
      top < Infinity && bottom > 0 && top >= first && top >= end && bottom <= first && bottom <= end && (volume[i] ?? -1) >= 0;
    const fault = isUsual && Number.isInteger(time) && volume[i] !== Infinity ? null : candleFault(candleAt(columns, i));
    if (fault !== null) return fault;
    if (time <= last) return i === 0 ? 'the first candle opens before the span' : 'the candles are not in order of time';
    last = time;
  }
  return last >= to ? 'the last candle opens after the span' : null;
}
