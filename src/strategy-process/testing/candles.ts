import type { CandleColumns } from '#engine/market/candle.ts';
import { candleColumns } from '#engine/market/candle.ts';

/** Candles of five minutes whose price swings around 100. */
export function swingingCandles(count: number): CandleColumns {
  const candles = candleColumns(count);
  for (let i = 0; i < count; i++) {
    const close = 100 + 10 * Math.sin(i / 7) + Math.sin(i * 1.7);
    candles.openTime[i] = 1_743_724_800_000 + i * 300_000;
    candles.open[i] = close - 0.1;
    candles.high[i] = close + 0.5;
    candles.low[i] = close - 0.5;
    candles.close[i] = close;
    candles.volume[i] = 1 + (i % 5);
  }
  return candles;
}
