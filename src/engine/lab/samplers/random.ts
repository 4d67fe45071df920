import { seededRandom } from '../../simulation/seeded-random.ts';
import { type Dimension, type Point, sizeOf } from '../dimension.ts';

/** Chance for one batch of a study: the same for the same seed and batch, whatever was drawn before. */
export function chanceOf(seed: number, batch: number): () => number {
  const mixed = Math.imul(seed ^ (seed >>> 16), 0x45d9f3b) ^ Math.imul(batch + 1, 0x9e3779b1);
  return seededRandom(mixed);
}

/** A point by chance. */
export function randomPoint(dimensions: readonly Dimension[], chance: () => number): Point {
  return dimensions.map((dimension) => Math.floor(chance() * sizeOf(dimension)));
}
