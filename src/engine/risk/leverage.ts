import type { Instrument } from '../market/instrument.ts';

/**
 * The leverage the instrument allows for a stake: that of the tier whose stakes contain it; null when it is too large
 * for every tier. Without tiers it is the instrument's own limit; on spot it is 1.
 */
export function maxLeverageFor(instrument: Instrument, stake: number): number | null {
  if (instrument.marketType === 'spot') return 1;
  const tiers = instrument.leverageTiers;
  if (tiers.length === 0) return Math.max(1, instrument.maxLeverage);
  if (stake === 0) return tiers[0].maxLeverage;
  let previous: number | null = null;
  for (const tier of tiers) {
    const from = tier.minNotional / (previous ?? tier.maxLeverage);
    const to = tier.maxNotional / tier.maxLeverage;
    previous = tier.maxLeverage;
    if (from <= stake && stake <= to) return tier.maxLeverage;
  }
  return null;
}
