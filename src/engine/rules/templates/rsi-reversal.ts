import type { RulesDocument } from '../document.ts';
import { ago, all, compare, indicator, minus, number, parameter, price } from '../pieces.ts';

const rsi = indicator('rsi', { period: parameter('period') });
const oversold = number(parameter('oversold'));
const filter = indicator('ema', { period: parameter('filterPeriod') });
const range = indicator('atr', { period: 14 });
const returns = [compare(ago(rsi), 'below', oversold), compare(rsi, 'atLeast', oversold)];
const isWithinReach = compare(price('close'), 'atLeast', minus(filter, parameter('reach'), range));
const recovered = number(parameter('recovered'));

/** RsiReversal as rules. */
export const rsiReversal: RulesDocument = {
  version: 1,
  title: 'RSI reversal',
  description:
    'Buys when the RSI returns from oversold while the price is still within reach of its long average, and leaves when the RSI has recovered. Long only.',
  losesWhen: 'It loses in a slow, steady fall: each small recovery is bought and the next low is lower.',
  kind: 'range',
  defaults: {
    timeframe: '5m',
    stoploss: -0.03,
    minimalRoi: { 0: 0.025, 60: 0.015, 180: 0.005 },
    trailingStop: false,
    trailingStopPositive: null,
    trailingStopPositiveOffset: 0,
    trailingOnlyOffsetIsReached: false,
  },
  parameters: {
    period: { default: 14, min: 7, max: 28, step: 1, unit: 'candles', meaning: 'Candles of the RSI.' },
    oversold: { default: 30, min: 15, max: 40, step: 1, unit: 'points', meaning: 'RSI below which the market counts as oversold.' },
    recovered: { default: 55, min: 45, max: 75, step: 1, unit: 'points', meaning: 'RSI at which the position is left.' },
    filterPeriod: { default: 200, min: 50, max: 200, step: 10, unit: 'candles', meaning: 'Candles of the long average.' },
    reach: {
      default: 8,
      min: 2,
      max: 15,
      step: 1,
      unit: 'average true ranges',
      meaning: 'Average true ranges the price may be below the long average.',
    },
  },
  guard: [],
  enterLong: [{ tag: 'oversold-over', when: all(...returns, compare(rsi, 'below', recovered), isWithinReach) }],
  exitLong: [{ tag: 'recovered', when: compare(rsi, 'atLeast', recovered) }],
  enterShort: [],
  exitShort: [],
  positionPlan: null,
};
