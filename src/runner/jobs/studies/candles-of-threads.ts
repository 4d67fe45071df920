import { setImmediate as nextTurn } from 'node:timers/promises';
import { candlesShown } from '#engine/backtest/backtest-strategy.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import type { StudyTask, Untouched } from './study-task.ts';

/**
 * What the threads of a study are given, with all candles in memory that they share. They are cut and their gaps are filled here, once: a
 * thread that fills a gap copies the pair, and nearly every pair has one. A thread finds nothing left to cut or fill.
 */
export async function sharedByThreads(task: Omit<StudyTask, 'untouched'>): Promise<StudyTask> {
  const { timeframe, detailTimeframe, range, startupCandles, code, python } = task;
  const strategy = { name: task.strategyClass, startupCandles };
  // One pair after the other: its worker must report meanwhile, and what is not shared yet is never there of all at a time.
  const shown = async (pair: StudyTask['pairs'][number]) => {
    await nextTurn();
    const { candles, detail = null } = candlesShown({ strategy, timeframe, detailTimeframe, range, pairs: [pair] }).pairs[0]!;
    return { ...pair, candles: inSharedMemory(candles), detail: detail === null ? null : inSharedMemory(detail) };
  };
  const pairs: StudyTask['pairs'][number][] = [];
  for (const pair of task.pairs) pairs.push(await shown(pair));
  const { instrument } = task.pairs[0]!;
  const others: Record<string, CandleColumns> = {};
  for (const [symbol, candles] of Object.entries(task.others)) others[symbol] = (await shown({ instrument, candles })).candles;
  const isShownToCode = code !== null && python === null;
  return {
    ...task,
    pairs,
    others,
    python:
      python === null
        ? null
        : { ...python, series: python.series.map(({ name, candles }) => ({ name, candles: inSharedMemory(candles) })) },
    untouched: isShownToCode ? await copiesOf([...pairs.map(({ candles }) => candles), ...Object.values(others)]) : new Map(),
  };
}

/** What these candles were before code was shown them; null where nothing is known of their memory. */
export function untouchedOf(untouched: Untouched, { openTime, open, high, low, close, volume }: CandleColumns): CandleColumns | null {
  if (!untouched.has(openTime.buffer)) return null;
  const before = ({ buffer, byteOffset, length }: Float64Array): Float64Array =>
    new Float64Array(untouched.get(buffer)!, byteOffset, length);
  return {
    openTime: before(openTime),
    open: before(open),
    high: before(high),
    low: before(low),
    close: before(close),
    volume: before(volume),
  };
}

/** Makes candles what they were. */
export function putBack(candles: CandleColumns, before: CandleColumns): void {
  for (const name of Object.keys(candles) as (keyof CandleColumns)[]) candles[name].set(before[name]);
}

/** One copy of the memory of candles for all threads: each would else keep its own, and take for untouched what another has changed. */
async function copiesOf(candles: readonly CandleColumns[]): Promise<Untouched> {
  const copies = new Map<ArrayBufferLike, ArrayBufferLike>();
  for (const { buffer } of candles.flatMap((columns): Float64Array[] => Object.values(columns))) {
    if (copies.has(buffer)) continue;
    copies.set(buffer, sharedCopy(new Float64Array(buffer)).buffer);
    await nextTurn();
  }
  return copies;
}

/** Candles in memory that threads share: the same, where they are there already. */
function inSharedMemory({ openTime, open, high, low, close, volume }: CandleColumns): CandleColumns {
  const shared = (column: Float64Array): Float64Array => (column.buffer instanceof SharedArrayBuffer ? column : sharedCopy(column));
  return {
    openTime: shared(openTime),
    open: shared(open),
    high: shared(high),
    low: shared(low),
    close: shared(close),
    volume: shared(volume),
  };
}

function sharedCopy(column: Float64Array): Float64Array {
  const copy = new Float64Array(new SharedArrayBuffer(column.byteLength));
  copy.set(column);
  return copy;
}
