import type { CandleColumns } from '#engine/market/candle.ts';
import { candleAt, candleColumns, candleFault, sliceColumns } from '#engine/market/candle.ts';

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

/** The candles of a span: a view that shares memory with the columns. */
export function candlesWithin(columns: CandleColumns, { from, to }: TimeSpan): CandleColumns {
  return sliceColumns(columns, firstAtOrAfter(columns, from), firstAtOrAfter(columns, to));
}

/**
 * The candles of both, oldest first; where both have one, it is the newer's.
 *
 * Shape: both sorted by opening time
 */
export function mergeCandles(older: CandleColumns, newer: CandleColumns): CandleColumns {
  const merged = candleColumns(older.openTime.length + newer.openTime.length);
  const names = Object.keys(merged) as (keyof CandleColumns)[];
  let length = 0;
  for (let i = 0, k = 0; i < older.openTime.length || k < newer.openTime.length; length++) {
    const [a = Infinity, b = Infinity] = [older.openTime[i], newer.openTime[k]];
    const [source, at] = b <= a ? [newer, k] : [older, i];
    for (const name of names) merged[name][length] = source[name][at] ?? Number.NaN;
    if (a <= b) i++;
    if (b <= a) k++;
  }
  return sliceColumns(merged, 0, length);
}

/** Why columns cannot be kept as the candles of a span, or null. */
export function columnsFault(columns: CandleColumns, { from, to }: TimeSpan): string | null {
  let last = from - 1;
  for (let i = 0; i < columns.openTime.length; i++) {
    const candle = candleAt(columns, i);
    const fault = candleFault(candle);
    if (fault !== null) return fault;
    if (candle.openTime <= last) return i === 0 ? 'the first candle opens before the span' : 'the candles are not in order of time';
    last = candle.openTime;
  }
  return last >= to ? 'the last candle opens after the span' : null;
}

function firstAtOrAfter({ openTime }: CandleColumns, time: number): number {
  let [low, high] = [0, openTime.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((openTime[middle] ?? Infinity) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
