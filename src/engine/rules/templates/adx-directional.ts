import type { RulesDocument } from '../document.ts';
import { ago, all, compare, indicator, none, number, parameter } from '../pieces.ts';

const period = { period: parameter('period') };
const adx = indicator('adx', period, 'adx');
const plusDi = indicator('adx', period, 'plusDi');
const minusDi = indicator('adx', period, 'minusDi');
const threshold = number(parameter('threshold'));
const isStrong = compare(adx, 'atLeast', threshold);
const wasStrong = compare(ago(adx), 'atLeast', threshold);
const hasFaded = compare(adx, 'below', number(parameter('fading')));
const upLeads = compare(plusDi, 'above', minusDi);
const downLeads = compare(plusDi, 'below', minusDi);
const upLed = compare(ago(plusDi), 'above', ago(minusDi));
const downLed = compare(ago(plusDi), 'below', ago(minusDi));

/** AdxDirectional as rules: it enters where a side leads a strong trend and did not in the candle before. */
export const adxDirectional: RulesDocument = {
  version: 1,
  title: 'ADX directional move',
  description:
    'Buys when the trend becomes strong (ADX) and upward movement leads (+DI above -DI), and leaves when the other side leads or the trend fades. Shorts are the mirror image.',
  losesWhen:
    'It loses at the end of trends: the ADX is late, so it buys when most of the move is over, and a reversal comes before it weakens.',
  kind: 'trend',
  defaults: {
    timeframe: '1h',
    stoploss: -0.08,
    minimalRoi: { 0: 0.12, 1440: 0.05 },
    trailingStop: true,
    trailingStopPositive: 0.025,
    trailingStopPositiveOffset: 0.05,
    trailingOnlyOffsetIsReached: true,
  },
  parameters: {
    period: { default: 14, min: 7, max: 30, step: 1, unit: 'candles', meaning: 'Candles of the smoothing.' },
    threshold: { default: 25, min: 20, max: 40, step: 1, unit: 'points', meaning: 'ADX from which a trend counts as strong.' },
    fading: { default: 18, min: 10, max: 20, step: 1, unit: 'points', meaning: 'ADX below which a position is left.' },
  },
  guard: [],
  enterLong: [{ tag: 'strong-up', when: all(isStrong, upLeads, none(all(wasStrong, upLed))) }],
  exitLong: [
    { tag: 'trend-faded', when: hasFaded },
    { tag: 'side-changed', when: downLeads },
  ],
  enterShort: [{ tag: 'strong-down', when: all(isStrong, downLeads, none(all(wasStrong, downLed))) }],
  exitShort: [
    { tag: 'trend-faded', when: hasFaded },
    { tag: 'side-changed', when: upLeads },
  ],
  positionPlan: null,
};
