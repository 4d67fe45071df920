import type { CandleColumns } from '#engine/market/candle.ts';
import { candleAt, candleColumns, candleFault, sliceColumns } from '#engine/market/candle.ts';
import { openTimeBefore } from '#engine/market/timeframe.ts';
import { CommandError } from '../command-error.ts';
import { minuteText } from '#engine/market/minute-text.ts';

/** Candles as a backtest takes them but for gaps, and what had to be done to the file for it. */
export interface TidyCandles {
  candles: CandleColumns;
  notes: string[]; // sentences for people
}

/** Names a row of a file: "line 7" of a text, "row 5" of a table. */
export type RowName = (row: number) => string;

/**
 * Sorts rows by time, and merges rows of one time: first open, highest high, lowest low, last close, largest volume.
 *
 * Fails: CommandError naming file and row, for a candle that is impossible, one that opens off the timeframe's
 * boundaries, and a gap larger than all that the file holds
 */
export function tidyCandles(rows: CandleColumns, timeframeMs: number, file: string, rowName: RowName): TidyCandles {
  const bad = firstBadRow(rows, timeframeMs);
  if (bad !== -1) throw new CommandError(`${file}, ${rowName(bad)}: ${faultOf(rows, bad)}.`);
  const order = orderOf(rows.openTime);
  const candles = order === null ? rows : merged(rows, order.sorted);
  refuseHugeGap(candles.openTime, timeframeMs, file);
  const notes: string[] = [];
  if (order?.wasUnsorted === true) notes.push(`${file}: the rows were not sorted by time; they are now.`);
  const doubled = rows.openTime.length - candles.openTime.length;
  if (doubled > 0)
    notes.push(
      `${file}: ${doubled} ${doubled === 1 ? 'row' : 'rows'} with the time of another ${doubled === 1 ? 'was' : 'were'} merged with it.`,
    );
  const missing = missingCandles(candles.openTime, timeframeMs);
  if (missing > 0) notes.push(`${file}: ${missing} missing ${missing === 1 ? 'candle is' : 'candles are'} filled with the close before.`);
  return { candles, notes };
}

/** The first row that is not a candle of the timeframe; -1 when there is none. */
function firstBadRow({ openTime, open, high, low, close, volume }: CandleColumns, timeframeMs: number): number {
  const firstOpenTime = openTimeBefore(timeframeMs, 0); // weeks do not begin on the epoch
  for (let row = 0; row < openTime.length; row++) {
    const [l, o, h, c, v] = [low[row]!, open[row]!, high[row]!, close[row]!, volume[row]!];
    // One chain for the usual case: every NaN makes it false.
    const isPriced = l > 0 && l <= o && l <= c && o <= h && c <= h && h < Infinity;
    if (!isPriced || !(v >= 0 && v < Infinity) || (openTime[row]! - firstOpenTime) % timeframeMs !== 0) return row;
  }
  return -1;
}

function faultOf(rows: CandleColumns, row: number): string {
  const time = rows.openTime[row]!;
  return candleFault(candleAt(rows, row)) ?? `it opens at ${minuteText(time)} (${time}), which is not a boundary of its timeframe`;
}

/** The rows by time, those of one time as they stand in the file; null when they are sorted and each time is there once. */
function orderOf(times: Float64Array): { sorted: number[]; wasUnsorted: boolean } | null {
  let isAscending = true;
  for (let i = 1; i < times.length && isAscending; i++) isAscending = times[i]! > times[i - 1]!;
  if (isAscending) return null;
  const wasUnsorted = times.some((time, i) => i > 0 && time < times[i - 1]!);
  const sorted = Array.from(times, (_, i) => i).sort((a, b) => times[a]! - times[b]!);
  return { sorted, wasUnsorted };
}

function merged(rows: CandleColumns, sorted: readonly number[]): CandleColumns {
  const candles = candleColumns(sorted.length);
  let count = 0;
  for (const row of sorted) {
    const { openTime, open, high, low, close, volume } = candleAt(rows, row);
    const before = count - 1;
    if (count > 0 && candles.openTime[before] === openTime) {
      candles.high[before] = Math.max(candles.high[before]!, high);
      candles.low[before] = Math.min(candles.low[before]!, low);
      candles.close[before] = close;
      candles.volume[before] = Math.max(candles.volume[before]!, volume);
      continue;
    }
    candles.openTime[count] = openTime;
    candles.open[count] = open;
    candles.high[count] = high;
    candles.low[count] = low;
    candles.close[count] = close;
    candles.volume[count] = volume;
    count++;
  }
  return sliceColumns(candles, 0, count);
}

/** A gap wider than all the rest is a stray time, not a silent market; filling it could take any amount of memory. */
function refuseHugeGap(times: Float64Array, timeframeMs: number, file: string): void {
  for (let i = 1; i < times.length; i++) {
    const missing = (times[i]! - times[i - 1]!) / timeframeMs - 1;
    if (missing > Math.max(1000, times.length)) {
      throw new CommandError(
        `${file}: ${missing} candles are missing between ${minuteText(times[i - 1]!)} and ${minuteText(times[i]!)}, more than the ${times.length} in the file.`,
      );
    }
  }
}

function missingCandles(times: Float64Array, timeframeMs: number): number {
  if (times.length === 0) return 0;
  return (times.at(-1)! - times[0]!) / timeframeMs + 1 - times.length;
}
