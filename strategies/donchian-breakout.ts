import { atr } from '#engine/indicators/atr.ts';
import { donchian } from '#engine/indicators/donchian.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';
import { SignalWriter } from './signal-writer.ts';

/**
 * Buys new highs and sells new lows.
 *
 * Confidence: how far the close is beyond the channel, in average true ranges; 1 from one range on
 */
export const donchianBreakout: Strategy<'entryPeriod' | 'exitPeriod' | 'margin' | 'stopRanges'> = {
  name: 'DonchianBreakout',
  title: 'Donchian breakout',
  description:
    'Buys when a candle closes above the highest high of the last candles by a margin, and leaves below a shorter low or when the price falls several average ranges from its high. Shorts are the mirror image.',
  losesWhen:
    'It loses in markets that stay in a range: the price leaves it, is bought there, and returns at once. Most of its trades lose; it lives on a few long moves, and without them it only pays.',
  kind: 'breakout',
  canShort: true,
  startupCandles: 147, // 7 x (20 + 1), the average true range; the longest channel needs 60
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
  compute(candles, { entryPeriod, exitPeriod, margin, stopRanges }) {
    const { close } = candles;
    const entry = donchian(candles, entryPeriod);
    const exit = donchian(candles, exitPeriod);
    const range = atr(candles, 20);
    const writer = new SignalWriter(close.length, ['breakout', 'breakdown', 'channel', 'turned-back'], {
      upper: entry.upper,
      lower: entry.lower,
      exitUpper: exit.upper,
      exitLower: exit.lower,
    });
    for (let i = 1; i < close.length; i++) {
      // A channel ends with the candle before: the candle that breaks it is not part of it.
      const up = (close[i] - entry.upper[i - 1]) / range[i];
      const down = (entry.lower[i - 1] - close[i]) / range[i];
      const leavesLong = close[i] < exit.lower[i - 1];
      const leavesShort = close[i] > exit.upper[i - 1];
      const fellBack = entry.upper[i] - close[i] > stopRanges * range[i];
      const roseBack = close[i] - entry.lower[i] > stopRanges * range[i];
      if (leavesLong || fellBack) writer.exitLong(i, leavesLong ? 'channel' : 'turned-back');
      else if (up > margin) writer.enterLong(i, 'breakout', up);
      if (leavesShort || roseBack) writer.exitShort(i, leavesShort ? 'channel' : 'turned-back');
      else if (down > margin) writer.enterShort(i, 'breakdown', down);
    }
    return writer.signals();
  },
};
