import type { RulesDocument } from '../document.ts';
import { all, compare, indicator, parameter, price } from '../pieces.ts';

const periods = { fast: parameter('fastPeriod'), slow: parameter('slowPeriod'), signal: parameter('signalPeriod') };
const macd = indicator('macd', periods, 'macd');
const signal = indicator('macd', periods, 'signal');
const filter = indicator('ema', { period: parameter('filterPeriod') });
const close = price('close');
const crossUp = compare(macd, 'crossesAbove', signal);
const crossDown = compare(macd, 'crossesBelow', signal);

/** MacdTrend as rules. */
export const macdTrend: RulesDocument = {
  version: 1,
  title: 'MACD with trend filter',
  description:
    'Buys when the MACD crosses above its signal line while the price is above a long average, and leaves when it crosses below. Shorts are the mirror image.',
  losesWhen:
    'It loses when momentum flickers: in a market without direction there are many small crossings without a move behind them, and each costs two fees.',
  kind: 'momentum',
  defaults: {
    timeframe: '5m',
    stoploss: -0.04,
    minimalRoi: { 0: 0.04, 120: 0.02, 360: 0.005 },
    trailingStop: false,
    trailingStopPositive: null,
    trailingStopPositiveOffset: 0,
    trailingOnlyOffsetIsReached: false,
  },
  parameters: {
    fastPeriod: { default: 12, min: 6, max: 18, step: 1, unit: 'candles', meaning: 'Candles of the fast average.' },
    slowPeriod: { default: 26, min: 20, max: 40, step: 1, unit: 'candles', meaning: 'Candles of the slow average.' },
    signalPeriod: { default: 9, min: 5, max: 15, step: 1, unit: 'candles', meaning: 'Candles of the signal line.' },
    filterPeriod: {
      default: 200,
      min: 50,
      max: 200,
      step: 10,
      unit: 'candles',
      meaning: 'Candles of the long average that decides the side.',
    },
  },
  guard: [],
  enterLong: [{ tag: 'momentum-up', when: all(crossUp, compare(close, 'above', filter)) }],
  exitLong: [{ tag: 'momentum-down', when: crossDown }],
  enterShort: [{ tag: 'momentum-down', when: all(crossDown, compare(close, 'below', filter)) }],
  exitShort: [{ tag: 'momentum-up', when: crossUp }],
  positionPlan: null,
};
