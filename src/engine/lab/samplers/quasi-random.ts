import { seededRandom } from '../../simulation/seeded-random.ts';
import { type Dimension, type Point, sizeOf } from '../dimension.ts';

/**
 * The point with this number of a sequence that fills a space evenly: each dimension continues by its own irrational stride. The seed says
 * where it begins.
 *
 * Source: M. Roberts, "The Unreasonable Effectiveness of Quasirandom Sequences" (2018), the sequence R_d
 */
export function quasiRandomPoint(dimensions: readonly Dimension[], seed: number, number: number): Point {
  const begin = seededRandom(seed);
  const ratio = generalisedGoldenRatio(dimensions.length);
  return dimensions.map((dimension, i) => {
    const at = (begin() + (number + 1) * ratio ** -(i + 1)) % 1;
    return Math.floor(at * sizeOf(dimension));
  });
}

/** The root above 1 of x^(d + 1) = x + 1: 1.618... for one dimension. */
export function generalisedGoldenRatio(dimensions: number): number {
  let x = 2;
  for (let i = 0; i < 64; i++) x = (1 + x) ** (1 / (dimensions + 1));
  return x;
}
