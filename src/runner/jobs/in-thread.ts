import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { BacktestOutcome } from '#storage/backtests/backtests.ts';
import type { BacktestWork } from '#storage/backtests/jobs.ts';
import type { BacktestMessage, BacktestTask } from './backtest-task.ts';
import type { PortfolioTask } from './portfolio-task.ts';

/** Calculates a run in a thread of its own, which ends with it. Fails: Error with what the thread failed with, and when the work is cut short */
export async function inThread(task: BacktestTask | PortfolioTask, work: BacktestWork): Promise<BacktestOutcome> {
  const thread = new Worker(join(import.meta.dirname, 'backtest-thread.ts'), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: 1_024 },
  });
  const end = (): void => void thread.terminate();
  work.signal.addEventListener('abort', end);
  // Its last message counts; a thread that dies without one has found nothing.
  const found = { outcome: null as BacktestOutcome | null, fault: 'The backtest ended without a result.' };
  thread.on('message', (message: BacktestMessage) => {
    if ('progress' in message) work.progress('running', message.progress, message.step).catch(end); // the run is over or another's: stop
    else if ('outcome' in message) found.outcome = message.outcome;
    else found.fault = message.fault;
  });
  thread.on('error', (error) => (found.fault = error.message));
  try {
    await once(thread, 'exit');
  } finally {
    work.signal.removeEventListener('abort', end);
  }
  work.signal.throwIfAborted();
  if (found.outcome === null) throw new Error(found.fault);
  return found.outcome;
}
