import { normalBelow, normalQuantile } from './normal.ts';

/** Euler's constant. */
const euler = 0.577_215_664_901_532_9;

/**
 * The Sharpe ratio that the best of so many tries is expected to show by luck alone, when none of them has any skill.
 *
 * Unit: as the variance, which is that of the Sharpe ratios of the tries; both for one period, or both for a year
 * Source: D. Bailey and M. López de Prado, "The Deflated Sharpe Ratio", Journal of Portfolio Management 40 (2014), equation 1
 */
export function luckiestSharpe(tries: number, variance: number): number {
  if (tries < 2) return 0;
  const highest = (1 - euler) * normalQuantile(1 - 1 / tries) + euler * normalQuantile(1 - 1 / (tries * Math.E));
  return Math.sqrt(variance) * highest;
}

/**
 * How likely it is that a Sharpe ratio which was measured comes from more than `threshold`, given how long it was measured and how the
 * returns were distributed.
 *
 * Unit: Sharpe ratios for one period; `kurtosis` is 3 for a normal distribution
 * Source: the same, equation 2; with the luckiest of the tries as the threshold it is the deflated Sharpe ratio
 */
export function probabilityOfSkill(
  { sharpe, skewness, kurtosis, count }: { sharpe: number; skewness: number; kurtosis: number; count: number },
  threshold: number,
): number {
  const spread = Math.sqrt(Math.max(1 - skewness * sharpe + ((kurtosis - 1) / 4) * sharpe ** 2, 1e-12));
  return normalBelow(((sharpe - threshold) * Math.sqrt(Math.max(count - 1, 0))) / spread);
}
