import { atr } from '#engine/indicators/atr.ts';
import { ema } from '#engine/indicators/ema.ts';
import { macd } from '#engine/indicators/macd.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';
import { crossesAbove, crossesBelow } from './crossing.ts';
import { SignalWriter } from './signal-writer.ts';

/**
 * Takes the MACD's crossings in the direction of a long average.
 *
 * Confidence: how far the MACD is on the other side of zero, in average true ranges; 1 from one range on. A crossing out of
 * a deep dip has more room than one high above zero, which counts 0.
 */
export const macdTrend: Strategy<'fastPeriod' | 'slowPeriod' | 'signalPeriod' | 'filterPeriod'> = {
  name: 'MacdTrend',
  title: 'MACD with trend filter',
  description:
    'Buys when the MACD crosses above its signal line while the price is above a long average, and leaves when it crosses below. Shorts are the mirror image.',
  losesWhen:
    'It loses when momentum flickers: in a market without direction there are many small crossings without a move behind them, and each costs two fees.',
  kind: 'momentum',
  canShort: true,
  startupCandles: 704, // 3.5 x (200 + 1), the filter
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
  compute(candles, { fastPeriod, slowPeriod, signalPeriod, filterPeriod }) {
    const { close } = candles;
    const lines = macd(close, { fast: fastPeriod, slow: slowPeriod, signal: signalPeriod });
    const filter = ema(close, filterPeriod);
    const range = atr(candles, 14);
    const writer = new SignalWriter(close.length, ['momentum-up', 'momentum-down'], { ...lines, filter });
    for (let i = 0; i < close.length; i++) {
      if (crossesAbove(lines.macd, lines.signal, i)) {
        writer.exitShort(i, 'momentum-up');
        if (close[i] > filter[i]) writer.enterLong(i, 'momentum-up', -lines.macd[i] / range[i]);
      } else if (crossesBelow(lines.macd, lines.signal, i)) {
        writer.exitLong(i, 'momentum-down');
        if (close[i] < filter[i]) writer.enterShort(i, 'momentum-down', lines.macd[i] / range[i]);
      }
    }
    return writer.signals();
  },
};
