import type { DailyBalance } from '../backtest/balance-curve.ts';
import { sharpeOf } from './performance.ts';

/**
 * Figures of a backtest from the value of its wallet ("daily equity"): closer to what investors expect than the figures
 * per trade. Null where it cannot be said.
 */
export interface DailyEquityMetrics {
  sharpe: number | null;
  sortino: number | null;
  calmar: number | null;
  maxDrawdownRatio: number; // between any two candles
  maxDrawdownAbs: number;
}

/** The figures of a balance curve that began with `startingBalance`. */
export function dailyEquityMetrics(balance: DailyBalance, startingBalance: number): DailyEquityMetrics {
  const values = balance.days.map((day) => day.balance);
  const returns = values.slice(1).map((value, i) => (values[i] > 0 ? value / values[i] - 1 : 0));
  const falls = returns.filter((value) => value < 0);
  const mean = returns.length === 0 ? 0 : returns.reduce((sum, value) => sum + value, 0) / returns.length;
  const fallDeviation = deviationOf(falls);
  const final = values.at(-1) ?? startingBalance;
  const perDay = (final - startingBalance) / startingBalance / balance.elapsedDays;
  const { maxDrawdownRatio, maxDrawdownAbs, accountDrawdown } = balance;
  return {
    sharpe: sharpeOf(returns),
    sortino: fallDeviation > 0 ? (mean / fallDeviation) * Math.sqrt(365) : null,
    calmar: accountDrawdown > 0 ? ((perDay * 100) / accountDrawdown) * Math.sqrt(365) : null,
    maxDrawdownRatio,
    maxDrawdownAbs,
  };
}

function deviationOf(values: readonly number[]): number {
  if (values.length === 0) return 0;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}
