import { errorText } from '#engine/ports/error-text.ts';
import { parentPort, workerData } from 'node:worker_threads';
import type { BacktestMessage, BacktestTask } from './backtest-task.ts';
import { strategyOfTask } from '../strategy-of-task.ts';
import { runTask } from './run-task.ts';

// A thread of its own: a backtest is pure work and must not hold up the heartbeat of its job.
const task = workerData as BacktestTask;
const send = (message: BacktestMessage): void => parentPort?.postMessage(message);

try {
  const strategy = await strategyOfTask(task);
  send({ outcome: runTask(strategy, task, (progress, step) => send({ progress, step })) });
} catch (error) {
  send({ fault: errorText(error) });
}
