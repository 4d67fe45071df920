import { LeastRecent } from './least-recent.ts';
import { hash, nameKey, normal, normalOf, wave } from './noise.ts';
import type { Volatility } from './volatility.ts';

/** Minutes in one block of a path: blocks are computed whole and kept for a while. */
export const blockMinutes = 1024;

const blockLevel = 10; // 2^10 = 1024
const anchorLevel = 17; // 2^17 minutes, about 91 days
const day = 1440;

/** How a path moves. */
export interface PathShape {
  dailyMove: number; // standard deviation of the logarithm of price over a day, e.g. 0.02
  wander: number; // standard deviation of the logarithm of price over years, e.g. 0.15
}

/**
 * A random path of the logarithm of a price, defined for every minute and computed without a past.
 *
 * Anchors every 91 days are random; between them the path is a Brownian bridge refined by midpoints, so any
 * minute needs only the midpoints above it. Each midpoint moves by the volatility that reigns there, which
 * changes from minutes to weeks and over the day (bursts, quiet hours, heavy tails), and by the trend factor,
 * which makes hours go one way in some weeks and back and forth in others.
 *
 * Source: Lévy's midpoint construction of Brownian motion
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
    [values[0], values[blockMinutes]] = this.#blockEnds(index);
    const start = index * blockMinutes;
    for (let level = blockLevel; level >= 1; level--) {
      const length = 2 ** level;
      for (let i = 0; i < blockMinutes; i += length) {
        const middle = (values[i]! + values[i + length]!) / 2;
        values[i + length / 2] = middle + this.#displacement(level, (start + i) / length);
      }
    }
    return values;
  }

  #blockEnds(index: number): [number, number] {
    let level = anchorLevel;
    let position = Math.floor(index / 2 ** (anchorLevel - blockLevel));
    let left = this.#anchor(position);
    let right = this.#anchor(position + 1);
    while (level > blockLevel) {
      const middle = (left + right) / 2 + this.#displacement(level, position);
      level -= 1;
      position *= 2;
      if (Math.floor(index / 2 ** (level - blockLevel)) === position) right = middle;
      else [left, position] = [middle, position + 1];
    }
    return [left, right];
  }

  #anchor(position: number): number {
    return this.#shape.wander * normal(this.#seed, this.#key, anchorLevel + 1, position);
  }

  /** How far the middle of an interval of 2^level minutes lies from the line between its ends. */
  #displacement(level: number, position: number): number {
    const length = 2 ** level;
    const middle = (position + 0.5) * length;
    const spread = (this.#shape.dailyMove / Math.sqrt(day)) * Math.sqrt(length) * 0.5;
    const trend = level >= 6 && level <= 9 ? Math.exp(0.3 * wave(this.#seed, this.#key + 1, 2 * day, middle)) : 1;
    const chance = hash(this.#seed, this.#key, level, position);
    const tail = (chance & 127) < 2 ? 2.5 : 1;
    return normalOf(chance) * spread * trend * tail * this.#volatility.at(middle, length);
  }
}
