import type { WantedThing } from '../wire/python-load.ts';

/** What is said to a strategy of a bot that asks for something it is not given. */
export function notGiven(wanted: WantedThing): string {
  return wanted === 'account'
    ? 'The strategy asks for its trades or its wallet where it is not given them: while it computes indicators, or because its text does not name them.'
    : `The strategy asks for candles of ${wanted.symbol} on ${wanted.timeframe} (${wanted.kind}), which it does not announce in informative_pairs.`;
}
