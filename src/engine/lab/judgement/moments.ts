/** What a row of returns is like. */
export interface Moments {
  count: number;
  mean: number;
  deviation: number; // of the population
  sharpe: number; // mean / deviation, for one period; 0 without a deviation
  skewness: number; // 0 without a deviation
  kurtosis: number; // 3 of a normal distribution, and without a deviation
}

/** The moments of returns. */
export function momentsOf(returns: ArrayLike<number>): Moments {
  const count = returns.length;
  let mean = 0;
  for (let i = 0; i < count; i++) mean += returns[i] / count;
  let [second, third, fourth] = [0, 0, 0];
  for (let i = 0; i < count; i++) {
    const square = (returns[i] - mean) ** 2;
    second += square / count;
    third += (square * (returns[i] - mean)) / count;
    fourth += (square * square) / count;
  }
  const deviation = Math.sqrt(second);
  if (!(deviation > 1e-15)) return { count, mean, deviation: 0, sharpe: 0, skewness: 0, kurtosis: 3 };
  return { count, mean, deviation, sharpe: mean / deviation, skewness: third / deviation ** 3, kurtosis: fourth / second ** 2 };
}

/** The middle value; of an even number the mean of the two in the middle. Needs: at least one value */
export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
