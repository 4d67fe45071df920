import type { RulesDocument } from '../document.ts';
import { all, compare, indicator, minus, number, parameter, price } from '../pieces.ts';

const periods = { k: parameter('kPeriod'), slowing: 3, d: 3 };
const k = indicator('stochastic', periods, 'k');
const d = indicator('stochastic', periods, 'd');
const trend = indicator('ema', { period: parameter('trendPeriod') });
const close = price('close');
const low = number(parameter('low'));
const high = minus(number(100), 1, low);
const turnsUp = all(compare(k, 'crossesAbove', d), compare(d, 'below', low));
const turnsDown = all(compare(k, 'crossesBelow', d), compare(d, 'above', high));

/** StochasticPullback as rules. */
export const stochasticPullback: RulesDocument = {
  version: 1,
  title: 'Stochastic pullback',
  description:
    'In an up trend it buys when the stochastic turns up from a low reading, and leaves when it turns down from a high one or the price falls below the trend average. Shorts are the mirror image.',
  losesWhen:
    'It loses when a pullback is the beginning of a reversal, and in markets without a trend, where every dip looks like a pullback.',
  kind: 'pullback',
  defaults: {
    timeframe: '5m',
    stoploss: -0.03,
    minimalRoi: { 0: 0.03, 90: 0.015, 240: 0.005 },
    trailingStop: true,
    trailingStopPositive: 0.01,
    trailingStopPositiveOffset: 0.02,
    trailingOnlyOffsetIsReached: true,
  },
  parameters: {
    kPeriod: { default: 14, min: 5, max: 30, step: 1, unit: 'candles', meaning: 'Candles of the stochastic.' },
    low: {
      default: 25,
      min: 10,
      max: 40,
      step: 5,
      unit: 'points',
      meaning: 'Reading that counts as a dip; 100 minus it counts as a rally.',
    },
    trendPeriod: { default: 100, min: 50, max: 200, step: 10, unit: 'candles', meaning: 'Candles of the trend average.' },
  },
  guard: [],
  enterLong: [{ tag: 'dip', when: all(turnsUp, compare(close, 'above', trend)) }],
  exitLong: [
    { tag: 'turned', when: turnsDown },
    { tag: 'trend-lost', when: compare(close, 'crossesBelow', trend) },
  ],
  enterShort: [{ tag: 'rally', when: all(turnsDown, compare(close, 'below', trend)) }],
  exitShort: [
    { tag: 'turned', when: turnsUp },
    { tag: 'trend-lost', when: compare(close, 'crossesAbove', trend) },
  ],
  positionPlan: null,
};
