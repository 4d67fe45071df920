import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { BacktestOutcome } from '#storage/backtests/backtests.ts';
import type { BacktestWork } from '#storage/backtests/jobs.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import type { WarmParents } from '#strategy-process/python/warm-parents.ts';
import type { SeriesName } from '#strategy-process/wire/python-load.ts';
import type { BacktestMessage, BacktestTask } from './backtest-task.ts';
import type { CopyForThread } from './copies-for-threads.ts';
import { makeCopyFor } from './copies-for-threads.ts';
import type { PortfolioTask } from './portfolio-task.ts';

/** A strategy that asks for more series than this, one after the other, is not waited for. */
const mostBeginnings = 20;

/**
 * Calculates a run in threads that end with it. A strategy in Python that reads series which it was not given is given them, and its run
 * begins again; `read` gives their candles with what there is to say of them.
 *
 * Fails: Error with what the thread failed with, and when the work is cut short
 */
export async function inThreads(
  task: BacktestTask | PortfolioTask,
  work: BacktestWork,
  parents: Pick<WarmParents, 'of'>,
  read: (name: SeriesName) => Promise<{ candles: CandleColumns; notes: string[] }>,
): Promise<BacktestOutcome> {
  let { python } = task;
  for (let beginnings = 0; beginnings <= mostBeginnings; beginnings++) {
    const found = await inThread({ ...task, python }, work, parents);
    if (!('wanted' in found)) return found;
    if (python === null) break;
    for (const name of found.wanted) {
      const { candles, notes }: { candles: CandleColumns; notes: string[] } = await read(name);
      python = { ...python, series: [...python.series, { name, candles }], notes: [...python.notes, ...notes] };
    }
  }
  throw new Error('The strategy asks for more and more series that it does not announce.');
}

/** Calculates a run in a thread of its own, which ends with it. Fails: Error with what the thread failed with, and when the work is cut short */
async function inThread(
  task: BacktestTask | PortfolioTask,
  work: BacktestWork,
  parents: Pick<WarmParents, 'of'>,
): Promise<BacktestOutcome | { wanted: readonly SeriesName[] }> {
  const thread = new Worker(join(import.meta.dirname, 'backtest-thread.ts'), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: 1_024 },
  });
  const copies: CopyForThread[] = []; // of a warm Python: a thread that is cut short ends none itself
  const end = (): void => {
    for (const copy of copies) copy.cutShort(); // a thread that waits for an answer of one cannot be ended before
    void thread.terminate();
  };
  work.signal.addEventListener('abort', end);
  // Its last message counts; a thread that dies without one has found nothing.
  const found = {
    outcome: null as BacktestOutcome | { wanted: readonly SeriesName[] } | null,
    fault: 'The backtest ended without a result.',
  };
  thread.on('message', (message: BacktestMessage) => {
    if ('progress' in message) work.progress('running', message.progress, message.step).catch(end); // the run is over or another's: stop
    else if ('outcome' in message) found.outcome = message.outcome;
    else if ('wanted' in message) found.outcome = message;
    else if ('wantedCopy' in message) copies.push(makeCopyFor(parents, message.wantedCopy));
    else found.fault = message.fault;
  });
  thread.on('error', (error) => (found.fault = error.message));
  try {
    await once(thread, 'exit');
  } finally {
    work.signal.removeEventListener('abort', end);
    for (const copy of copies) copy.kill();
  }
  work.signal.throwIfAborted();
  if (found.outcome === null) throw new Error(found.fault);
  return found.outcome;
}
