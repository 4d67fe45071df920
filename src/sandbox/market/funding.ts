import { hourMs } from '#engine/market/durations.ts';
import type { Pair } from './listings.ts';
import { nameKey, normal, wave } from './noise.ts';

/** Time between two payments of funding: at 0, 8 and 16 h UTC. */
export const fundingMs = 8 * hourMs;

/**
 * The rate that is paid in a perpetual at a funding time, for any time and computed without a past: around 0.01 %,
 * positive (longs pay) more often than negative, and like that of yesterday more often than not.
 *
 * Unit: fraction of the position's value, eight decimals
 */
export function fundingRate(seed: number, pair: Pair, time: number): number {
  const payment = time / fundingMs;
  const key = nameKey(`${pair.id} funding`);
  const mood = 0.7 * wave(seed, nameKey('funding of all'), 12, payment) + 0.4 * wave(seed, key, 5, payment);
  return Number((0.000_06 + 0.000_1 * mood + 0.000_03 * normal(seed, key, 30, payment)).toFixed(8));
}
