/** How two samples differ. */
export interface RankTest {
  medians: [number, number];
  gap: number; // of the medians, in the unit of the samples
  p: number; // chance of ranks as different as these if both came from the same source
}

/**
 * The Mann-Whitney U test by its normal approximation, which is good from some twenty values on.
 *
 * Source: https://en.wikipedia.org/wiki/Mann%E2%80%93Whitney_U_test
 */
export function rankTest(one: readonly number[], two: readonly number[]): RankTest {
  const all = [...one.map((value) => ({ value, isOne: true })), ...two.map((value) => ({ value, isOne: false }))].sort(
    (a, b) => a.value - b.value,
  );
  const ranks = all.reduce((sum, { isOne }, i) => sum + (isOne ? i + 1 : 0), 0);
  const [n, m] = [one.length, two.length];
  const u = ranks - (n * (n + 1)) / 2;
  const z = (u - (n * m) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12);
  const medians: [number, number] = [median(one), median(two)];
  return { medians, gap: medians[0] - medians[1], p: 2 * upperTail(Math.abs(z)) };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** The chance of a standard normal value above z, by Abramowitz and Stegun 26.2.17; good to seven digits. */
function upperTail(z: number): number {
  const t = 1 / (1 + 0.2316419 * z);
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series;
}
