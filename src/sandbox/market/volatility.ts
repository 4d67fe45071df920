import { LeastRecent } from './least-recent.ts';
import { wave } from './noise.ts';

/** Periods in minutes and strengths of the changes of volatility. */
const bursts: readonly (readonly [period: number, strength: number])[] = [
  [11, 0.36],
  [53, 0.38],
  [240, 0.38],
  [1440, 0.36],
  [5 * 1440, 0.28],
  [24 * 1440, 0.22],
];

const blockLength = 1024; // minutes

/** How nervous the market is: one curve for all assets, for nervous hours are nervous for all. */
export class Volatility {
  readonly #seed: number;
  readonly #blocks = new LeastRecent<number, Float64Array>(512);
  #lastIndex = NaN; // the block asked for last is nearly always the next one asked for
  #last: Float64Array = new Float64Array(0);

  constructor(seed: number) {
    this.#seed = seed;
  }

  /**
   * The volatility around a minute as a factor with a mean square of about 1: changes slower than `length` minutes,
   * times the shape of the day (quiet at 4 h UTC, lively at 15 h).
   */
  at(minute: number, length: number): number {
    if (length > bursts[0]![0]) return this.#compute(minute, length);
    const whole = Math.floor(minute);
    const index = Math.floor(whole / blockLength);
    if (index !== this.#lastIndex) {
      this.#last = this.#blocks.get(index, () => this.#computeBlock(index));
      this.#lastIndex = index;
    }
    return this.#last[whole - index * blockLength]!;
  }

  #computeBlock(index: number): Float64Array {
    const block = new Float64Array(blockLength);
    for (let i = 0; i < blockLength; i++) block[i] = this.#compute(index * blockLength + i, 1);
    return block;
  }

  #compute(minute: number, length: number): number {
    let exponent = 0;
    for (const [period, strength] of bursts) {
      // The joined curve has about 0.74 of the variance of its knots.
      if (period >= length) exponent += strength * wave(this.#seed, 77, period, minute) - strength * strength * 0.74;
    }
    const dayShape = length > 360 ? 1 : 1 + 0.3 * Math.cos((minute / 1440 - 15 / 24) * 2 * Math.PI);
    return Math.exp(exponent) * dayShape;
  }
}
