import { checkedPeriod } from './period.ts';

/**
 * The exponential moving average of every row, with the factor 2 / (period + 1).
 *
 * Source:  TA-Lib, ta_EMA.c, default compatibility: the seed is the simple average of the first `period` values
 * Warm-up: NaN in the first `period - 1` rows; the seed weighs less than 0.1 % after about 3.5 x (period + 1) rows
 * Edges:   leading NaN are skipped; a NaN later makes all rows after it NaN
 */
export function ema(values: Float64Array, period: number): Float64Array {
  const average = new Ema(period);
  const column = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) column[i] = average.push(values[i]);
  return column;
}

/** The exponential moving average, value by value; equal to `ema` bit for bit. */
export class Ema {
  readonly #period: number;
  readonly #factor: number; // weight of the newest value, e.g. 2 / 21
  #count = 0; // values seen, no higher than the period
  #last = 0; // the average, or the total of the values while fewer than `period` were seen

  constructor(period: number) {
    this.#period = checkedPeriod(period);
    this.#factor = 2 / (period + 1);
  }

  /** The average with this value added for good. */
  push(value: number): number {
    if (this.#count === 0 && Number.isNaN(value)) return NaN;
    const average = this.peek(value);
    if (this.#count < this.#period) this.#count++;
    if (this.#count < this.#period) this.#last += value;
    else this.#last = average;
    return average;
  }

  /** The average as it would be with this value; changes nothing. */
  peek(value: number): number {
    if (this.#count >= this.#period) return (value - this.#last) * this.#factor + this.#last;
    return this.#count === this.#period - 1 ? (this.#last + value) / this.#period : NaN;
  }
}
