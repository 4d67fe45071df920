import type { BacktestResult } from './backtest-result.ts';
import type { BacktestInput } from './input.ts';
import { PreparedBacktest } from './prepared-backtest.ts';

/**
 * Runs settings and signals over candles.
 *
 * Fails: RangeError for candles or signals that cannot be trusted, for a quirk that cannot be switched off, and for a
 * range without candles
 */
export function backtest(input: BacktestInput): BacktestResult {
  return new PreparedBacktest(input).run(input.settings, input);
}
