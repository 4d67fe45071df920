import { atr } from '#engine/indicators/atr.ts';
import { ema } from '#engine/indicators/ema.ts';
import { rsi } from '#engine/indicators/rsi.ts';
import { readingNear } from '#engine/strategy/nearness.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';
import { SignalWriter } from './signal-writer.ts';

/**
 * Buys a sell-off that has ended, as long as the market is not falling away from its average.
 *
 * Confidence: how deep the RSI was below the oversold line, over a third of that line; 1 from a third on (20 with a line of 30)
 */
export const rsiReversal: Strategy<'period' | 'oversold' | 'recovered' | 'filterPeriod' | 'reach'> = {
  name: 'RsiReversal',
  title: 'RSI reversal',
  description:
    'Buys when the RSI returns from oversold while the price is still within reach of its long average, and leaves when the RSI has recovered. Long only.',
  losesWhen: 'It loses in a slow, steady fall: each small recovery is bought and the next low is lower.',
  kind: 'range',
  canShort: false,
  startupCandles: 704, // 3.5 x (200 + 1), the filter
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
  compute(candles, { period, oversold, recovered, filterPeriod, reach }) {
    const { close } = candles;
    const strength = rsi(close, period);
    const filter = ema(close, filterPeriod);
    const range = atr(candles, 14);
    const writer = new SignalWriter(close.length, ['oversold-over', 'recovered'], { rsi: strength, filter });
    let deepest = oversold; // lowest RSI of the current or last stay below the line
    for (let i = 1; i < close.length; i++) {
      if (strength[i] < oversold) deepest = strength[i - 1] < oversold ? Math.min(deepest, strength[i]) : strength[i];
      const returns = strength[i - 1] < oversold && strength[i] >= oversold;
      const isWithinReach = filter[i] - close[i] <= reach * range[i];
      if (strength[i] >= recovered) writer.exitLong(i, 'recovered');
      else if (returns && isWithinReach) writer.enterLong(i, 'oversold-over', (3 * (oversold - deepest)) / oversold);
    }
    return writer.signals();
  },
  nearness: ({ rsi: value }, { oversold }) => [readingNear('long', value < oversold ? 'RSI coming back' : 'RSI', value, oversold)],
};
