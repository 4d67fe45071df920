import { backtestStrategy } from '#engine/backtest/backtest-strategy.ts';
import type { PortfolioDetails } from '#engine/report/portfolio-summary.ts';
import { mostRefusedSignals, portfolioSummary } from '#engine/report/portfolio-summary.ts';
import { refuseLookAhead } from './refuse-look-ahead.ts';
import type { Watched } from './watched.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';
import type { BacktestOutcome } from '#storage/backtests/backtests.ts';
import type { PortfolioTask } from './portfolio-task.ts';

/**
 * Runs a backtest over several pairs and prepares what the screen draws.
 *
 * Fails: with one sentence when the strategy looks ahead, and as `backtest`
 */
export function runPortfolio(
  strategy: Strategy,
  task: PortfolioTask,
  report: (progress: number, step: string) => void,
  watched: Watched = {},
): BacktestOutcome<PortfolioDetails> {
  const { parameters, pairs } = task;
  report(0, 'Calculating signals');
  const result = backtestStrategy({
    strategy,
    parameters,
    settings: task.settings,
    timeframe: task.timeframe,
    detailTimeframe: task.detailTimeframe,
    pairs,
    others: task.others,
    ...watched,
    range: { from: task.from, to: task.to - 1 },
    mostRefusedListed: mostRefusedSignals,
    onProgress: (progress) => report(progress, 'Running'),
  });
  // One in Python was searched when it came into the catalogue: it may keep what it was asked last.
  if (task.python === null) refuseLookAhead(strategy, parameters, result);
  report(1, 'Preparing the result');
  const details = portfolioSummary(result, {
    to: task.to,
    currency: pairs[0]?.instrument.quote ?? '',
    candles: result.computed,
    withoutCandles: task.withoutCandles,
    slippageShare: task.slippageShare,
  });
  const { total } = details;
  return {
    metrics: { total_trades: total.trades, win_rate: total.trades === 0 ? 0 : total.wins / total.trades, net_pnl: total.pnl },
    equity: details.equity,
    result: details,
  };
}
