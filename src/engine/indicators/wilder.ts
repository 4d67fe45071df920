import { checkedPeriod } from './period.ts';

/**
 * Wilder's smoothed average, value by value: the simple average of the first `period` values, from then on
 * (previous x (period - 1) + value) / period.
 *
 * Source:  J. W. Wilder, New Concepts in Technical Trading Systems (1978), as TA-Lib computes it in ta_RSI.c and ta_ATR.c
 * Warm-up: NaN for the first `period - 1` values; the seed weighs less than 0.1 % after about 7 x period values
 */
export class WilderAverage {
  readonly #period: number;
  #count = 0; // values seen, no higher than the period
  #last = 0; // the average, or the total of the values while fewer than `period` were seen

  constructor(period: number) {
    this.#period = checkedPeriod(period);
  }

  /** The average with this value added for good. */
  push(value: number): number {
    const average = this.peek(value);
    if (this.#count < this.#period) this.#count++;
    if (this.#count < this.#period) this.#last += value;
    else this.#last = average;
    return average;
  }

  /** The average as it would be with this value; changes nothing. */
  peek(value: number): number {
    if (this.#count >= this.#period) return (this.#last * (this.#period - 1) + value) / this.#period;
    return this.#count === this.#period - 1 ? (this.#last + value) / this.#period : NaN;
  }
}

/**
 * Wilder's smoothed sum, value by value: the plain sum of the first `period - 1` values, from then on
 * previous - previous / period + value.
 *
 * Source:  TA-Lib, ta_ADX.c and ta_PLUS_DI.c
 * Warm-up: NaN for the first `period - 1` values
 */
export class WilderSum {
  readonly #period: number;
  #count = 0; // values seen, no higher than `period - 1`
  #total = 0;

  constructor(period: number) {
    this.#period = checkedPeriod(period);
  }

  /** The sum with this value added for good. */
  push(value: number): number {
    if (this.#count < this.#period - 1) {
      this.#count++;
      this.#total += value;
      return NaN;
    }
    this.#total = this.peek(value);
    return this.#total;
  }

  /** The sum as it would be with this value; changes nothing. */
  peek(value: number): number {
    return this.#count < this.#period - 1 ? NaN : this.#total - this.#total / this.#period + value;
  }
}
