import { backtestStrategy } from '#engine/backtest/backtest-strategy.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import { errorText } from '#engine/ports/error-text.ts';
import { defaultParameters } from '#engine/strategy/strategy.ts';
import { parentPort, workerData } from 'node:worker_threads';
import { strategyOfClass } from '#strategies/built-in.ts';
import type { BacktestMessage, BacktestTask } from './backtest-task.ts';
import { summarise } from './summary.ts';

// A thread of its own: a backtest is pure work and must not hold up the heartbeat of its job.
const task = workerData as BacktestTask;
const tell = (message: BacktestMessage): void => parentPort?.postMessage(message);

try {
  const strategy = strategyOfClass(task.strategyClass);
  tell({ progress: 0, step: 'Calculating signals' });
  const result = backtestStrategy({
    strategy,
    parameters: defaultParameters(strategy),
    settings: task.settings,
    timeframe: task.timeframe,
    pairs: [{ instrument: task.instrument, candles: task.candles, funding: task.funding }],
    range: { from: task.from, to: task.to },
    onProgress: (progress) => tell({ progress, step: 'Running' }),
  });
  tell({ progress: 1, step: 'Preparing the result' });
  tell({
    outcome: summarise(result, {
      from: result.startTime,
      to: task.to,
      timeframe: task.timeframe,
      timeframeMs: timeframeLengths[task.timeframe],
      currency: task.instrument.quote,
    }),
  });
} catch (error) {
  tell({ fault: errorText(error) });
}
