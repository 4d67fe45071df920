import type { RulesDocument } from '../document.ts';
import { compare, indicator, number, parameter } from '../pieces.ts';

const direction = indicator('superTrend', { period: parameter('period'), factor: parameter('factor') }, 'direction');
const turnsUp = compare(direction, 'crossesAbove', number(0));
const turnsDown = compare(direction, 'crossesBelow', number(0));

/** SuperTrendFollower as rules. */
export const superTrendFollower: RulesDocument = {
  version: 1,
  title: 'SuperTrend follower',
  description:
    'Buys when the price breaks the SuperTrend line upwards and leaves when it breaks it downwards. Shorts are the mirror image.',
  losesWhen:
    'It loses when a quiet range is just wide enough to break the line on both sides, again and again: it buys near the top of the range and sells near its bottom.',
  kind: 'trend',
  defaults: {
    timeframe: '15m',
    stoploss: -0.08,
    minimalRoi: {},
    trailingStop: true,
    trailingStopPositive: 0.02,
    trailingStopPositiveOffset: 0.04,
    trailingOnlyOffsetIsReached: true,
  },
  parameters: {
    period: { default: 10, min: 7, max: 21, step: 1, unit: 'candles', meaning: 'Candles of the average true range.' },
    factor: {
      default: 3,
      min: 1.5,
      max: 5,
      step: 0.25,
      unit: 'average true ranges',
      meaning: 'Average true ranges between the price and the line.',
    },
  },
  guard: [],
  enterLong: [{ tag: 'turned-up', when: turnsUp }],
  exitLong: [{ tag: 'turned-down', when: turnsDown }],
  enterShort: [{ tag: 'turned-down', when: turnsDown }],
  exitShort: [{ tag: 'turned-up', when: turnsUp }],
  positionPlan: null,
};
