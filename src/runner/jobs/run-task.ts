import { backtestStrategy } from '#engine/backtest/backtest-strategy.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import { refuseLookAhead } from './refuse-look-ahead.ts';
import type { Watched } from './watched.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';
import type { BacktestDetails } from '#engine/report/backtest-summary.ts';
import type { BacktestOutcome } from '#storage/backtests/backtests.ts';
import type { BacktestTask } from './backtest-task.ts';
import { summarise } from './summary.ts';

/**
 * Runs a backtest and prepares what the screen draws.
 *
 * Fails: with one sentence when the strategy looks ahead, and as `backtest`
 */
export function runTask(
  strategy: Strategy,
  task: BacktestTask,
  report: (progress: number, step: string) => void,
  watched: Watched = {},
): BacktestOutcome<BacktestDetails> {
  const { parameters } = task;
  report(0, 'Calculating signals');
  const result = backtestStrategy({
    strategy,
    parameters,
    settings: task.settings,
    timeframe: task.timeframe,
    pairs: [{ instrument: task.instrument, candles: task.candles, funding: task.funding }],
    others: task.others,
    ...watched,
    range: { from: task.from, to: task.to },
    onProgress: (progress) => report(progress, 'Running'),
  });
  // One in Python was searched when it came into the catalogue: it may keep what it was asked last.
  if (task.python === null) refuseLookAhead(strategy, parameters, result);
  report(1, 'Preparing the result');
  return summarise(result, {
    from: result.startTime,
    to: task.to,
    timeframe: task.timeframe,
    timeframeMs: timeframeLengths[task.timeframe],
    currency: task.instrument.quote,
  });
}
