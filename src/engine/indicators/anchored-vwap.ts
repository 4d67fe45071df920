import { typicalPrice, vwapColumns, type PricedVolume, type PricedVolumeColumns } from './vwap.ts';
import { WeightedMean, type VwapPoint } from './weighted-mean.ts';

/**
 * The volume-weighted average price of every row since an anchor, with its deviation.
 *
 * The anchor is a time in ms; the first candle that opens at or after it is the first to count. To count the candle
 * around a time, pass that candle's opening time.
 *
 * Source:  as `vwap`, without the reset at midnight
 * Warm-up: NaN before the anchor
 * Edges:   a candle without volume keeps the last value; NaN from the anchor to the first volume
 */
export function anchoredVwap(candles: PricedVolumeColumns, anchorTime: number): { [Column in keyof VwapPoint]: Float64Array } {
  const average = new AnchoredVwap(anchorTime);
  return vwapColumns(candles, (candle) => average.push(candle));
}

/** The anchored volume-weighted average price, candle by candle; equal to `anchoredVwap` bit for bit. */
export class AnchoredVwap {
  readonly #anchorTime: number;
  readonly #mean = new WeightedMean();

  constructor(anchorTime: number) {
    this.#anchorTime = anchorTime;
  }

  /** The row with this candle added for good. */
  push(candle: PricedVolume): VwapPoint {
    return this.#mean.push(typicalPrice(candle), this.#weightOf(candle));
  }

  /** The row as it would be with this candle; changes nothing. */
  peek(candle: PricedVolume): VwapPoint {
    return this.#mean.peek(typicalPrice(candle), this.#weightOf(candle));
  }

  #weightOf(candle: PricedVolume): number {
    return candle.openTime >= this.#anchorTime ? candle.volume : 0;
  }
}
