import type { RulesDocument } from '../document.ts';
import { ago, all, compare, indicator, minus, none, parameter, plus, price } from '../pieces.ts';

const entry = { period: parameter('entryPeriod') };
const exit = { period: parameter('exitPeriod') };
const range = indicator('atr', { period: 20 });
const upper = indicator('donchian', entry, 'upper');
const lower = indicator('donchian', entry, 'lower');
const close = price('close');
const leavesLong = compare(close, 'below', ago(indicator('donchian', exit, 'lower')));
const leavesShort = compare(close, 'above', ago(indicator('donchian', exit, 'upper')));
const fellBack = compare(close, 'below', minus(upper, parameter('stopRanges'), range));
const roseBack = compare(close, 'above', plus(lower, parameter('stopRanges'), range));
const breaksUp = compare(close, 'above', plus(ago(upper), parameter('margin'), range));
const breaksDown = compare(close, 'below', minus(ago(lower), parameter('margin'), range));

/** DonchianBreakout as rules. A channel ends with the candle before: the candle that breaks it is not part of it. */
export const donchianBreakout: RulesDocument = {
  version: 1,
  title: 'Donchian breakout',
  description:
    'Buys when a candle closes above the highest high of the last candles by a margin, and leaves below a shorter low or when the price falls several average ranges from its high. Shorts are the mirror image.',
  losesWhen:
    'It loses in markets that stay in a range: the price leaves it, is bought there, and returns at once. Most of its trades lose; it lives on a few long moves, and without them it only pays.',
  kind: 'breakout',
  defaults: {
    timeframe: '1h',
    stoploss: -0.1,
    minimalRoi: {},
    trailingStop: false,
    trailingStopPositive: null,
    trailingStopPositiveOffset: 0,
    trailingOnlyOffsetIsReached: false,
  },
  parameters: {
    entryPeriod: { default: 20, min: 10, max: 60, step: 5, unit: 'candles', meaning: 'Candles of the channel that is broken on entry.' },
    exitPeriod: { default: 10, min: 5, max: 30, step: 5, unit: 'candles', meaning: 'Candles of the channel that is broken on exit.' },
    margin: {
      default: 0.1,
      min: 0,
      max: 1,
      step: 0.1,
      unit: 'average true ranges',
      meaning: 'How far beyond the channel a close must be, in average true ranges.',
    },
    stopRanges: {
      default: 3,
      min: 1.5,
      max: 6,
      step: 0.5,
      unit: 'average true ranges',
      meaning: 'Average true ranges the price may turn back before the exit.',
    },
  },
  guard: [],
  enterLong: [{ tag: 'breakout', when: all(breaksUp, none(leavesLong, fellBack)) }],
  exitLong: [
    { tag: 'channel', when: leavesLong },
    { tag: 'turned-back', when: fellBack },
  ],
  enterShort: [{ tag: 'breakdown', when: all(breaksDown, none(leavesShort, roseBack)) }],
  exitShort: [
    { tag: 'channel', when: leavesShort },
    { tag: 'turned-back', when: roseBack },
  ],
  positionPlan: null,
};
