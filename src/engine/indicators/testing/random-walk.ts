import { candleColumns, type CandleColumns } from '../../market/candle.ts';
import { seededRandom } from '../../simulation/seeded-random.ts';

/** What a made-up market looks like. */
export interface RandomWalkSettings {
  length: number; // candles
  seed: number; // the same seed gives the same candles
  stepMs: number; // ms from candle to candle, e.g. 300_000
}

/**
 * Candles of a made-up market, the same every time: for tests and measurements, never for trading.
 *
 * The price starts at 100 and moves by up to 0.5 % per candle; each close is the next open.
 */
export function randomWalk({ length, seed, stepMs }: RandomWalkSettings): CandleColumns {
  const candles = candleColumns(length);
  const chance = seededRandom(seed);
  let price = 100;
  for (let i = 0; i < length; i++) {
    candles.openTime[i] = 1_704_067_200_000 + i * stepMs; // from 2024-01-01 00:00 UTC
    candles.open[i] = price;
    price *= 1 + (chance() - 0.5) * 0.01;
    candles.close[i] = price;
    candles.high[i] = Math.max(price, candles.open[i]) * (1 + chance() * 0.002);
    candles.low[i] = Math.min(price, candles.open[i]) * (1 - chance() * 0.002);
    candles.volume[i] = 1 + chance() * 99;
  }
  return candles;
}
