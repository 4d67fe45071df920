import { type Dimension, type Point, sizeOf } from '../dimension.ts';

/** The point of a grid with this number, from 0 on; the last dimension turns fastest. */
export function gridPoint(dimensions: readonly Dimension[], number: number): Point {
  const point = dimensions.map(() => 0);
  let rest = number;
  for (let i = dimensions.length - 1; i >= 0; i--) {
    const size = sizeOf(dimensions[i]);
    point[i] = rest % size;
    rest = Math.floor(rest / size);
  }
  return point;
}
