import { LeastRecent } from './least-recent.ts';
import { hash, nameKey, normal, normalOf, wave } from './noise.ts';
import type { Volatility } from './volatility.ts';

/** Minutes in one block of a path: blocks are computed whole and kept for a while. */
export const blockMinutes = 1024;

const blockLevel = 10; // 2^10 = 1024
const anchorLevel = 17; // 2^17 minutes, about 91 days
const day = 1440; // minutes

/** How a path moves. */
export interface PathShape {
  dailyMove: number; // standard deviation of the logarithm of price over a day, e.g. 0.02
  wander: number; // standard deviation of the logarithm of price over years, e.g. 0.15
}

/**
 * A random path of the logarithm of a price, defined for every minute and computed without a past.
 *
 * Anchors every 91 days are random; between them the path is a Brownian bridge refined by midpoints, so any
 * minute needs only the midpoints above it. Its time runs as fast as the volatility says, which changes from
 * minutes to weeks and over the day (bursts, quiet hours, heavy tails). The trend factor makes hours go one way
 * in some weeks and back and forth in others.
 *
 * Source: Lévy's midpoint construction of Brownian motion, on a changed time
 */
export class PricePath {
  readonly #seed: number;
  readonly #key: number;
  readonly #shape: PathShape;
  readonly #volatility: Volatility;
  readonly #blocks = new LeastRecent<number, Float64Array>(256);

  constructor(seed: number, name: string, shape: PathShape, volatility: Volatility) {
    this.#seed = seed;
    this.#key = nameKey(name);
    this.#shape = shape;
    this.#volatility = volatility;
  }

  /** Logarithm of the price, relative to the base price, at the starts of the minutes of a block, and at its end. */
  block(index: number): Float64Array {
    return this.#blocks.get(index, () => this.#computeBlock(index));
  }

  #computeBlock(index: number): Float64Array {
    const values = new Float64Array(blockMinutes + 1);
    const busy = this.#busyTime(index);
    [values[0], values[blockMinutes]] = this.#blockEnds(index);
    const start = index * blockMinutes;
    for (let level = blockLevel; level >= 1; level--) {
      const length = 2 ** level;
      for (let i = 0; i < blockMinutes; i += length) {
        const half = i + length / 2;
        const halves = { left: busy[half]! - busy[i]!, right: busy[i + length]! - busy[half]! };
        values[half] = this.#middle(level, (start + i) / length, values[i]!, values[i + length]!, halves);
      }
    }
    return values;
  }

  /** How much has happened since the start of a block: the sum of squared volatility, minute by minute. */
  #busyTime(index: number): Float64Array {
    const busy = new Float64Array(blockMinutes + 1);
    for (let i = 0; i < blockMinutes; i++) busy[i + 1] = busy[i]! + this.#volatility.at(index * blockMinutes + i, 1) ** 2;
    return busy;
  }

  #blockEnds(index: number): [number, number] {
    let level = anchorLevel;
    let position = Math.floor(index / 2 ** (anchorLevel - blockLevel));
    let left = this.#anchor(position);
    let right = this.#anchor(position + 1);
    while (level > blockLevel) {
      const half = 2 ** (level - 1);
      const from = position * 2 * half;
      const middle = this.#middle(level, position, left, right, { left: this.#busyOf(from, half), right: this.#busyOf(from + half, half) });
      level -= 1;
      position *= 2;
      if (Math.floor(index / 2 ** (level - blockLevel)) === position) right = middle;
      else [left, position] = [middle, position + 1];
    }
    return [left, right];
  }

  /** As `#busyTime`, of a long interval, from a few samples of the slow changes. */
  #busyOf(from: number, length: number): number {
    const step = length / 8;
    let sum = 0;
    for (let i = 0; i < 8; i++) sum += step * this.#volatility.at(from + (i + 0.5) * step, step) ** 2;
    return sum;
  }

  #anchor(position: number): number {
    return this.#shape.wander * normal(this.#seed, this.#key, anchorLevel + 1, position);
  }

  /**
   * The value in the middle of an interval of 2^level minutes. The way between its ends is shared out by what happens in
   * the halves, so that a quiet hour after a storm is quiet and not a straight line.
   */
  #middle(level: number, position: number, start: number, end: number, busy: { left: number; right: number }): number {
    const both = busy.left + busy.right;
    const spread = (this.#shape.dailyMove / Math.sqrt(day)) * Math.sqrt((busy.left * busy.right) / both);
    const middle = (position + 0.5) * 2 ** level;
    const trend = level >= 6 && level <= 9 ? Math.exp(0.25 * wave(this.#seed, this.#key + 1, 2 * day, middle)) : 1;
    const chance = hash(this.#seed, this.#key, level, position);
    const tail = (chance & 127) < 2 ? 2.5 : 1;
    return start + ((end - start) * busy.left) / both + normalOf(chance) * spread * trend * tail;
  }
}
