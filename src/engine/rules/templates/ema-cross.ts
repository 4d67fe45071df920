import type { RulesDocument } from '../document.ts';
import { all, compare, indicator, parameter, price } from '../pieces.ts';

const fast = indicator('ema', { period: parameter('fastPeriod') });
const slow = indicator('ema', { period: parameter('slowPeriod') });
const filter = indicator('ema', { period: parameter('filterPeriod') });
const close = price('close');
const crossUp = compare(fast, 'crossesAbove', slow);
const crossDown = compare(fast, 'crossesBelow', slow);

/** EmaCross as rules. */
export const emaCross: RulesDocument = {
  version: 1,
  title: 'EMA cross',
  description:
    'Buys when a fast average crosses above a slow one while the price is above a long average, and leaves when they cross back. Shorts are the mirror image.',
  losesWhen:
    'It loses in sideways markets, where the averages cross back and forth: each crossing is late, and costs two fees and a small loss.',
  kind: 'trend',
  defaults: {
    timeframe: '5m',
    stoploss: -0.05,
    minimalRoi: { 0: 0.06, 240: 0.03, 720: 0.01 },
    trailingStop: true,
    trailingStopPositive: 0.015,
    trailingStopPositiveOffset: 0.03,
    trailingOnlyOffsetIsReached: true,
  },
  parameters: {
    fastPeriod: { default: 12, min: 5, max: 25, step: 1, unit: 'candles', meaning: 'Candles of the fast average.' },
    slowPeriod: { default: 26, min: 26, max: 60, step: 1, unit: 'candles', meaning: 'Candles of the slow average.' },
    filterPeriod: {
      default: 100,
      min: 80,
      max: 200,
      step: 10,
      unit: 'candles',
      meaning: 'Candles of the long average that decides the side.',
    },
  },
  guard: [],
  enterLong: [{ tag: 'cross-up', when: all(crossUp, compare(close, 'above', filter)) }],
  exitLong: [{ tag: 'cross-down', when: crossDown }],
  enterShort: [{ tag: 'cross-down', when: all(crossDown, compare(close, 'below', filter)) }],
  exitShort: [{ tag: 'cross-up', when: crossUp }],
  positionPlan: null,
};
