import { adx } from '#engine/indicators/adx.ts';
import { readingNear } from '#engine/strategy/nearness.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';
import { SignalWriter } from './signal-writer.ts';

/**
 * Trades with the stronger side, but only while there is a trend.
 *
 * Confidence: (difference of +DI and -DI) / (their sum); 1 when one side has all the movement
 */
export const adxDirectional: Strategy<'period' | 'threshold' | 'fading'> = {
  name: 'AdxDirectional',
  title: 'ADX directional move',
  description:
    'Buys when the trend becomes strong (ADX) and upward movement leads (+DI above -DI), and leaves when the other side leads or the trend fades. Shorts are the mirror image.',
  losesWhen:
    'It loses at the end of trends: the ADX is late, so it buys when most of the move is over, and a reversal comes before it weakens.',
  kind: 'trend',
  canShort: true,
  startupCandles: 420, // 14 x 30: two smoothings of the longest period, one after the other
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
  compute(candles, { period, threshold, fading }) {
    const lines = adx(candles, period);
    const { length } = lines.adx;
    const writer = new SignalWriter(length, ['strong-up', 'strong-down', 'side-changed', 'trend-faded'], { ...lines });
    let lead = 0; // 1 while a strong trend goes up, -1 while it goes down, 0 without one
    for (let i = 0; i < length; i++) {
      const difference = lines.plusDi[i] - lines.minusDi[i];
      const confidence = Math.abs(difference) / (lines.plusDi[i] + lines.minusDi[i]);
      const previousLead = lead;
      lead = lines.adx[i] >= threshold ? Math.sign(difference) : 0;
      const hasFaded = lines.adx[i] < fading;
      if (difference < 0 || hasFaded) writer.exitLong(i, hasFaded ? 'trend-faded' : 'side-changed');
      if (difference > 0 || hasFaded) writer.exitShort(i, hasFaded ? 'trend-faded' : 'side-changed');
      if (lead === previousLead) continue;
      if (lead === 1) writer.enterLong(i, 'strong-up', confidence);
      else if (lead === -1) writer.enterShort(i, 'strong-down', confidence);
    }
    return writer.signals();
  },
  nearness({ adx: value, plusDi, minusDi }, { threshold }) {
    // A trend that is strong already has been entered, or was refused: only the next one is an entry.
    if (!(value < threshold) || plusDi === minusDi) return [];
    return [readingNear(plusDi > minusDi ? 'long' : 'short', 'ADX', value, threshold)];
  },
};
