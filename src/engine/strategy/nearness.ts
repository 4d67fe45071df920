import type { Direction } from '../market/direction.ts';

/** How far a candle was from an entry: what was measured, and where it would have had to be. */
export interface Nearness {
  direction: Direction;
  name: string; // for people, e.g. 'RSI'
  value: number;
  threshold: number;
  distance: number; // 0 at the threshold; to be compared among all candles of one strategy with the same parameters
}

/** The nearness of a reading on a scale of its own, such as an RSI. */
export function readingNear(direction: Direction, name: string, value: number, threshold: number): Nearness {
  return { direction, name, value, threshold, distance: Math.abs(value - threshold) };
}

/** The nearness of a price to a line: the distance is a fraction of the price, so that pairs can be compared. */
export function priceNear(direction: Direction, name: string, value: number, threshold: number): Nearness {
  return { direction, name, value, threshold, distance: Math.abs(value - threshold) / value };
}

/** The smallest distance among those that are known, or null. */
export function nearestOf(all: readonly Nearness[]): Nearness | null {
  let nearest: Nearness | null = null;
  for (const each of all) if (Number.isFinite(each.distance) && (nearest === null || each.distance < nearest.distance)) nearest = each;
  return nearest;
}
