import type { CandleColumns } from './candle.ts';
import { candleColumns } from './candle.ts';

/**
 * Candles as a backtest needs them: sorted by time, each time once (the first given is kept), and without gaps.
 *
 * A missing candle inside the range is filled with open = high = low = close = the close before it, and volume 0.
 * Nothing is added before the first or after the last. Columns that need nothing are returned as they are.
 */
export function fillGaps(candles: CandleColumns, timeframeMs: number): CandleColumns {
  const count = candles.openTime.length;
  let isComplete = true;
  for (let i = 1; i < count && isComplete; i++) isComplete = candles.openTime[i] - candles.openTime[i - 1] === timeframeMs;
  if (isComplete) return candles;

  const order = Array.from({ length: count }, (_, i) => i).sort((a, b) => candles.openTime[a] - candles.openTime[b]);
  const from = candles.openTime[order[0]];
  const to = candles.openTime[order[count - 1]];
  const filled = candleColumns(Math.floor((to - from) / timeframeMs) + 1);
  let at = 0;
  for (let i = 0; i < filled.openTime.length; i++) {
    const time = from + i * timeframeMs;
    filled.openTime[i] = time;
    while (at < count && candles.openTime[order[at]] < time) at++;
    if (at < count && candles.openTime[order[at]] === time) {
      const source = order[at];
      filled.open[i] = candles.open[source];
      filled.high[i] = candles.high[source];
      filled.low[i] = candles.low[source];
      filled.close[i] = candles.close[source];
      filled.volume[i] = candles.volume[source];
    } else {
      filled.open[i] = filled.high[i] = filled.low[i] = filled.close[i] = filled.close[i - 1];
    }
  }
  return filled;
}
