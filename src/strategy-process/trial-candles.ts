import type { CandleColumns } from '#engine/market/candle.ts';
import { candleColumns } from '#engine/market/candle.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';

const startTime = Date.UTC(2025, 0, 6);

/**
 * Candles to try a strategy on: they rise, fall, rest and jump, and are the same each time for a seed. No market had them.
 */
export function trialCandles(count: number, timeframe: Timeframe, firstSeed: number): CandleColumns {
  const candles = candleColumns(count);
  const lengthMs = timeframeLengths[timeframe];
  let seed = firstSeed;
  const random = (): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return seed / 0x7fffffff;
  };
  let price = 30_000;
  for (let i = 0; i < count; i++) {
    const trend = Math.sin(i / 300) * 0.0004; // half a day up, half a day down
    const unrest = 0.0006 + 0.0016 * Math.abs(Math.sin(i / 90)); // quiet hours and wild ones
    const open = price;
    const close = open * (1 + trend + (random() - 0.5) * unrest + (random() < 0.002 ? (random() - 0.5) * 0.03 : 0));
    candles.openTime[i] = startTime + i * lengthMs;
    candles.open[i] = open;
    candles.close[i] = close;
    candles.high[i] = Math.max(open, close) * (1 + random() * unrest);
    candles.low[i] = Math.min(open, close) * (1 - random() * unrest);
    candles.volume[i] = 5 + 40 * random() * (1 + unrest * 400);
    price = close;
  }
  return candles;
}
