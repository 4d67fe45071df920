import type { CandleColumns } from '#engine/market/candle.ts';
import { candleColumns, sliceColumns } from '#engine/market/candle.ts';
import { openTimeBefore } from '#engine/market/timeframe.ts';

/**
 * Larger candles from smaller ones: groups that begin on a boundary of the larger timeframe, complete ones only.
 *
 * Needs: candles sorted by time, each time once; gaps may be there
 */
export function buildTimeframe(candles: CandleColumns, smallMs: number, largeMs: number): CandleColumns {
  const size = largeMs / smallMs;
  const { openTime, open, high, low, close, volume } = candles;
  const built = candleColumns(Math.floor(openTime.length / size));
  let count = 0;
  for (let i = 0; i + size <= openTime.length;) {
    const start = openTimeBefore(largeMs, openTime[i]!);
    // A complete group: it begins on the boundary, and `size` candles later the next group's first would stand.
    const isComplete = openTime[i] === start && openTime[i + size - 1] === start + largeMs - smallMs;
    if (!isComplete) {
      i++;
      continue;
    }
    let [top, bottom, sum] = [high[i]!, low[i]!, 0];
    for (let k = i; k < i + size; k++) {
      top = Math.max(top, high[k]!);
      bottom = Math.min(bottom, low[k]!);
      sum += volume[k]!;
    }
    built.openTime[count] = start;
    built.open[count] = open[i]!;
    built.high[count] = top;
    built.low[count] = bottom;
    built.close[count] = close[i + size - 1]!;
    built.volume[count] = sum;
    count++;
    i += size;
  }
  return sliceColumns(built, 0, count);
}
