import { type Dimension, type Point, sizeOf } from '../dimension.ts';

/** A point that was tried, with what came of it; less is better. */
export interface Tried {
  point: Point;
  loss: number;
}

/** How many points are drawn for each that is proposed. */
const draws = 24;

/** The part of the points that counts as good, and how many at most. */
const goodShare = 0.1;
const mostGood = 25;

/**
 * What was learned from the points tried so far: for each dimension how often good points have each value, and how often the others do.
 *
 * Source: J. Bergstra et al., "Algorithms for Hyper-Parameter Optimization" (2011), section 4: the tree-structured Parzen estimator, here with
 * a table for each dimension, as every dimension has a finite number of values
 */
export interface ParzenModel {
  sums: Float64Array[]; // of the densities of values in good points, up to each value; dimension by dimension
  scores: Float64Array[]; // how much more often good points have each value, as a logarithm
}

/** Learns from what was tried. Needs: at least two points */
export function parzenModel(dimensions: readonly Dimension[], tried: readonly Tried[]): ParzenModel {
  const sorted = tried.map((each, number) => ({ ...each, number })).sort((a, b) => a.loss - b.loss || a.number - b.number);
  const count = Math.min(Math.ceil(goodShare * sorted.length), mostGood);
  const good = sorted.slice(0, count);
  const other = sorted.slice(count);
  const densities = (points: readonly Tried[]): Float64Array[] =>
    dimensions.map((dimension, i) =>
      density(
        sizeOf(dimension),
        points.map(({ point }) => point[i]),
      ),
    );
  const [goods, others] = [densities(good), densities(other)];
  return {
    sums: goods.map(sumsOf),
    scores: goods.map((table, i) => table.map((each, at) => Math.log(each / others[i][at]))),
  };
}

/** A point that the model thinks promising: of several drawn as good points are, the one that other points are least like. */
export function promisingPoint({ sums, scores }: ParzenModel, chance: () => number): Point {
  let best: Point = [];
  let highest = -Infinity;
  for (let draw = 0; draw < draws; draw++) {
    const point = sums.map((table) => drawn(table, chance()));
    const score = point.reduce((sum, at, i) => sum + scores[i][at], 0);
    if (score > highest) [best, highest] = [point, score];
  }
  return best;
}

/** How often each of `size` values occurs, smoothed over its neighbours; each has a little, so that nothing is ruled out. */
function density(size: number, values: readonly number[]): Float64Array {
  const counts = new Float64Array(size);
  for (const value of values) counts[value] += 1;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  // Scott's rule, within limits: a width of nothing would never leave the points that were tried.
  const width = Math.min(Math.max(1.06 * Math.sqrt(variance) * values.length ** -0.2, size / 50, 0.3), size / 2);
  const reach = Math.min(size - 1, Math.ceil(4 * width));
  const kernel = Float64Array.from({ length: reach + 1 }, (_, distance) => Math.exp(-0.5 * (distance / width) ** 2));
  const table = new Float64Array(size).fill(1 / size);
  for (let value = 0; value < size; value++) {
    if (counts[value] === 0) continue;
    const from = Math.max(0, value - reach);
    const to = Math.min(size - 1, value + reach);
    let sum = 0;
    for (let at = from; at <= to; at++) sum += kernel[Math.abs(at - value)];
    const weight = counts[value] / sum;
    for (let at = from; at <= to; at++) table[at] += weight * kernel[Math.abs(at - value)];
  }
  for (let at = 0; at < size; at++) table[at] /= values.length + 1;
  return table;
}

function sumsOf(table: Float64Array): Float64Array {
  let sum = 0;
  return table.map((each) => (sum += each));
}

/** The first value at which the sums pass `share` of the whole. */
function drawn(sums: Float64Array, share: number): number {
  let [from, to] = [0, sums.length - 1];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (sums[middle] > share) to = middle;
    else from = middle + 1;
  }
  return from;
}
