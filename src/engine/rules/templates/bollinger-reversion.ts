import type { Comparison, RulesDocument } from '../document.ts';
import { ago, all, any, compare, indicator, number, parameter, price } from '../pieces.ts';

const settings = { period: parameter('period'), deviations: parameter('deviations') };
const upper = indicator('bollinger', settings, 'upper');
const middle = indicator('bollinger', settings, 'middle');
const lower = indicator('bollinger', settings, 'lower');
const width = indicator('bollinger', settings, 'width');
const close = price('close');

const squeeze = number(parameter('squeeze'));
const isReversion = compare(squeeze, 'below', number(0.5));
const isBreakout = compare(squeeze, 'atLeast', number(0.5));

const wasBelow = compare(ago(close), 'below', ago(lower));
const isBack = compare(close, 'above', lower);
const breaksOut = compare(close, 'crossesAbove', upper);
const wasNarrowest: Comparison = {
  ...compare(width, 'atMost', { kind: 'lowest', of: width, candles: parameter('squeezePeriod') }),
  within: 11, // the candle itself and the ten before
};

/** BollingerReversion as rules. Its switch is a parameter: 0 buys the return into the bands, 1 the breakout from a squeeze. */
export const bollingerReversion: RulesDocument = {
  version: 1,
  title: 'Bollinger reversion',
  description:
    'Buys when the price returns from below the lower band and leaves at the middle. With the squeeze switch on it buys a close above the upper band after the bands were at their narrowest instead. Long only.',
  losesWhen:
    'As a reversion it loses when a fall continues along the band: each return into the bands is bought, and the next low is lower. As a squeeze breakout it loses on false starts.',
  kind: 'volatility',
  defaults: {
    timeframe: '15m',
    stoploss: -0.05,
    minimalRoi: { 0: 0.04, 360: 0.015 },
    trailingStop: false,
    trailingStopPositive: null,
    trailingStopPositiveOffset: 0,
    trailingOnlyOffsetIsReached: false,
  },
  parameters: {
    period: { default: 20, min: 10, max: 50, step: 5, unit: 'candles', meaning: 'Candles of the bands.' },
    deviations: {
      default: 2,
      min: 1,
      max: 3,
      step: 0.1,
      unit: 'standard deviations',
      meaning: 'Deviations between the middle and a band.',
    },
    squeeze: {
      default: 0,
      min: 0,
      max: 1,
      step: 1,
      unit: 'switch',
      meaning: '0 buys the return into the bands, 1 the breakout from a squeeze.',
    },
    squeezePeriod: {
      default: 120,
      min: 60,
      max: 240,
      step: 20,
      unit: 'candles',
      meaning: 'Candles among which the bands must have been narrowest.',
    },
  },
  guard: [],
  enterLong: [
    { tag: 'back-inside', when: all(isReversion, wasBelow, isBack, compare(close, 'below', middle)) },
    { tag: 'squeeze-breakout', when: all(isBreakout, breaksOut, wasNarrowest, compare(close, 'atLeast', middle)) },
  ],
  exitLong: [
    {
      tag: 'middle',
      when: any(all(isReversion, compare(close, 'atLeast', middle)), all(isBreakout, compare(close, 'below', middle))),
    },
  ],
  enterShort: [],
  exitShort: [],
  positionPlan: null,
};
