import type { CandleColumns } from '../market/candle.ts';
import { sliceColumns } from '../market/candle.ts';
import { fillGaps } from '../market/fill-gaps.ts';
import { timeframeLengths } from '../market/timeframe.ts';
import type { Timeframe } from '../market/timeframe.ts';
import { namesOfPairs, type OtherPairs, pairOf, startupOn } from '../strategy/series.ts';
import type { ParameterValues, Signals, Strategy } from '../strategy/strategy.ts';
import type { BacktestResult } from './backtest-result.ts';
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
  others?: OtherPairs; // candles of pairs that the strategy reads and that are not traded; may have gaps
};

/** The result with the signals and indicators it came from, pair by pair, and their candles; a chart draws them. */
export interface StrategyBacktestResult extends BacktestResult {
  computed: { symbol: string; candles: BacktestPair['candles']; signals: Signals; others: OtherPairs }[];
}

/**
 * Computes a strategy on candles and runs the result.
 *
 * Only what lies in the range, and the warm-up before it, is shown to the strategy. Fails: as `backtest`
 */
export function backtestStrategy(input: StrategyBacktestInput): StrategyBacktestResult {
  const { strategy, parameters, timeframe, detailTimeframe, others: _, ...rest } = input;
  const timeframeMs = timeframeLengths[timeframe];
  const detailTimeframeMs = detailTimeframe === undefined || detailTimeframe === null ? null : timeframeLengths[detailTimeframe];
  const startupCandles = startupOn(strategy, timeframe);
  const shown = candlesShown(input);
  const { others } = shown;
  const pairs = shown.pairs.map((pair): BacktestPair & { signals: Signals; others: OtherPairs } => {
    const read = others(pair.instrument.symbol);
    return { ...pair, signals: strategy.compute(pair.candles, parameters, read, pair.instrument.symbol), others: read };
  });
  const result = backtest({
    ...rest,
    timeframeMs,
    detailTimeframeMs,
    startupCandles,
    callbacks: strategy.callbacks ?? {},
    pairs,
  });
  return {
    ...result,
    computed: pairs.map(({ instrument, candles, signals, others: read }) => ({
      symbol: instrument.symbol,
      candles,
      signals,
      others: read,
    })),
  };
}

/** What a strategy is shown of the candles it is given: those in the range and the warm-up before it, without gaps. */
export interface ShownCandles {
  pairs: Omit<BacktestPair, 'signals'>[];
  others: (symbol: string) => OtherPairs; // what is read beside a pair
}

/** Cuts the candles of a backtest to what its strategy is shown. Fails: RangeError for a pair that is read and is not there */
export function candlesShown({
  strategy,
  timeframe,
  detailTimeframe = null,
  others: beside = {},
  range,
  pairs,
}: Pick<StrategyBacktestInput, 'timeframe' | 'detailTimeframe' | 'others' | 'range' | 'pairs'> & {
  strategy: Pick<Strategy, 'name' | 'series' | 'startupCandles'>;
}): ShownCandles {
  const timeframeMs = timeframeLengths[timeframe];
  const detailTimeframeMs = detailTimeframe === null ? null : timeframeLengths[detailTimeframe];
  const from = (range?.from ?? -Infinity) - startupOn(strategy, timeframe) * timeframeMs;
  const to = range?.to ?? Infinity;
  // The range is cut before gaps are filled, as the reference does: a gap at its beginning stays, and the pair starts later.
  const inRange = (candles: CandleColumns): CandleColumns => {
    const { openTime } = candles;
    return fillGaps(sliceColumns(candles, firstAtOrAfter(openTime, from), firstAtOrAfter(openTime, to + 1)), timeframeMs);
  };
  const whole = pairs.map((pair) => {
    const candles = inRange(pair.candles);
    const detail =
      pair.detail === undefined || pair.detail === null || detailTimeframeMs === null ? null : fillGaps(pair.detail, detailTimeframeMs);
    return { ...pair, candles, detail };
  });
  const others = otherPairsOf(strategy, whole, (symbol) => (Object.hasOwn(beside, symbol) ? inRange(beside[symbol]) : null));
  return { pairs: whole, others };
}

/** The candles of the other pairs that a strategy reads on a pair: those of the backtest, else those that are given besides. */
function otherPairsOf(
  strategy: Pick<Strategy, 'name' | 'series' | 'startupCandles'>,
  pairs: readonly Pick<BacktestPair, 'instrument' | 'candles'>[],
  besideOf: (symbol: string) => CandleColumns | null,
): (symbol: string) => OtherPairs {
  const known = new Map<string, CandleColumns | null>(pairs.map(({ instrument, candles }) => [instrument.symbol, candles]));
  const names = namesOfPairs(strategy);
  return (symbol) =>
    Object.fromEntries(
      names.map((name) => {
        const read = pairOf(name, symbol);
        const found = known.get(read) ?? besideOf(read);
        if (found === null) throw new RangeError(`${strategy.name} reads ${read}, which must be one of the pairs of the backtest.`);
        known.set(read, found);
        return [name, found];
      }),
    );
}
