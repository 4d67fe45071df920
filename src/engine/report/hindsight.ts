import type { BacktestResult } from '../backtest/backtest-result.ts';
import { dayMs } from '../market/durations.ts';
import type { TimedValue } from './backtest-summary.ts';
import { entryReport } from './entry-report.ts';
import { referenceMetrics } from './reference-metrics.ts';

/** How far back it goes. */
export const hindsightDays = 30;

/**
 * What settings would have done over the last days, in a line's worth of figures.
 *
 * Unit: money in stake currency, ratios as fractions
 */
export interface HindsightFigures {
  from: number;
  to: number; // end of the range
  startingBalance: number;
  profit: number; // of all trades, after fees and funding
  profitRatio: number; // of the starting balance
  trades: number;
  winRate: number;
  drawdownRatio: number; // the largest fall of the balance from its highest so far, as a fraction of that
  feeRatio: number; // of the value of each fill
  noTrades: string | null; // why there is not one
  stopped: string | null; // when and why entries ended for good
  pausedAt: number | null; // when a bot would have paused itself after its losses in a row; a backtest continues
  equity: TimedValue[]; // the balance at the start and after each day
}

/** The figures; or that candles are still on their way; or why there are no figures, a sentence; or that a newer question came. */
export type HindsightAnswer =
  | { state: 'done'; figures: HindsightFigures }
  | { state: 'downloading'; ready: number; pairs: number }
  | { state: 'unavailable'; why: string }
  | { state: 'overtaken' };

/** What a caller knows and the result does not. */
export interface HindsightRange {
  from: number;
  to: number;
  currency: string; // of the stake
  maxConsecutiveLosses: number; // that pause a bot; 0 is never
}

/** The figures of a backtest, by the same definitions as on the screen of backtests. */
export function hindsightFigures(result: BacktestResult, { from, to, currency, maxConsecutiveLosses }: HindsightRange): HindsightFigures {
  const { startingBalance, finalBalance, startTime, endTime, trades } = result;
  const metrics = referenceMetrics(trades, { startTime, endTime, startingBalance, finalBalance });
  const { noTrades, stopped } = entryReport(result, currency);
  return {
    from,
    to,
    startingBalance,
    profit: metrics.totalProfit,
    profitRatio: metrics.totalProfitRatio,
    trades: metrics.tradeCount,
    winRate: metrics.tradeCount === 0 ? 0 : trades.filter((trade) => (trade.profit ?? 0) > 0).length / metrics.tradeCount,
    drawdownRatio: metrics.relativeDrawdown,
    feeRatio: result.feeRatio,
    noTrades,
    stopped,
    pausedAt: firstPause(trades, maxConsecutiveLosses),
    equity: dailyEquity(result, from, to),
  };
}

/** When the losses in a row first reach the limit, counted as a bot counts them: a draw neither adds to them nor ends them. */
function firstPause(trades: BacktestResult['trades'], limit: number): number | null {
  let losses = 0;
  for (const { profit, closeTime } of trades) {
    if ((profit ?? 0) > 0) losses = 0;
    else if ((profit ?? 0) < 0) losses += 1;
    if (limit > 0 && losses >= limit) return closeTime;
  }
  return null;
}

/** The balance at the start and after each day; the last day may be short, and has what was closed at the very end. */
function dailyEquity({ trades, startingBalance }: BacktestResult, from: number, to: number): TimedValue[] {
  const days = Math.ceil((to - from) / dayMs);
  const gains = new Float64Array(days);
  for (const { closeTime, profit } of trades) {
    const day = Math.ceil(((closeTime ?? to) - from) / dayMs) - 1;
    const at = Math.min(days - 1, Math.max(0, day));
    gains[at] = (gains[at] ?? 0) + (profit ?? 0);
  }
  const points = [{ time: from, value: startingBalance }];
  let balance = startingBalance;
  gains.forEach((gain, day) => {
    balance += gain;
    points.push({ time: Math.min(to, from + (day + 1) * dayMs), value: balance });
  });
  return points;
}
