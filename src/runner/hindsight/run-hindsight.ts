import { backtestStrategy } from '#engine/backtest/backtest-strategy.ts';
import { lookAheadSentence, quickLookAhead } from '#engine/backtest/quick-look-ahead.ts';
import type { HindsightFigures } from '#engine/report/hindsight.ts';
import { hindsightFigures } from '#engine/report/hindsight.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';
import type { HindsightTask } from './hindsight-task.ts';

/**
 * Calculates what settings would have done: a backtest of all pairs together, by the rules of every backtest.
 *
 * Fails: with one sentence when the strategy looks ahead, and as `backtest`
 */
export function runHindsight(strategy: Strategy, task: HindsightTask): HindsightFigures {
  const { settings, parameters, timeframe, pairs, others: beside, from, to } = task;
  const result = backtestStrategy({ strategy, parameters, settings, timeframe, pairs, others: beside, range: { from, to } });
  for (const { symbol, candles, signals, others } of result.computed) {
    const ahead = quickLookAhead(strategy, parameters, candles, signals, others);
    if (ahead !== null) throw new Error(lookAheadSentence(strategy.name, symbol, candles, ahead));
  }
  return hindsightFigures(result, {
    from,
    to,
    currency: pairs[0]?.instrument.quote ?? '',
    maxConsecutiveLosses: settings.maxConsecutiveLosses,
  });
}
