import { type Dimension, sizeOf } from './dimension.ts';

/** How much of the differences between epochs comes with a dimension. */
export interface Importance {
  name: string;
  share: number; // of what all dimensions explain together; 0 to 1
}

/** Values side by side that are taken together. */
const mostBins = 10;

/**
 * What matters, the most important first: for each dimension the part of the variance of the losses' ranks that lies between the means of its
 * values (a correlation ratio, corrected for what as many values would explain by chance), as a share of the sum over all dimensions. Ranks,
 * because a few losses of bad epochs are often so large that they would be all there is to see. What two dimensions do only together shows
 * in neither.
 *
 * Shape:  epochs with a loss, each with a value number for each dimension; no shares where they explain nothing
 * Source: T. Kelley, "An Unbiased Correlation Ratio Measure" (1935): 1 - (variance within / (n - bins)) / (variance of all / (n - 1))
 */
export function importanceOf(
  dimensions: readonly Dimension[],
  epochs: readonly { point: readonly number[]; loss: number }[],
): Importance[] {
  const ranks = ranksOf(epochs.map(({ loss }) => loss));
  const explained = dimensions.map((dimension, i) =>
    explainedBy(
      ranks,
      epochs.map(({ point }) => point[i] ?? 0),
      sizeOf(dimension),
    ),
  );
  const sum = explained.reduce((total, part) => total + part, 0);
  return dimensions
    .map(({ name }, i) => ({ name, share: sum === 0 ? 0 : explained[i] / sum }))
    .sort(
      (a, b) =>
        b.share - a.share || dimensions.findIndex(({ name }) => name === a.name) - dimensions.findIndex(({ name }) => name === b.name),
    );
}

function explainedBy(ranks: Float64Array, values: readonly number[], size: number): number {
  const count = Math.min(size, mostBins);
  const sums = new Float64Array(count);
  const counts = new Float64Array(count);
  values.forEach((value, i) => {
    const bin = Math.min(count - 1, Math.floor((value * count) / size));
    sums[bin] += ranks[i];
    counts[bin] += 1;
  });
  const used = counts.filter((each) => each > 0).length;
  const n = ranks.length;
  if (used < 2 || n <= used) return 0;
  const mean = (n + 1) / 2;
  let all = 0;
  for (const rank of ranks) all += (rank - mean) ** 2;
  let between = 0;
  for (let bin = 0; bin < count; bin++) if (counts[bin] > 0) between += counts[bin] * (sums[bin] / counts[bin] - mean) ** 2;
  return all === 0 ? 0 : Math.max(0, 1 - (all - between) / (n - used) / (all / (n - 1)));
}

/** Ranks from 1 on; equal values share the mean of theirs. */
function ranksOf(values: readonly number[]): Float64Array {
  const order = values.map((_, i) => i).sort((a, b) => values[a] - values[b]);
  const ranks = new Float64Array(values.length);
  for (let from = 0; from < order.length;) {
    let to = from + 1;
    while (to < order.length && values[order[to]] === values[order[from]]) to += 1;
    for (let i = from; i < to; i++) ranks[order[i]] = (from + 1 + to) / 2;
    from = to;
  }
  return ranks;
}
