/**
 * What the reference's backtest does and a reader would not expect. All on is parity, except for what would only end the
 * run; each but `touchedStopDoesNotMove` can be switched off singly, for a more realistic run.
 */
export type Quirks = Readonly<Record<QuirkName, boolean>>;

/** The quirks by name. */
export type QuirkName =
  | 'leverageOnlyFromCallback'
  | 'shortPairEntersOnItsLastCandle'
  | 'priceTickReadFromCandles'
  | 'tradeKeepsEntryTick'
  | 'reversalOpensAtTheOpen'
  | 'tradeOpensWhenOrdered'
  | 'gapThroughLimitDoesNotFill'
  | 'lastCandidateNamesTheExit'
  | 'stopBeyondLiquidationWins'
  | 'touchedStopDoesNotMove'
  | 'highMovesStopBeforeLow'
  | 'averagingMakesStopTrail'
  | 'gapBeyondStopExitsAtStop'
  | 'beatenRoiExitsAtWorstPrice'
  | 'forcedRoiExitsAtWorstPrice'
  | 'minimumStakeAssumesConstantStop'
  | 'fundingCountsTwiceAtAFill'
  | 'leverageTierChosenByStake'
  | 'rejectedSignalsCountPerDetailCandle'
  | 'detailCandlesOpenAfterTheEnd'
  | 'forcedExitMayNotFill'
  | 'stopRoundedFromNoise'
  | 'adjustingResetsTheStop'
  | 'oversizedExitIsSettledInFull'
  | 'costLimitsTimesContractSize'
  | 'adjustingDropsRunningFunding'
  | 'replacedEntryKeepsFreeMoney'
  | 'detailCandlesTakenByNumber'
  | 'stakeAboveTiersEndsTheRun';

/**
 * A quirk in a sentence and, where a realistic run does the same, why, or why no run of ours has it; without either reason
 * it can be switched off.
 */
export interface Quirk {
  number: string; // as people name it on the command line and in the documents, e.g. 'Q7'
  sentence: string;
  alwaysBecause?: string;
  neverBecause?: string;
}

/** All quirks. */
export const quirkTable: Readonly<Record<QuirkName, Quirk>> = {
  leverageOnlyFromCallback: {
    number: 'Q1',
    sentence: 'Leverage comes only from a callback, where the strategy has one; the leverage field stands in for it.',
  },
  shortPairEntersOnItsLastCandle: { number: 'Q2', sentence: 'A pair whose candles end early may enter on its own last candle.' },
  priceTickReadFromCandles: { number: 'Q3', sentence: 'The price tick is read off the candles, a month at a time.' },
  tradeKeepsEntryTick: { number: 'Q4', sentence: 'A trade keeps the tick of its entry.' },
  reversalOpensAtTheOpen: { number: 'Q5', sentence: 'A reversal opens at the open although the old trade closed later in the candle.' },
  tradeOpensWhenOrdered: { number: 'Q6', sentence: 'A trade opens when its order is made, not when it fills.' },
  gapThroughLimitDoesNotFill: { number: 'Q7', sentence: 'A gap through a limit price does not fill the order.' },
  lastCandidateNamesTheExit: { number: 'Q8', sentence: 'The exit reason is that of the last candidate looked at.' },
  stopBeyondLiquidationWins: {
    number: 'Q9',
    sentence: 'A stop beyond the liquidation price wins over the liquidation, which is but an exit at its price.',
  },
  touchedStopDoesNotMove: {
    number: 'Q10',
    sentence: 'The stop is not moved on a candle that touches it.',
    alwaysBecause:
      'a candle does not show which came first, its high or its low; the stop that stood before is the worse of the two, so a realistic run takes it too',
  },
  highMovesStopBeforeLow: { number: 'Q11', sentence: 'The high moves the trailing stop before the low is tested.' },
  averagingMakesStopTrail: { number: 'Q12', sentence: 'Averaging turns a plain stop into a trailing one.' },
  gapBeyondStopExitsAtStop: { number: 'Q13', sentence: 'A candle that opens beyond the stop still exits at the stop.' },
  beatenRoiExitsAtWorstPrice: { number: 'Q14', sentence: 'A ROI that the whole candle beats exits at the worst price of the candle.' },
  forcedRoiExitsAtWorstPrice: { number: 'Q15', sentence: 'A ROI of -1 off a candle boundary exits at the worst price of the candle.' },
  minimumStakeAssumesConstantStop: { number: 'Q16', sentence: 'The minimum stake assumes a constant stop of 5 per cent.' },
  fundingCountsTwiceAtAFill: {
    number: 'Q17',
    sentence: 'Funding counts twice when a fill falls on a funding time, after an exit on what was held before it.',
  },
  leverageTierChosenByStake: { number: 'Q18', sentence: 'The maintenance tier is chosen by the stake.' },
  rejectedSignalsCountPerDetailCandle: { number: 'Q19', sentence: 'With detail candles a rejected signal is counted at every step.' },
  detailCandlesOpenAfterTheEnd: { number: 'Q20', sentence: 'With detail candles trades may open after the end.' },
  forcedExitMayNotFill: { number: 'Q21', sentence: 'A forced exit may fail to fill.' },
  stopRoundedFromNoise: { number: 'Q22', sentence: 'The stop is rounded from a double with its noise.' },
  adjustingResetsTheStop: {
    number: 'Q23',
    sentence:
      'A partial exit, and a further entry even before it fills, set the stop again at its last distance, now from the average, if that is tighter; it then counts as trailing.',
  },
  oversizedExitIsSettledInFull: { number: 'Q24', sentence: 'A partial exit of more than is held is settled in full.' },
  costLimitsTimesContractSize: {
    number: 'Q25',
    sentence: 'The smallest and the largest cost of an order are multiplied by the contract size.',
  },
  adjustingDropsRunningFunding: {
    number: 'Q26',
    sentence:
      'A partial exit, and a further entry even before it fills, leave the funding since the last fill out until the next funding time.',
  },
  replacedEntryKeepsFreeMoney: {
    number: 'Q27',
    sentence: 'Free money is not counted again after an entry order is replaced at another price and fills.',
  },
  detailCandlesTakenByNumber: {
    number: 'Q28',
    sentence: 'Detail candles are taken by their number: where they begin inside a candle, they are moved to its start.',
  },
  stakeAboveTiersEndsTheRun: {
    number: 'Q29',
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
  const { number, alwaysBecause, neverBecause } = quirkTable[name];
  if (neverBecause !== undefined) return `${number} is off in every run: ${neverBecause}.`;
  return alwaysBecause === undefined ? null : `${number} cannot be switched off: ${alwaysBecause}.`;
}

/** Parity except for the given quirks. Fails: RangeError naming a quirk that cannot be switched off. */
export function withoutQuirks(names: readonly QuirkName[]): Quirks {
  for (const name of names) {
    if (!Object.hasOwn(quirkTable, name)) throw new RangeError(`There is no quirk ${name}.`);
    const reason = whyFixed(name);
    if (reason !== null) throw new RangeError(reason);
  }
  return { ...parityQuirks, ...Object.fromEntries(names.map((name) => [name, false])) };
}
