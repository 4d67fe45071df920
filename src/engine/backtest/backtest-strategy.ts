import { sliceColumns } from '../market/candle.ts';
import { fillGaps } from '../market/fill-gaps.ts';
import { timeframeLengths } from '../market/timeframe.ts';
import type { Timeframe } from '../market/timeframe.ts';
import type { ParameterValues, Signals, Strategy } from '../strategy/strategy.ts';
import type { BacktestResult } from './backtest.ts';
import { backtest } from './backtest.ts';
import { firstAtOrAfter } from '../market/first-at-or-after.ts';
import type { BacktestInput, BacktestPair } from './input.ts';

/** A backtest of a strategy: as `BacktestInput`, with the signals still to be computed. Candles may have gaps. */
export type StrategyBacktestInput = Omit<BacktestInput, 'pairs' | 'timeframeMs' | 'detailTimeframeMs' | 'startupCandles' | 'callbacks'> & {
  strategy: Strategy;
  parameters: ParameterValues;
  timeframe: Timeframe;
  detailTimeframe?: Timeframe | null;
  pairs: readonly Omit<BacktestPair, 'signals'>[];
};

/** The result with the signals and indicators it came from, pair by pair, and their candles; a chart draws them. */
export interface StrategyBacktestResult extends BacktestResult {
  computed: { symbol: string; candles: BacktestPair['candles']; signals: Signals }[];
}

/**
 * Computes a strategy on candles and runs the result.
 *
 * Only what lies in the range, and the warm-up before it, is shown to the strategy. Fails: as `backtest`
 */
export function backtestStrategy(input: StrategyBacktestInput): StrategyBacktestResult {
  const { strategy, parameters, timeframe, detailTimeframe, ...rest } = input;
  const timeframeMs = timeframeLengths[timeframe];
  const detailTimeframeMs = detailTimeframe === undefined || detailTimeframe === null ? null : timeframeLengths[detailTimeframe];
  const from = (input.range?.from ?? -Infinity) - strategy.startupCandles * timeframeMs;
  const to = input.range?.to ?? Infinity;
  const pairs = input.pairs.map((pair): BacktestPair & { signals: Signals } => {
    // The range is cut before gaps are filled, as the reference does: a gap at its beginning stays, and the pair starts later.
    const { openTime } = pair.candles;
    const candles = fillGaps(sliceColumns(pair.candles, firstAtOrAfter(openTime, from), firstAtOrAfter(openTime, to + 1)), timeframeMs);
    const detail =
      pair.detail === undefined || pair.detail === null || detailTimeframeMs === null ? null : fillGaps(pair.detail, detailTimeframeMs);
    return { ...pair, candles, detail, signals: strategy.compute(candles, parameters) };
  });
  const result = backtest({
    ...rest,
    timeframeMs,
    detailTimeframeMs,
    startupCandles: strategy.startupCandles,
    callbacks: strategy.callbacks ?? {},
    pairs,
  });
  return { ...result, computed: pairs.map(({ instrument, candles, signals }) => ({ symbol: instrument.symbol, candles, signals })) };
}
