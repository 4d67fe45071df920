import type { Instrument, LeverageTier } from './instrument.ts';

/** An instrument that survives JSON, which has no Infinity: null stands for no limit. */
export type KeptInstrument = Omit<Instrument, 'maxAmount' | 'maxCost' | 'leverageTiers'> & {
  maxAmount: number | null;
  maxCost: number | null;
  leverageTiers: readonly (Omit<LeverageTier, 'maxNotional'> & { maxNotional: number | null })[];
};

/** An instrument as it is kept. */
export function toKeptInstrument(instrument: Instrument): KeptInstrument {
  const { maxAmount, maxCost, leverageTiers } = instrument;
  return {
    ...instrument,
    maxAmount: orNull(maxAmount),
    maxCost: orNull(maxCost),
    leverageTiers: leverageTiers.map((tier) => ({ ...tier, maxNotional: orNull(tier.maxNotional) })),
  };
}

/** The instrument that was kept. */
export function fromKeptInstrument(kept: KeptInstrument): Instrument {
  const { maxAmount, maxCost, leverageTiers } = kept;
  return {
    ...kept,
    maxAmount: maxAmount ?? Infinity,
    maxCost: maxCost ?? Infinity,
    leverageTiers: leverageTiers.map((tier) => ({ ...tier, maxNotional: tier.maxNotional ?? Infinity })),
  };
}

function orNull(limit: number): number | null {
  return limit === Infinity ? null : limit;
}
