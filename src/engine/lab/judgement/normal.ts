/**
 * How likely a standard normal number is below `x`.
 *
 * Source: G. Marsaglia, "Evaluating the Normal Distribution" (2004), the series around 0
 */
export function normalBelow(x: number): number {
  if (Math.abs(x) > 8) return x > 0 ? 1 : 0;
  let term = x;
  let sum = x;
  for (let k = 3; sum + term !== sum; k += 2) {
    term *= (x * x) / k;
    sum += term;
  }
  return 0.5 + sum * (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI));
}

/** The number below which a standard normal one is with this probability. Needs: a probability above 0 and below 1 */
export function normalQuantile(probability: number): number {
  let [low, high] = [-8, 8];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (normalBelow(middle) < probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
