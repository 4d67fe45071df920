import type { Operand, RulesDocument } from '../document.ts';
import { ago, all, compare, indicator, none, number, parameter, price } from '../pieces.ts';

const settings = { deviations: parameter('deviations') };
const average = indicator('vwap', settings, 'vwap');
const lower = indicator('vwap', settings, 'lower');
const close = price('close');
const time: Operand = { kind: 'minuteOfDay' };
const isNewDay = compare(time, 'below', { kind: 'minuteOfDay', candlesBack: 1 });
const isAtAverage = compare(close, 'atLeast', average);
const returns = [compare(ago(close), 'below', ago(lower)), compare(close, 'above', lower)];
const isInTime = [
  compare(time, 'atLeast', number(parameter('quietMinutes'))),
  compare(time, 'atMost', number(parameter('lastEntryMinute'))),
];

/** VwapReversion as rules. */
export const vwapReversion: RulesDocument = {
  version: 1,
  title: 'VWAP reversion',
  description:
    "Buys when the price returns from several deviations below the day's volume-weighted average, and leaves at that average or when a new UTC day begins. Long only.",
  losesWhen: 'It loses on days with news, when the price leaves its average in the morning and never returns.',
  kind: 'intraday',
  defaults: {
    timeframe: '1m',
    stoploss: -0.02,
    minimalRoi: { 0: 0.02, 60: 0.008 },
    trailingStop: false,
    trailingStopPositive: null,
    trailingStopPositiveOffset: 0,
    trailingOnlyOffsetIsReached: false,
  },
  parameters: {
    deviations: {
      default: 2,
      min: 1,
      max: 3.5,
      step: 0.25,
      unit: 'standard deviations',
      meaning: 'Deviations below the average at which the price counts as stretched.',
    },
    quietMinutes: {
      default: 120,
      min: 30,
      max: 360,
      step: 30,
      unit: 'minutes',
      meaning: 'Minutes after midnight UTC before the first entry; the average is young.',
    },
    lastEntryMinute: {
      default: 1320,
      min: 720,
      max: 1410,
      step: 30,
      unit: 'minutes',
      meaning: 'Minute of the UTC day after which nothing is bought.',
    },
  },
  guard: [],
  enterLong: [{ tag: 'stretched', when: all(...returns, ...isInTime, none(isNewDay, isAtAverage)) }],
  exitLong: [
    { tag: 'new-day', when: isNewDay },
    { tag: 'average', when: isAtAverage },
  ],
  enterShort: [],
  exitShort: [],
  positionPlan: null,
};
