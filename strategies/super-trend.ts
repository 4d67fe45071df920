import { superTrend } from '#engine/indicators/super-trend.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';
import { SignalWriter } from './signal-writer.ts';

/**
 * Stays on the side of the SuperTrend line.
 *
 * Confidence: how far the close broke through the old line, over a quarter of the distance to the new one; 1 from a quarter on
 */
export const superTrendFollower: Strategy<'period' | 'factor'> = {
  name: 'SuperTrendFollower',
  title: 'SuperTrend follower',
  description:
    'Buys when the price breaks the SuperTrend line upwards and leaves when it breaks it downwards. Shorts are the mirror image.',
  losesWhen:
    'It loses when a quiet range is just wide enough to break the line on both sides, again and again: it buys near the top of the range and sells near its bottom.',
  kind: 'trend',
  canShort: true,
  startupCandles: 300, // 7 x 21, the longest range, and as much again for the line to change side
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
  compute(candles, { period, factor }) {
    const { close } = candles;
    const { line, direction } = superTrend(candles, { period, factor });
    const writer = new SignalWriter(close.length, ['turned-up', 'turned-down'], { line });
    for (let i = 1; i < close.length; i++) {
      const turn = direction[i] - direction[i - 1];
      const confidence = (4 * Math.abs(close[i] - line[i - 1])) / Math.abs(close[i] - line[i]);
      if (turn > 0) {
        writer.exitShort(i, 'turned-up');
        writer.enterLong(i, 'turned-up', confidence);
      } else if (turn < 0) {
        writer.exitLong(i, 'turned-down');
        writer.enterShort(i, 'turned-down', confidence);
      }
    }
    return writer.signals();
  },
};
