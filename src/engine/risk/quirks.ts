/**
 * What the reference's backtest does and a reader would not expect. All on is parity, except for what would only end the
 * run; each but Q10 can be switched off singly, for a more realistic run.
 */
export type Quirks = Readonly<Record<QuirkName, boolean>>;

/** The quirks by number. */
export type QuirkName =
  | 'Q1'
  | 'Q2'
  | 'Q3'
  | 'Q4'
  | 'Q5'
  | 'Q6'
  | 'Q7'
  | 'Q8'
  | 'Q9'
  | 'Q10'
  | 'Q11'
  | 'Q12'
  | 'Q13'
  | 'Q14'
  | 'Q15'
  | 'Q16'
  | 'Q17'
  | 'Q18'
  | 'Q19'
  | 'Q20'
  | 'Q21'
  | 'Q22'
  | 'Q23'
  | 'Q24'
  | 'Q25'
  | 'Q26'
  | 'Q27'
  | 'Q28'
  | 'Q29';

/**
 * A quirk in a sentence and, where a realistic run does the same, why, or why no run of ours has it; without either reason
 * it can be switched off.
 */
export interface Quirk {
  sentence: string;
  alwaysBecause?: string;
  neverBecause?: string;
}

/** All quirks. */
export const quirkTable: Readonly<Record<QuirkName, Quirk>> = {
  Q1: { sentence: 'Leverage comes only from a callback, where the strategy has one; the leverage field stands in for it.' },
  Q2: { sentence: 'A pair whose candles end early may enter on its own last candle.' },
  Q3: { sentence: 'The price tick is read off the candles, a month at a time.' },
  Q4: { sentence: 'A trade keeps the tick of its entry.' },
  Q5: { sentence: 'A reversal opens at the open although the old trade closed later in the candle.' },
  Q6: { sentence: 'A trade opens when its order is made, not when it fills.' },
  Q7: { sentence: 'A gap through a limit price does not fill the order.' },
  Q8: { sentence: 'The exit reason is that of the last candidate looked at.' },
  Q9: { sentence: 'A stop beyond the liquidation price wins over the liquidation, which is but an exit at its price.' },
  Q10: {
    sentence: 'The stop is not moved on a candle that touches it.',
    alwaysBecause:
      'a candle does not show which came first, its high or its low; the stop that stood before is the worse of the two, so a realistic run takes it too',
  },
  Q11: { sentence: 'The high moves the trailing stop before the low is tested.' },
  Q12: { sentence: 'Averaging turns a plain stop into a trailing one.' },
  Q13: { sentence: 'A candle that opens beyond the stop still exits at the stop.' },
  Q14: { sentence: 'A ROI that the whole candle beats exits at the worst price of the candle.' },
  Q15: { sentence: 'A ROI of -1 off a candle boundary exits at the worst price of the candle.' },
  Q16: { sentence: 'The minimum stake assumes a constant stop of 5 per cent.' },
  Q17: {
    sentence: 'Funding counts twice when a fill falls on a funding time, after an exit on what was held before it.',
  },
  Q18: { sentence: 'The maintenance tier is chosen by the stake.' },
  Q19: { sentence: 'With detail candles a rejected signal is counted at every step.' },
  Q20: { sentence: 'With detail candles trades may open after the end.' },
  Q21: { sentence: 'A forced exit may fail to fill.' },
  Q22: { sentence: 'The stop is rounded from a double with its noise.' },
  Q23: {
    sentence:
      'A partial exit, and a further entry even before it fills, set the stop again at its last distance, now from the average, if that is tighter; it then counts as trailing.',
  },
  Q24: { sentence: 'A partial exit of more than is held is settled in full.' },
  Q25: { sentence: 'The smallest and the largest cost of an order are multiplied by the contract size.' },
  Q26: {
    sentence:
      'A partial exit, and a further entry even before it fills, leave the funding since the last fill out until the next funding time.',
  },
  Q27: { sentence: 'Free money is not counted again after an entry order is replaced at another price and fills.' },
  Q28: { sentence: 'Detail candles are taken by their number: where they begin inside a candle, they are moved to its start.' },
  Q29: {
    sentence: 'A stake above the last leverage tier ends the run with an error.',
    neverBecause: 'a run that ends shows nothing; there is no trade, and the run continues',
  },
};

/** All quirks on: the same trades as the reference. */
export const parityQuirks: Quirks = Object.fromEntries(
  Object.entries(quirkTable).map(([name, { neverBecause }]) => [name, neverBecause === undefined]),
) as Record<QuirkName, boolean>;

/** The quirks that can be switched off. */
export const switchableQuirks: readonly QuirkName[] = (Object.keys(quirkTable) as QuirkName[]).filter((name) => whyFixed(name) === null);

/** Why a quirk cannot be switched off, as a sentence; null when it can. */
export function whyFixed(name: QuirkName): string | null {
  const { alwaysBecause, neverBecause } = quirkTable[name];
  if (neverBecause !== undefined) return `${name} is off in every run: ${neverBecause}.`;
  return alwaysBecause === undefined ? null : `${name} cannot be switched off: ${alwaysBecause}.`;
}

/** Parity except for the given quirks. Fails: RangeError naming a quirk that cannot be switched off. */
export function withoutQuirks(names: readonly QuirkName[]): Quirks {
  for (const name of names) {
    if (!Object.hasOwn(quirkTable, name)) throw new RangeError(`There is no quirk ${name}; they are Q1 to Q29.`);
    const reason = whyFixed(name);
    if (reason !== null) throw new RangeError(reason);
  }
  return { ...parityQuirks, ...Object.fromEntries(names.map((name) => [name, false])) };
}
