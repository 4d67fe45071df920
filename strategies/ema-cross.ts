import { atr } from '#engine/indicators/atr.ts';
import { ema } from '#engine/indicators/ema.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';
import { crossesAbove, crossesBelow } from './crossing.ts';
import { SignalWriter } from './signal-writer.ts';

/**
 * Follows the crossing of two averages, on the side of a slow one.
 *
 * Confidence: distance of the close from the slow average, in average true ranges, over 4; 1 from 4 ranges on
 */
export const emaCross: Strategy<'fastPeriod' | 'slowPeriod' | 'filterPeriod'> = {
  name: 'EmaCross',
  title: 'EMA cross',
  description:
    'Buys when a fast average crosses above a slow one while the price is above a long average, and leaves when they cross back. Shorts are the mirror image.',
  losesWhen:
    'It loses in sideways markets, where the averages cross back and forth: each crossing is late, and costs two fees and a small loss.',
  kind: 'trend',
  canShort: true,
  startupCandles: 704, // 3.5 x (200 + 1), the longest filter
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
  compute(candles, { fastPeriod, slowPeriod, filterPeriod }) {
    const { close } = candles;
    const fast = ema(close, fastPeriod);
    const slow = ema(close, slowPeriod);
    const filter = ema(close, filterPeriod);
    const range = atr(candles, 14);
    const writer = new SignalWriter(close.length, ['cross-up', 'cross-down'], { fast, slow, filter });
    for (let i = 0; i < close.length; i++) {
      const confidence = Math.abs(close[i] - filter[i]) / (4 * range[i]);
      if (crossesAbove(fast, slow, i)) {
        writer.exitShort(i, 'cross-up');
        if (close[i] > filter[i]) writer.enterLong(i, 'cross-up', confidence);
      } else if (crossesBelow(fast, slow, i)) {
        writer.exitLong(i, 'cross-down');
        if (close[i] < filter[i]) writer.enterShort(i, 'cross-down', confidence);
      }
    }
    return writer.signals();
  },
};
