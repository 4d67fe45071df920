import { checkedPeriod } from './period.ts';

/**
 * The highest of the last `period` values, value by value, at constant cost on average.
 *
 * Keeps only values that can still become the highest, falling, in a ring. The lowest of values is minus the highest of
 * their negatives, exactly.
 *
 * Edges: a NaN begins the window again
 */
export class WindowHighest {
  readonly #period: number;
  readonly #values: Float64Array; // candidates, falling from #head on
  readonly #numbers: Float64Array; // which value each candidate was, e.g. 17 for the eighteenth
  #head = 0;
  #size = 0; // candidates held
  #count = 0; // values seen

  constructor(period: number) {
    this.#period = checkedPeriod(period);
    this.#values = new Float64Array(period);
    this.#numbers = new Float64Array(period);
  }

  /** The highest with this value added for good; NaN for the first `period - 1` values. */
  push(value: number): number {
    if (Number.isNaN(value)) {
      this.#size = 0;
      this.#count = 0;
      return NaN;
    }
    if (this.#size > 0 && this.#numbers[this.#head] <= this.#count - this.#period) {
      this.#head = this.#next(this.#head);
      this.#size--;
    }
    while (this.#size > 0 && this.#values[this.#slot(this.#size - 1)] <= value) this.#size--;
    const slot = this.#slot(this.#size);
    this.#values[slot] = value;
    this.#numbers[slot] = this.#count;
    this.#size++;
    this.#count++;
    return this.#count < this.#period ? NaN : this.#values[this.#head];
  }

  /** The highest as it would be with this value; changes nothing. */
  peek(value: number): number {
    if (Number.isNaN(value) || this.#count < this.#period - 1) return NaN;
    const hasExpired = this.#size > 0 && this.#numbers[this.#head] <= this.#count - this.#period;
    if (this.#size - (hasExpired ? 1 : 0) === 0) return value;
    const highest = this.#values[hasExpired ? this.#next(this.#head) : this.#head];
    return highest > value ? highest : value;
  }

  #next(slot: number): number {
    return slot + 1 === this.#period ? 0 : slot + 1;
  }

  #slot(offset: number): number {
    const slot = this.#head + offset;
    return slot >= this.#period ? slot - this.#period : slot;
  }
}
