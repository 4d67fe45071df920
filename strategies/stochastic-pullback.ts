import { ema } from '#engine/indicators/ema.ts';
import { stochastic } from '#engine/indicators/stochastic.ts';
import { readingNear } from '#engine/strategy/nearness.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';
import { crossesAbove, crossesBelow } from './crossing.ts';
import { SignalWriter } from './signal-writer.ts';

/**
 * Buys the dip in an up trend, sells the rally in a down trend.
 *
 * Confidence: how far %D is below the low line (above the high line for shorts), over that line; 1 at the very edge
 */
export const stochasticPullback: Strategy<'kPeriod' | 'low' | 'trendPeriod'> = {
  name: 'StochasticPullback',
  title: 'Stochastic pullback',
  description:
    'In an up trend it buys when the stochastic turns up from a low reading, and leaves when it turns down from a high one or the price falls below the trend average. Shorts are the mirror image.',
  losesWhen:
    'It loses when a pullback is the beginning of a reversal, and in markets without a trend, where every dip looks like a pullback.',
  kind: 'pullback',
  canShort: true,
  startupCandles: 704, // 3.5 x (200 + 1), the longest trend average
  defaults: {
    timeframe: '5m',
    stoploss: -0.03,
    minimalRoi: { 0: 0.03, 90: 0.015, 240: 0.005 },
    trailingStop: true,
    trailingStopPositive: 0.01,
    trailingStopPositiveOffset: 0.02,
    trailingOnlyOffsetIsReached: true,
  },
  parameters: {
    kPeriod: { default: 14, min: 5, max: 30, step: 1, unit: 'candles', meaning: 'Candles of the stochastic.' },
    low: {
      default: 25,
      min: 10,
      max: 40,
      step: 5,
      unit: 'points',
      meaning: 'Reading that counts as a dip; 100 minus it counts as a rally.',
    },
    trendPeriod: { default: 100, min: 50, max: 200, step: 10, unit: 'candles', meaning: 'Candles of the trend average.' },
  },
  compute(candles, { kPeriod, low, trendPeriod }) {
    const { close } = candles;
    const { k, d } = stochastic(candles, { k: kPeriod, slowing: 3, d: 3 });
    const trend = ema(close, trendPeriod);
    const high = 100 - low;
    const writer = new SignalWriter(close.length, ['dip', 'rally', 'turned', 'trend-lost'], { k, d, trend });
    for (let i = 0; i < close.length; i++) {
      const turnsUp = crossesAbove(k, d, i) && d[i] < low;
      const turnsDown = crossesBelow(k, d, i) && d[i] > high;
      if (turnsDown || crossesBelow(close, trend, i)) writer.exitLong(i, turnsDown ? 'turned' : 'trend-lost');
      else if (turnsUp && close[i] > trend[i]) writer.enterLong(i, 'dip', (low - d[i]) / low);
      if (turnsUp || crossesAbove(close, trend, i)) writer.exitShort(i, turnsUp ? 'turned' : 'trend-lost');
      else if (turnsDown && close[i] < trend[i]) writer.enterShort(i, 'rally', (d[i] - high) / low);
    }
    return writer.signals();
  },
  nearness({ d, trend, close }, { low }) {
    if (close > trend) return [readingNear('long', 'stochastic %D', d, low)];
    return close < trend ? [readingNear('short', 'stochastic %D', d, 100 - low)] : [];
  },
};
