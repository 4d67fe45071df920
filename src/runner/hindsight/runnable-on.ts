import type { Timeframe } from '#engine/market/timeframe.ts';
import type { OtherPairs } from '#engine/strategy/series.ts';
import type { StrategyCode } from '#storage/strategies/strategy-code.ts';
import { type KnownStrategy, knownOnCandles } from '#strategies/known-strategy.ts';
import { CannotRun } from '#strategies/strategy-of-rules.ts';
import { pythonOf } from '#strategy-process/python/python-facts.ts';
import type { HindsightPair } from './hindsight-task.ts';

/** What is known of a strategy on candles of a timeframe, or why it cannot be calculated on them. */
export function runnableOn(
  className: string,
  code: StrategyCode | null,
  timeframe: Timeframe,
): { strategy: KnownStrategy } | { why: string } {
  if (code !== null && pythonOf(code.description) !== null) return { why: 'Strategies in Python are not calculated here: run a backtest.' };
  try {
    return { strategy: knownOnCandles(className, code, timeframe) };
  } catch (error) {
    if (error instanceof CannotRun) return { why: error.message };
    throw error;
  }
}

/** The pairs that are traded, and the candles of those that the strategy only reads. */
export function apart(all: readonly HindsightPair[], traded: readonly string[]): { pairs: HindsightPair[]; others: OtherPairs } {
  const isTraded = ({ instrument }: HindsightPair): boolean => traded.includes(instrument.symbol);
  return {
    pairs: all.filter(isTraded),
    others: Object.fromEntries(all.filter((pair) => !isTraded(pair)).map(({ instrument, candles }) => [instrument.symbol, candles])),
  };
}
