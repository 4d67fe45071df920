import type { Candle, CandleColumns } from '#engine/market/candle.ts';
import { toColumns } from '#engine/market/candle.ts';
import { fillGaps } from '#engine/market/fill-gaps.ts';

/**
 * The columns that a strategy decides with: the `size` newest candles, the gaps among them filled, as a backtest has them. However long nothing
 * was traded, or the pair was not listed, there are as many rows: fewer would not be warmed up, and none of before counts in their place.
 */
export function windowColumns(closed: readonly Candle[], size: number, timeframeMs: number): CandleColumns {
  const from = (closed.at(-1)?.openTime ?? 0) - (size - 1) * timeframeMs;
  const first = closed.findIndex(({ openTime }) => openTime >= from);
  const candles = closed.slice(Math.max(0, first));
  const before = closed[first - 1];
  if (before !== undefined && candles[0]?.openTime !== from) {
    const { close } = before;
    candles.unshift({ openTime: from, open: close, high: close, low: close, close, volume: 0 });
  }
  return fillGaps(toColumns(candles), timeframeMs);
}
