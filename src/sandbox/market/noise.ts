/**
 * Chance without memory: the same four numbers always give the same random 32 bits.
 *
 * Source: the finaliser of MurmurHash3, applied after each word
 */
export function hash(seed: number, key: number, level: number, index: number): number {
  let h = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b);
  h = Math.imul((h ^ (h >>> 15)) + key, 0xc2b2ae35);
  h = Math.imul((h ^ (h >>> 13)) + level, 0x27d4eb2f);
  h = Math.imul((h ^ (h >>> 16)) + index, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** A number above 0 and below 1. */
export function uniform(seed: number, key: number, level: number, index: number): number {
  return (hash(seed, key, level, index) + 0.5) / 4_294_967_296;
}

/** A number with mean 0 and standard deviation 1, normally distributed. */
export function normal(seed: number, key: number, level: number, index: number): number {
  return normalOf(hash(seed, key, level, index));
}

/** The normally distributed number that belongs to 32 random bits; only their upper half counts. */
export function normalOf(bits: number): number {
  return quantiles[bits >>> 16]!;
}

/**
 * A smooth random curve: random values at whole multiples of `period`, joined by smooth steps.
 *
 * Unit: about -2 to 2, mean 0; `time` and `period` in the same unit
 */
export function wave(seed: number, key: number, period: number, time: number): number {
  const place = time / period;
  const index = Math.floor(place);
  const x = place - index;
  const left = normal(seed, key, period, index);
  const right = normal(seed, key, period, index + 1);
  return left + (right - left) * x * x * (3 - 2 * x);
}

/** A name as a number that can key the chance. */
export function nameKey(name: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) h = Math.imul(h ^ name.charCodeAt(i), 0x01000193);
  return h >>> 0;
}

/** The normal distribution cut into 65,536 equally likely values: a look-up is faster than logarithm and cosine. */
const quantiles = Float64Array.from({ length: 65_536 }, (_, i) => normalQuantile((i + 0.5) / 65_536));

/**
 * The value below which a normally distributed number falls with probability `p`.
 *
 * Source: Peter Acklam's rational approximation, relative error below 1.2e-9
 */
function normalQuantile(p: number): number {
  const a = [-39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716, 2.506628277459239];
  const b = [-54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572, 1];
  const c = [-0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968, 2.938163982698783];
  const d = [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416, 1];
  if (p > 0.5) return -normalQuantile(1 - p);
  if (p < 0.02425) {
    const q = Math.sqrt(-2 * Math.log(p));
    return polynomial(c, q) / polynomial(d, q);
  }
  const q = p - 0.5;
  return (polynomial(a, q * q) * q) / polynomial(b, q * q);
}

function polynomial(coefficients: readonly number[], x: number): number {
  return coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0);
}
