import type { Candle, CandleColumns } from '../market/candle.ts';
import { WindowHighest } from './window-highest.ts';

/** One row of a Donchian channel. Unit: quote currency */
export interface DonchianPoint {
  upper: number; // highest high
  middle: number; // half way between
  lower: number; // lowest low
}

/**
 * The Donchian channel of every row: highest high and lowest low of the last `period` candles, the row's own included.
 *
 * Source:  R. Donchian; TA-Lib's MAX and MIN. A breakout compares a close with the row before.
 * Warm-up: NaN in the first `period - 1` rows; a row depends on exactly the last `period` candles
 * Edges:   flat prices give three equal lines
 */
export function donchian(candles: Pick<CandleColumns, 'high' | 'low'>, period: number): { [Column in keyof DonchianPoint]: Float64Array } {
  const channel = new Donchian(period);
  const { high, low } = candles;
  const { length } = high;
  const columns = { upper: new Float64Array(length), middle: new Float64Array(length), lower: new Float64Array(length) };
  const candle = { high: 0, low: 0 };
  for (let i = 0; i < length; i++) {
    candle.high = high[i];
    candle.low = low[i];
    const point = channel.push(candle);
    columns.upper[i] = point.upper;
    columns.middle[i] = point.middle;
    columns.lower[i] = point.lower;
  }
  return columns;
}

/** The Donchian channel, candle by candle; equal to `donchian` bit for bit. */
export class Donchian {
  readonly #highest: WindowHighest;
  readonly #lowest: WindowHighest; // of negated lows

  constructor(period: number) {
    this.#highest = new WindowHighest(period);
    this.#lowest = new WindowHighest(period);
  }

  /** The row with this candle added for good. */
  push(candle: Pick<Candle, 'high' | 'low'>): DonchianPoint {
    return toPoint(this.#highest.push(candle.high), -this.#lowest.push(-candle.low));
  }

  /** The row as it would be with this candle; changes nothing. */
  peek(candle: Pick<Candle, 'high' | 'low'>): DonchianPoint {
    return toPoint(this.#highest.peek(candle.high), -this.#lowest.peek(-candle.low));
  }
}

function toPoint(upper: number, lower: number): DonchianPoint {
  return { upper, middle: (upper + lower) / 2, lower };
}
