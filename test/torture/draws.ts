import { seededRandom } from '#engine/simulation/seeded-random.ts';

/** Chance that is the same for the same seed. */
export interface Draws {
  fraction: () => number; // from 0 to below 1
  whole: (from: number, to: number) => number; // both included
  happens: (chance: number) => boolean;
  oneOf: <T>(values: readonly T[]) => T;
}

/** Draws from a seed. */
export function drawsOf(seed: number): Draws {
  const fraction = seededRandom(Math.imul(seed, 0x9e3779b1));
  const whole = (from: number, to: number): number => from + Math.floor(fraction() * (to - from + 1));
  return { fraction, whole, happens: (chance) => fraction() < chance, oneOf: (values) => values[whole(0, values.length - 1)] };
}

/** A fraction that depends on a text alone: the answer of a callback must not depend on how often it is asked. */
export function fractionOf(text: string): number {
  let hash = 2_166_136_261;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16_777_619);
  return drawsOf(hash).fraction();
}
