import { checkedPeriod } from './period.ts';

/**
 * The simple moving average of every row.
 *
 * Source:  TA-Lib, ta_SMA.c: a running total, divided by the period
 * Warm-up: NaN in the first `period - 1` rows
 * Edges:   leading NaN are skipped, so an average of another indicator's column works; a NaN later makes all rows after it NaN
 */
export function sma(values: Float64Array, period: number): Float64Array {
  const average = new Sma(period);
  const column = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) column[i] = average.push(values[i]);
  return column;
}

/** The simple moving average, value by value; equal to `sma` bit for bit. */
export class Sma {
  readonly #period: number;
  readonly #window: Float64Array; // the last `period` values, in a ring
  #at = 0; // where the next value goes
  #count = 0; // values seen, e.g. 3; no higher than the period
  #total = 0; // of the last `period - 1` values

  constructor(period: number) {
    this.#period = checkedPeriod(period);
    this.#window = new Float64Array(period);
  }

  /** The average with this value added for good. */
  push(value: number): number {
    if (this.#count === 0 && Number.isNaN(value)) return NaN;
    const average = this.peek(value);
    this.#total += value;
    this.#window[this.#at] = value;
    this.#at = this.#at + 1 === this.#period ? 0 : this.#at + 1;
    if (this.#count < this.#period) this.#count++;
    if (this.#count === this.#period) this.#total -= this.#window[this.#at];
    return average;
  }

  /** The average as it would be with this value; changes nothing. */
  peek(value: number): number {
    return this.#count < this.#period - 1 ? NaN : (this.#total + value) / this.#period;
  }
}
