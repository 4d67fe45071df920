import type { CandleColumns } from '#engine/market/candle.ts';
import { sliceColumns } from '#engine/market/candle.ts';
import { fillGaps } from '#engine/market/fill-gaps.ts';
import { firstAtOrAfter } from '#engine/market/first-at-or-after.ts';
import type { Candle } from './chart-data.ts';

/** The candles of a range as the chart draws them, without gaps: the place of each is its row in a replay of that range. */
export function replayCandles(columns: CandleColumns, from: number, to: number, stepMs: number): Candle[] {
  const { openTime } = columns;
  const whole = fillGaps(sliceColumns(columns, firstAtOrAfter(openTime, from), firstAtOrAfter(openTime, to)), stepMs);
  const { open, high, low, close, volume } = whole;
  return Array.from(whole.openTime, (timestamp, i) => ({
    timestamp,
    open: open[i] ?? 0,
    high: high[i] ?? 0,
    low: low[i] ?? 0,
    close: close[i] ?? 0,
    volume: volume[i] ?? 0,
  }));
}
