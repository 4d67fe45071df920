import { walletOf } from '../account/wallet.ts';
import type { CandleColumns } from '../market/candle.ts';
import type { TagColumn } from '../strategy/strategy.ts';
import { entryDirection } from '../risk/entry-direction.ts';
import { type BalanceCurve, unnoted } from './balance-curve.ts';
import { countFate, noteFate } from './entry-counts.ts';
import type { EntryCalendar, Frame } from './frame.ts';
import { firstAtOrAfter } from '../market/first-at-or-after.ts';
import { processPair } from './process-pair.ts';
import { followQuietly, isQuiet, quietBounds } from './quiet.ts';
import type { Held, Row, Run, RunPair } from './run.ts';

/**
 * Walks through time. A candle of a pair that neither holds a position nor carries a signal is never looked at; one that
 * holds a position to which nothing can happen costs a few comparisons.
 */
export function runLoop(run: Run, frame: Frame, calendar: EntryCalendar, balance: BalanceCurve, walk: Walk): void {
  const { starts, pairs, next } = calendar;
  const { open, timeframeMs } = run;
  const { settings } = run.rules;
  const row = newRow();
  const progressEvery = Math.max(1, Math.ceil(frame.steps / 100));
  let nextProgress = progressEvery;
  let free = settings.startingBalance;
  const needsEveryStep = run.rules.callbacks.loopStart !== undefined;
  const skipsQuiet = !needsEveryStep && !walk.hasDetail;

  for (let k = 1; k <= frame.steps; k++) {
    if (open.length === 1 && skipsQuiet)
      k = passQuiet(run, frame, calendar, balance, free, k, Math.min(nextProgress, frame.steps) - 1, row);
    const time = frame.startTime + k * timeframeMs;
    if (k >= nextProgress) {
      walk.onProgress(k / frame.steps);
      nextProgress += progressEvery;
    }
    const hasSignals = starts[k] !== starts[k + 1];
    if (open.length === 0) {
      balance.note(time, free);
      if (needsEveryStep) run.rules.callbacks.loopStart?.(time);
      if (!hasSignals) {
        // Nothing is held: go to the next signal.
        if (!needsEveryStep) k = Math.max(k, Math.min(next[k + 1], nextProgress, frame.steps + 1) - 1);
        continue;
      }
    } else {
      balance.note(time, balanceAt(open, free, k));
      if (needsEveryStep) run.rules.callbacks.loopStart?.(time);
    }
    if (!hasSignals && !walk.hasDetail && allQuiet(run, k, time, row)) continue;

    if (walk.hasDetail) {
      stepWithDetail(run, frame, calendar, k, time, row, walk.detailMs);
    } else {
      const order = pairsInOrder(frame, open, pairs, starts[k], starts[k + 1]);
      for (const pair of order) stepPair(run, pair, k, time, row);
    }
    if (hasSignals) {
      for (let i = starts[k]; i < starts[k + 1]; i++) {
        const pair = frame.pairs[pairs[i]];
        countFate(run.entries, pair, k - pair.rowShift - 1, time, open.length);
      }
    }
    free = walletOf(settings, run.closedProfit, run.openTrades).free;
  }
}

/**
 * Passes over the steps from `k` on, at most to `last`, on which nothing is done to the only open trade but that its stop may move, and notes them;
 * returns the first on which more may happen. It does what the loop does, faster.
 */
function passQuiet(
  run: Run,
  frame: Frame,
  { next }: EntryCalendar,
  balance: BalanceCurve,
  free: number,
  from: number,
  last: number,
  row: Row,
): number {
  const held = run.open[0];
  const { pair, trade } = held;
  const { open, high, low } = pair.candles;
  const isLong = trade.direction === 'long';
  const exits = isLong ? pair.signals.exitLong : pair.signals.exitShort;
  const isSpot = trade.marketType === 'spot' && trade.amount > 0;
  const notes = balance !== unnoted;
  const to = Math.min(last, next[from] - 1, pair.lastRow + pair.rowShift);
  let { quietAbove, quietBelow } = quietBounds(held);
  let { quietUntil } = held;
  let { maxRate, minRate } = trade;
  let k = from;
  let time = frame.startTime + k * run.timeframeMs;
  if (k - pair.rowShift < pair.firstRow) return k;
  for (; k <= to; k++, time += run.timeframeMs) {
    const at = k - pair.rowShift;
    if (exits[at - 1] === 1) break;
    if (!(low[at] > quietAbove && high[at] < quietBelow && time < quietUntil)) {
      setPrices(row, pair.candles, at);
      if (!followQuietly(run, held, row)) break;
      ({ quietAbove, quietBelow } = quietBounds(held));
      ({ quietUntil } = held);
    }
    if (notes) balance.note(time, free + (isSpot ? trade.amount * open[at] : trade.stake));
    if (high[at] > maxRate) maxRate = high[at];
    if (low[at] < minRate) minRate = low[at];
  }
  trade.maxRate = maxRate;
  trade.minRate = minRate;
  return k;
}

/** How the loop walks. */
export interface Walk {
  hasDetail: boolean;
  detailMs: number;
  onProgress: (fractionDone: number) => void;
}

/** An empty row, to be filled again and again. */
export function newRow(): Row {
  return {
    time: 0,
    stepTime: 0,
    open: 0,
    high: 0,
    low: 0,
    close: 0,
    direction: null,
    enterLong: false,
    exitLong: false,
    enterShort: false,
    exitShort: false,
    enterTag: null,
    exitTag: null,
  };
}

/** Puts the prices of candle `at` into the row. */
export function setPrices(row: Row, candles: CandleColumns, at: number): void {
  row.time = candles.openTime[at];
  row.stepTime = row.time;
  row.open = candles.open[at];
  row.high = candles.high[at];
  row.low = candles.low[at];
  row.close = candles.close[at];
}

/** Pairs with open trades first, oldest trade first; then those with a signal, in pair order. */
function pairsInOrder(frame: Frame, open: readonly Held[], pairs: Uint16Array, from: number, to: number): readonly RunPair[] {
  if (frame.pairs.length === 1) return frame.pairs; // a step is only taken where it holds something or has a signal
  const order: RunPair[] = [];
  for (const { pair } of open) if (!order.includes(pair)) order.push(pair);
  for (let i = from; i < to; i++) {
    const pair = frame.pairs[pairs[i]];
    if (pair.held.length === 0) order.push(pair);
  }
  return order;
}

function stepPair(run: Run, pair: RunPair, k: number, time: number, row: Row): void {
  const at = k - pair.rowShift;
  if (at < pair.firstRow || at > pair.lastRow) return;
  setPrices(row, pair.candles, at);
  setSignals(run, row, pair, at - 1);
  // shortPairEntersOnItsLastCandle: only the end of the run forbids entries, not the end of the pair.
  const canEnter = time !== run.endTime && (run.rules.quirks.shortPairEntersOnItsLastCandle || at !== pair.lastRow);
  processPair(run, pair, row, { canEnter, countsRejection: true });
}

/**
 * One candle in steps of detail candles, step by step across all pairs.
 *
 * rejectedSignalsCountPerDetailCandle: a missing slot is counted on every step. detailCandlesOpenAfterTheEnd: after the first step of the last candle trades may still open. detailCandlesTakenByNumber: a
 * detail candle may come at another step than its own.
 */
function stepWithDetail(run: Run, frame: Frame, calendar: EntryCalendar, k: number, time: number, row: Row, detailMs: number): void {
  const { settings, quirks } = run.rules;
  const signalled = new Set<RunPair>();
  for (let i = calendar.starts[k]; i < calendar.starts[k + 1]; i++) signalled.add(frame.pairs[calendar.pairs[i]]);
  const expandable = new Set<RunPair>([...run.open.map(({ pair }) => pair), ...signalled]);
  const hadTrade = new Set<RunPair>(run.open.map(({ pair }) => pair));
  const inListOrder = frame.pairs.filter((pair) => expandable.has(pair));

  for (let stepTime = time; stepTime < time + run.timeframeMs; stepTime += detailMs) {
    const isFirst = stepTime === time;
    const isExpired = settings.ignoreExpiredAfterMs > 0 && stepTime - time > settings.ignoreExpiredAfterMs;
    const order = new Set<RunPair>([...run.open.map(({ pair }) => pair), ...inListOrder]);
    for (const pair of order) {
      const at = k - pair.rowShift;
      if (at < pair.firstRow || at > pair.lastRow) continue;
      if (hadTrade.has(pair) && pair.held.length === 0) continue;
      const detailAt = quirks.detailCandlesTakenByNumber
        ? detailByNumber(pair, time, (stepTime - time) / detailMs, run.timeframeMs)
        : detailByTime(pair, time, stepTime, run.timeframeMs);
      if (detailAt === 'none' && !isFirst) continue;
      if (detailAt === 'gap') continue;
      if (detailAt === 'none') setPrices(row, pair.candles, at);
      else if (pair.detail !== null) setPrices(row, pair.detail, detailAt);
      row.stepTime = stepTime;
      setSignals(run, row, pair, at - 1);
      if (isExpired && row.direction !== null) {
        row.direction = null;
        noteFate(pair, pair.held.length > 0 ? 'has-open-trade' : 'expired-signal');
      }
      const isOver = quirks.detailCandlesOpenAfterTheEnd ? stepTime === run.endTime : time === run.endTime;
      const canEnter = !isOver && (quirks.shortPairEntersOnItsLastCandle || at !== pair.lastRow);
      if (row.direction === null && pair.held.length > 0 && pair.held.every((held) => isQuietOn(held, row))) continue;
      processPair(run, pair, row, { canEnter, countsRejection: isFirst || quirks.rejectedSignalsCountPerDetailCandle });
      if (pair.held.length > 0) hadTrade.add(pair);
    }
  }
}

/** Where a step has its detail candle; 'none' when the candle has no detail at all, 'gap' when only this step has none. */
type DetailAt = number | 'none' | 'gap';

/** The detail candle that opens at the time of the step. */
function detailByTime(pair: RunPair, time: number, stepTime: number, timeframeMs: number): DetailAt {
  if (detailByNumber(pair, time, 0, timeframeMs) === 'none' || pair.detail === null) return 'none';
  const { openTime } = pair.detail;
  const at = firstAtOrAfter(openTime, stepTime);
  return openTime[at] === stepTime ? at : 'gap';
}

/** The detail candle with the number of the step within its candle. */
function detailByNumber(pair: RunPair, time: number, step: number, timeframeMs: number): DetailAt {
  if (pair.detail === null) return 'none';
  const { openTime } = pair.detail;
  const first = firstAtOrAfter(openTime, time);
  const isWithin = (at: number): boolean => at < openTime.length && openTime[at] < time + timeframeMs;
  if (!isWithin(first)) return 'none';
  return isWithin(first + step) ? first + step : 'gap';
}

/** A row on which nothing can happen to the trade; it only widens the range of prices seen. */
function isQuietOn(held: Held, row: Row): boolean {
  if ((held.trade.direction === 'long' ? row.exitLong : row.exitShort) || !isQuiet(held, row.high, row.low, row.time)) return false;
  notePrices(held, row.high, row.low);
  return true;
}

function setSignals(run: Run, row: Row, pair: RunPair, at: number): void {
  const { signals } = pair;
  row.enterLong = signals.enterLong[at] === 1;
  row.exitLong = signals.exitLong[at] === 1;
  row.enterShort = signals.enterShort[at] === 1;
  row.exitShort = signals.exitShort[at] === 1;
  row.enterTag = tagAt(signals.enterTag, signals.tags, at);
  row.exitTag = tagAt(signals.exitTag, signals.tags, at);
  row.direction = entryDirection(row, run.rules.settings.canShort);
}

function tagAt(column: TagColumn | null, tags: readonly string[], at: number): string | null {
  return column === null || column[at] === 0 ? null : tags[column[at] - 1];
}

/**
 * Whether step `k` does nothing to any open trade but that its stop may move; notes its prices with them. Where it does more to one, what was
 * done to others before is done again by their rules, and the same.
 */
function allQuiet(run: Run, k: number, time: number, row: Row): boolean {
  const { open } = run;
  for (const held of open) {
    const { pair, trade } = held;
    const at = k - pair.rowShift;
    if (at < pair.firstRow || at > pair.lastRow) continue;
    const exits = trade.direction === 'long' ? pair.signals.exitLong : pair.signals.exitShort;
    if (exits[at - 1] === 1) return false;
    if (isQuiet(held, pair.candles.high[at], pair.candles.low[at], time)) continue;
    setPrices(row, pair.candles, at);
    if (!followQuietly(run, held, row)) return false;
  }
  for (const held of open) {
    const at = k - held.pair.rowShift;
    if (at >= held.pair.firstRow && at <= held.pair.lastRow) notePrices(held, held.pair.candles.high[at], held.pair.candles.low[at]);
  }
  return true;
}

function notePrices(held: Held, high: number, low: number): void {
  const { trade } = held;
  if (high > trade.maxRate) trade.maxRate = high;
  if (low < trade.minRate) trade.minRate = low;
}

/** Stake currency and coins held, at the open of step `k`; positions on futures count with their stake. */
function balanceAt(open: readonly Held[], free: number, k: number): number {
  let value = free;
  for (const { trade, pair } of open) {
    if (trade.marketType === 'spot') {
      const at = Math.min(k - pair.rowShift, pair.lastRow);
      // A first entry that still waits holds no coins, but its stake is still there.
      value += trade.amount > 0 ? trade.amount * pair.candles.open[at] : trade.stake;
    } else {
      value += trade.stake;
    }
  }
  return value;
}
