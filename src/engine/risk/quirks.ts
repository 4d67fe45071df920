/**
 * What the reference's backtest does and a reader would not expect. All on is parity; each that is listed as switchable
 * can be switched off singly, for a more realistic run.
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
  | 'Q22';

/** Each quirk in a sentence, and whether it can be switched off. */
export const quirkTable: Readonly<Record<QuirkName, { sentence: string; isSwitchable: boolean }>> = {
  Q1: { sentence: 'Leverage comes only from a callback; the leverage field acts as that callback.', isSwitchable: false },
  Q2: { sentence: 'A pair whose candles end early may enter on its own last candle.', isSwitchable: true },
  Q3: { sentence: 'The price tick is read off the candles, a month at a time.', isSwitchable: true },
  Q4: { sentence: 'A trade keeps the tick of its entry.', isSwitchable: false },
  Q5: { sentence: 'A reversal opens at the open although the old trade closed later in the candle.', isSwitchable: true },
  Q6: { sentence: 'A trade opens when its order is made, not when it fills.', isSwitchable: false },
  Q7: { sentence: 'A gap through a limit price does not fill the order.', isSwitchable: true },
  Q8: { sentence: 'The exit reason is that of the last candidate looked at.', isSwitchable: true },
  Q9: { sentence: 'A stop beyond the liquidation price wins over the liquidation.', isSwitchable: true },
  Q10: { sentence: 'The stop is not moved on a candle that touches it.', isSwitchable: false },
  Q11: { sentence: 'The high moves the trailing stop before the low is tested.', isSwitchable: true },
  Q12: { sentence: 'Averaging turns a plain stop into a trailing one.', isSwitchable: true },
  Q13: { sentence: 'A candle that opens beyond the stop still exits at the stop.', isSwitchable: true },
  Q14: { sentence: 'A ROI that the whole candle beats exits at the worst price of the candle.', isSwitchable: true },
  Q15: { sentence: 'A ROI of -1 off a candle boundary exits at the worst price of the candle.', isSwitchable: true },
  Q16: { sentence: 'The minimum stake reckons with a constant stop of 5 per cent.', isSwitchable: true },
  Q17: { sentence: 'Funding counts twice when a fill falls on a funding time.', isSwitchable: true },
  Q18: { sentence: 'The maintenance tier is chosen by the stake.', isSwitchable: true },
  Q19: { sentence: 'With detail candles a rejected signal is counted at every step.', isSwitchable: true },
  Q20: { sentence: 'With detail candles trades may open after the end.', isSwitchable: true },
  Q21: { sentence: 'A forced exit may fail to fill.', isSwitchable: true },
  Q22: { sentence: 'The stop is rounded from a double with its noise.', isSwitchable: true },
};

/** All quirks on: the same trades as the reference. */
export const parityQuirks: Quirks = Object.fromEntries(Object.keys(quirkTable).map((name) => [name, true])) as Record<QuirkName, boolean>;

/** Parity except for the given quirks. Fails: RangeError naming a quirk that cannot be switched off. */
export function withoutQuirks(names: readonly QuirkName[]): Quirks {
  for (const name of names) {
    if (!Object.hasOwn(quirkTable, name)) throw new RangeError(`There is no quirk ${name}; they are Q1 to Q22.`);
    if (!quirkTable[name].isSwitchable) throw new RangeError(`${name} cannot be switched off: ${quirkTable[name].sentence}`);
  }
  return { ...parityQuirks, ...Object.fromEntries(names.map((name) => [name, false])) };
}
