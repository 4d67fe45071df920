import type { CandleColumns } from '../market/candle.ts';

/**
 * Where trading begins: the start of the range, or as many candles after the first one as the strategy warms up, where
 * the range has no start or no candles before it. Detail candles and funding begin here.
 *
 * Source: freqtrade 2026.9, `TimeRange.adjust_start_if_necessary`
 *
 * Needs: at least one candle of any pair
 */
export function tradingStart(from: number | null, pairs: readonly CandleColumns[], startupCandles: number, timeframeMs: number): number {
  const loadedFrom = (from ?? -Infinity) - startupCandles * timeframeMs;
  let first = Infinity;
  for (const { openTime } of pairs) first = Math.min(first, openTime.find((time) => time >= loadedFrom) ?? Infinity);
  const isMoved = from === null || (startupCandles > 0 && first >= from);
  return isMoved ? first + startupCandles * timeframeMs : from;
}
