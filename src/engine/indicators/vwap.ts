import { dayMs } from '../market/durations.ts';
import type { Candle, CandleColumns } from '../market/candle.ts';
import { WeightedMean, type VwapPoint } from './weighted-mean.ts';

/** What a volume-weighted average price needs of a candle. */
export type PricedVolume = Pick<Candle, 'openTime' | 'high' | 'low' | 'close' | 'volume'>;

/** Columns of the same. */
export type PricedVolumeColumns = Pick<CandleColumns, keyof PricedVolume>;

/**
 * The volume-weighted average price of every row since midnight UTC, with its deviation.
 *
 * Source:  Σpv / Σv with p = (high + low + close) / 3; deviation √(Σv(p - vwap)² / Σv)
 * Warm-up: none; a row is whole only if the candles reach back to its midnight
 * Edges:   a candle without volume keeps the last value; NaN from midnight to the first volume; the deviation of one price is 0
 */
export function vwap(candles: PricedVolumeColumns): { [Column in keyof VwapPoint]: Float64Array } {
  const average = new Vwap();
  return vwapColumns(candles, (candle) => average.push(candle));
}

/** The volume-weighted average price since midnight UTC, candle by candle; equal to `vwap` bit for bit. */
export class Vwap {
  #mean = new WeightedMean();
  #day = NaN; // days since the epoch, e.g. 20182

  /** The row with this candle added for good. */
  push(candle: PricedVolume): VwapPoint {
    const day = dayOf(candle);
    if (day !== this.#day) {
      this.#day = day;
      this.#mean = new WeightedMean();
    }
    return this.#mean.push(typicalPrice(candle), candle.volume);
  }

  /** The row as it would be with this candle; changes nothing. */
  peek(candle: PricedVolume): VwapPoint {
    const mean = dayOf(candle) === this.#day ? this.#mean : new WeightedMean();
    return mean.peek(typicalPrice(candle), candle.volume);
  }
}

/** (high + low + close) / 3 */
export function typicalPrice(candle: Pick<Candle, 'high' | 'low' | 'close'>): number {
  return (candle.high + candle.low + candle.close) / 3;
}

/** The columns that `push` makes of candle after candle. */
export function vwapColumns(
  candles: PricedVolumeColumns,
  push: (candle: PricedVolume) => VwapPoint,
): { [Column in keyof VwapPoint]: Float64Array } {
  const { openTime, high, low, close, volume } = candles;
  const columns = { vwap: new Float64Array(close.length), deviation: new Float64Array(close.length) };
  const candle = { openTime: 0, high: 0, low: 0, close: 0, volume: 0 };
  for (let i = 0; i < close.length; i++) {
    candle.openTime = openTime[i];
    candle.high = high[i];
    candle.low = low[i];
    candle.close = close[i];
    candle.volume = volume[i];
    const point = push(candle);
    columns.vwap[i] = point.vwap;
    columns.deviation[i] = point.deviation;
  }
  return columns;
}

function dayOf(candle: PricedVolume): number {
  return Math.floor(candle.openTime / dayMs);
}
