import { errorText } from '#engine/ports/error-text.ts';
import { parentPort, workerData } from 'node:worker_threads';
import type { BacktestMessage, BacktestTask } from './backtest-task.ts';
import { strategyOfTask } from '../strategy-of-task.ts';
import type { PortfolioTask } from './portfolio-task.ts';
import { runPortfolio } from './run-portfolio.ts';
import { runTask } from './run-task.ts';

// A thread of its own: a backtest is pure work and must not hold up the heartbeat of its job.
const task = workerData as BacktestTask | PortfolioTask;
const send = (message: BacktestMessage): void => parentPort?.postMessage(message);

try {
  const strategy = await strategyOfTask(task);
  const report = (progress: number, step: string): void => send({ progress, step });
  send({ outcome: 'pairs' in task ? runPortfolio(strategy, task, report) : runTask(strategy, task, report) });
} catch (error) {
  send({ fault: errorText(error) });
}
