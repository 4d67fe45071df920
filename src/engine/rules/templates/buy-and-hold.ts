import type { RulesDocument } from '../document.ts';
import { compare, number, price } from '../pieces.ts';

/** BuyAndHold as rules: a price is always above 0. */
export const buyAndHold: RulesDocument = {
  version: 1,
  title: 'Buy and hold',
  description: 'Buys at the first chance and never sells by itself. A strategy that does not beat it is not worth its fees.',
  losesWhen: 'It loses whenever the market falls, as much as the market: its stop is so far away that nothing ends a fall.',
  kind: 'benchmark',
  defaults: {
    timeframe: '1h',
    stoploss: -0.99,
    minimalRoi: {},
    trailingStop: false,
    trailingStopPositive: null,
    trailingStopPositiveOffset: 0,
    trailingOnlyOffsetIsReached: false,
  },
  parameters: {},
  guard: [],
  enterLong: [{ tag: 'always', when: compare(price('close'), 'above', number(0)) }],
  exitLong: [],
  enterShort: [],
  exitShort: [],
  positionPlan: null,
};
