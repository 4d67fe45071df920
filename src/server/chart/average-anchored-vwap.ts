import { anchoredVwap } from '#engine/indicators/anchored-vwap.ts';
import type { Candle } from '#engine/market/candle.ts';
import { toColumns } from '#engine/market/candle.ts';

/** The line with the times at which it begins and at which it becomes another one; time in ms. */
export interface AverageAnchoredVwap {
  anchors: number[]; // earlier one first; one when both are the same candle, none without candles
  points: { timestamp: number; value: number }[];
}

/**
 * The mean of two anchored VWAPs, one from the candle with the highest high, one from that with the lowest low. From
 * the first anchor to the second there is only the first one.
 */
export function averageAnchoredVwap(candles: readonly Candle[]): AverageAnchoredVwap {
  if (candles.length === 0) return { anchors: [], points: [] };
  const columns = toColumns(candles);
  const places = [...new Set([indexOfMost(columns.high, 1), indexOfMost(columns.low, -1)])].sort((a, b) => a - b);
  const anchors = places.map((place) => columns.openTime[place] ?? 0);
  const lines = anchors.map((anchor) => anchoredVwap(columns, anchor).vwap);
  const points = candles.flatMap(({ openTime }, i) => {
    const values = lines.map((line) => line[i] ?? Number.NaN).filter(Number.isFinite);
    return values.length === 0 ? [] : [{ timestamp: openTime, value: values.reduce((sum, value) => sum + value, 0) / values.length }];
  });
  return { anchors, points };
}

function indexOfMost(values: Float64Array, sign: 1 | -1): number {
  let most = 0;
  for (let i = 1; i < values.length; i++) if (sign * (values[i] ?? 0) > sign * (values[most] ?? 0)) most = i;
  return most;
}
