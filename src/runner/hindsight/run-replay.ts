import type { ReplayedPair } from '#engine/backtest/replay-entry.ts';
import { replayEntry } from '#engine/backtest/replay-entry.ts';
import { lookAheadSentence, quickLookAhead } from '#engine/backtest/quick-look-ahead.ts';
import { fillGaps } from '#engine/market/fill-gaps.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import type { RefusedReplay, ReplayedEntry } from '#engine/report/refused-replay.ts';
import { sumsOfReplay } from '#engine/report/refused-replay.ts';
import { namesOfPairs, pairOf } from '#engine/strategy/series.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';
import type { HindsightPair } from './hindsight-task.ts';
import type { ReplayTask } from './replay-task.ts';

/**
 * Replays refused entries, each as a single trade by the rules of every backtest. The strategy is computed once for each pair.
 *
 * Fails: with one sentence when the strategy looks ahead, and as `backtest`
 */
export function runReplay(strategy: Strategy, task: ReplayTask): RefusedReplay {
  const { settings, parameters, timeframe, to } = task;
  const timeframeMs = timeframeLengths[timeframe];
  const candlesOf = new Map(
    [...task.pairs.map(({ instrument, candles }) => [instrument.symbol, candles] as const), ...Object.entries(task.others)].map(
      ([symbol, candles]) => [symbol, fillGaps(candles, timeframeMs)] as const,
    ),
  );
  const computed = (pair: HindsightPair): ReplayedPair => {
    const others = Object.fromEntries(
      namesOfPairs(strategy).flatMap((name) => {
        const candles = candlesOf.get(pairOf(name, pair.instrument.symbol));
        return candles === undefined ? [] : [[name, candles] as const];
      }),
    );
    const candles = fillGaps(pair.candles, timeframeMs);
    const signals = strategy.compute(candles, parameters, others);
    const ahead = quickLookAhead(strategy, parameters, candles, signals, others);
    if (ahead !== null) throw new Error(lookAheadSentence(strategy.name, pair.instrument.symbol, candles, ahead));
    return { ...pair, candles, signals };
  };
  const pairs = new Map(task.pairs.map((pair) => [pair.instrument.symbol, computed(pair)]));
  const terms = { settings, timeframeMs, startupCandles: strategy.startupCandles, callbacks: strategy.callbacks ?? {} };
  const entries = task.entries.flatMap((entry): ReplayedEntry[] => {
    const pair = pairs.get(entry.symbol);
    if (pair === undefined) return [];
    const { candleTime, symbol, direction } = entry;
    return [{ candleTime, symbol, direction, currency: pair.instrument.quote, ...replayEntry(pair, terms, entry) }];
  });
  return { until: to, entries, sums: sumsOfReplay(entries) };
}
