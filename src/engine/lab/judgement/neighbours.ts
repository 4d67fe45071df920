import { type Dimension, type Point, sizeOf } from '../dimension.ts';

/** A neighbour is so far away in one dimension, as a part of its values; one value at least. */
const distance = 0.05;

/** The points beside a point: in each dimension one below and one above, as far as there are any. */
export function neighboursOf(dimensions: readonly Dimension[], point: Point): Point[] {
  return dimensions.flatMap((dimension, i) => {
    const size = sizeOf(dimension);
    const away = Math.max(1, Math.round(size * distance));
    return [point[i] - away, point[i] + away]
      .filter((at) => at >= 0 && at < size)
      .map((at) => point.map((value, each) => (each === i ? at : value)));
  });
}
