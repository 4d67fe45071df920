import type { BacktestResult } from '../backtest/backtest-result.ts';
import { dayMs } from '../market/durations.ts';
import { averageDurationMs, drawdownOf } from '../report/reference-metrics.ts';

/** What an epoch came to, in a line. Ratios are fractions. */
export interface EpochFigures {
  trades: number;
  wins: number;
  draws: number;
  losses: number;
  profit: number; // stake currency
  profitRatio: number; // of the starting balance
  meanProfitRatio: number; // of the stakes
  averageDurationMs: number;
  maxDrawdown: number; // stake currency
  maxDrawdownRatio: number; // of the balance it fell from
  finalBalance: number;
}

/** The figures of a run. */
export function epochFigures({ trades, startingBalance, finalBalance }: BacktestResult): EpochFigures {
  let [wins, losses, profit, ratios] = [0, 0, 0, 0];
  for (const trade of trades) {
    const ratio = trade.profitRatio ?? 0;
    if (ratio > 0) wins += 1;
    if (ratio < 0) losses += 1;
    profit += trade.profit ?? 0;
    ratios += ratio;
  }
  const { maxDrawdownAbs, accountDrawdown } = drawdownOf(trades, startingBalance);
  return {
    trades: trades.length,
    wins,
    draws: trades.length - wins - losses,
    losses,
    profit,
    profitRatio: profit / startingBalance,
    meanProfitRatio: trades.length === 0 ? 0 : ratios / trades.length,
    averageDurationMs: averageDurationMs(trades),
    maxDrawdown: maxDrawdownAbs,
    maxDrawdownRatio: accountDrawdown,
    finalBalance,
  };
}

/** What the trades closed on each day of a run (UTC) have made, as fractions of the starting balance. Days without a trade are 0. */
export function dailyProfits({ trades, startTime, endTime, startingBalance }: BacktestResult): Float64Array {
  const first = Math.floor(startTime / dayMs);
  const days = new Float64Array(Math.floor(endTime / dayMs) - first + 1);
  for (const { closeTime, profit } of trades) days[Math.floor((closeTime ?? endTime) / dayMs) - first] += (profit ?? 0) / startingBalance;
  return days;
}
