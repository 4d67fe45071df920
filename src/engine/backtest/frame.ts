import type { CandleColumns } from '../market/candle.ts';
import { candleAt, sliceColumns } from '../market/candle.ts';
import { firstAtOrAfter } from '../market/first-at-or-after.ts';
import { observeTicks } from '../market/observed-tick.ts';
import type { BacktestInput, BacktestPair } from './input.ts';
import type { RunPair } from './run.ts';

/** The rows of all pairs on one time axis: step `k` is at `startTime + k * timeframe`. */
export interface Frame {
  startTime: number; // earliest candle after warm-up, over all pairs
  endTime: number; // latest candle
  steps: number; // number of the last step; step 0 only gives signals
  pairs: RunPair[];
}

/**
 * Cuts off warm-up and what lies outside the range, and puts the pairs on one axis.
 *
 * With warm-up the first candles of each pair are dropped by count, beginning that many before the range. The first row
 * that remains only gives its signals to the next.
 */
export function frameOf(input: Pick<BacktestInput, 'timeframeMs' | 'startupCandles' | 'range' | 'pairs'>): Frame {
  const { timeframeMs, startupCandles } = input;
  const from = input.range?.from ?? -Infinity;
  const to = input.range?.to ?? Infinity;
  const cuts = input.pairs.map((pair) => {
    const times = pair.candles.openTime;
    const loadedFrom = firstAtOrAfter(times, from - startupCandles * timeframeMs);
    const loadedTo = firstAtOrAfter(times, to + 1);
    return { pair, loadedFrom, loadedTo, first: loadedFrom + startupCandles, last: loadedTo - 1 };
  });
  const used = cuts.filter(({ first, last }) => first <= last);
  if (used.length === 0) throw new RangeError('No pair has a candle left after the range and the warm-up are taken off.');
  const startTime = Math.min(...used.map(({ pair, first }) => pair.candles.openTime[first]));
  const endTime = Math.max(...used.map(({ pair, last }) => pair.candles.openTime[last]));
  return {
    startTime,
    endTime,
    steps: (endTime - startTime) / timeframeMs,
    pairs: used.map(({ pair, loadedFrom, loadedTo, first, last }) => ({
      instrument: pair.instrument,
      candles: pair.candles,
      signals: pair.signals,
      firstRow: first + 1,
      lastRow: last,
      rowShift: (candleAt(pair.candles, first).openTime - startTime) / timeframeMs - first,
      ticks: observeTicks(sliceColumns(pair.candles, loadedFrom, loadedTo)),
      funding: pair.funding ?? null,
      detail: detailUntil(pair, to),
      held: [],
      fate: null,
      facts: null,
    })),
  };
}

/** The end of the range ends the detail too: the last candle then has one step. */
function detailUntil({ detail }: BacktestPair, to: number): CandleColumns | null {
  if (detail === null || detail === undefined) return null;
  const end = firstAtOrAfter(detail.openTime, to + 1);
  return end === detail.openTime.length ? detail : sliceColumns(detail, 0, end);
}

/** For each step the pairs with a signal to enter, in pair order: `pairs[starts[k]]` up to `pairs[starts[k + 1]]`. */
export interface EntryCalendar {
  starts: Uint32Array;
  pairs: Uint16Array;
  next: Uint32Array; // for each step the first one from it on with a signal; the number of steps + 1 when there is none
}

/** Scans all signals once, so that the loop can skip candles that have none. */
export function entryCalendar(frame: Frame, canShort: boolean): EntryCalendar {
  const rows = frame.pairs.map((pair) => entryRows(pair, canShort));
  const starts = new Uint32Array(frame.steps + 2);
  frame.pairs.forEach(({ rowShift }, at) => {
    for (const row of rows[at]) starts[row + rowShift + 1] += 1;
  });
  for (let k = 1; k < starts.length; k++) starts[k] += starts[k - 1];
  const pairs = new Uint16Array(starts[starts.length - 1]);
  const free = starts.slice();
  const next = new Uint32Array(frame.steps + 2);
  let filled = 0;
  frame.pairs.forEach(({ rowShift }, at) => {
    for (const row of rows[at]) pairs[free[row + rowShift]++] = at;
  });
  for (const step of stepsOf(frame, rows)) {
    next.fill(step, filled, step + 1);
    filled = step + 1;
  }
  return { starts, pairs, next: next.fill(frame.steps + 1, filled) };
}

/** The rows of a pair that follow a signal to enter, in their sequence. */
function entryRows({ signals: { enterLong, enterShort }, firstRow, lastRow }: RunPair, canShort: boolean): number[] {
  const rows: number[] = [];
  const after = (flags: Uint8Array, row: number): number => {
    const at = flags.indexOf(1, row);
    return at === -1 || at >= lastRow ? Infinity : at;
  };
  let long = after(enterLong, firstRow - 1);
  let short = canShort ? after(enterShort, firstRow - 1) : Infinity;
  while (long !== Infinity || short !== Infinity) {
    const at = Math.min(long, short);
    rows.push(at + 1);
    if (long === at) long = after(enterLong, at + 1);
    if (short === at) short = after(enterShort, at + 1);
  }
  return rows;
}

/** The steps on which any pair has a signal, in their sequence. */
function stepsOf(frame: Frame, rows: readonly (readonly number[])[]): number[] {
  const steps = frame.pairs.flatMap(({ rowShift }, at) => rows[at].map((row) => row + rowShift));
  return frame.pairs.length === 1 ? steps : steps.sort((a, b) => a - b);
}

/**
 * The mean over the pairs of how far the price has moved from start to end of the run, as a fraction. Here a pair's own
 * warm-up counts, where it reaches beyond the start.
 */
export function marketChange(frame: Frame): number {
  let sum = 0;
  for (const { candles, lastRow } of frame.pairs) {
    const first = candles.close[firstAtOrAfter(candles.openTime, frame.startTime)];
    sum += (candles.close[lastRow] - first) / first;
  }
  return sum / frame.pairs.length;
}

/** Whether the pair was given detail candles. */
export function hasDetail(pair: BacktestPair | RunPair): boolean {
  return pair.detail !== null && pair.detail !== undefined && pair.detail.openTime.length > 0;
}
