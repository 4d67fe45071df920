import { errorText } from '#engine/ports/error-text.ts';
import { parentPort, workerData } from 'node:worker_threads';
import { tradableAtStart } from '#engine/account/wallet.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';
import type { Watched } from './watched.ts';
import { runInPython } from './run-in-python.ts';
import type { BacktestMessage, BacktestTask } from './backtest-task.ts';
import { strategyOfTask } from '../strategy-of-task.ts';
import type { PortfolioTask } from './portfolio-task.ts';
import { runPortfolio } from './run-portfolio.ts';
import { runTask } from './run-task.ts';

// A thread of its own: a backtest is pure work and must not hold up the heartbeat of its job.
const task = workerData as BacktestTask | PortfolioTask;
const send = (message: BacktestMessage): void => parentPort?.postMessage(message);

try {
  const report = (progress: number, step: string): void => send({ progress, step });
  const { code, python } = task;
  const run = (strategy: Strategy, watched?: Watched) =>
    'pairs' in task ? runPortfolio(strategy, task, report, watched) : runTask(strategy, task, report, watched);
  if (python === null) send({ outcome: run(await strategyOfTask(task)) });
  else if (code === null || 'document' in code) throw new Error('A strategy in Python has texts');
  else send(await runInPython(code, python, tradableAtStart(task.settings), run));
} catch (error) {
  send({ fault: errorText(error) });
}
