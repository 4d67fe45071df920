import { minuteMs } from '#engine/market/durations.ts';
import { vwap } from '#engine/indicators/vwap.ts';
import { priceNear } from '#engine/strategy/nearness.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';
import { SignalWriter } from './signal-writer.ts';

const minutesPerDay = 1440;

/**
 * Buys a stretch below the day's average price, back to that price.
 *
 * Confidence: how far the last close was beyond the band, in deviations; 1 from one deviation on
 */
export const vwapReversion: Strategy<'deviations' | 'quietMinutes' | 'lastEntryMinute'> = {
  name: 'VwapReversion',
  title: 'VWAP reversion',
  description:
    "Buys when the price returns from several deviations below the day's volume-weighted average, and leaves at that average or when a new UTC day begins. Long only.",
  losesWhen: 'It loses on days with news, when the price leaves its average in the morning and never returns.',
  kind: 'intraday',
  canShort: false,
  startupCandles: minutesPerDay, // a whole UTC day on the shortest timeframe
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
  compute(candles, { deviations, quietMinutes, lastEntryMinute }) {
    const { close, openTime } = candles;
    const average = vwap(candles);
    const lower = average.vwap.map((mean, i) => mean - deviations * average.deviation[i]);
    const writer = new SignalWriter(close.length, ['stretched', 'average', 'new-day'], { vwap: average.vwap, lower });
    for (let i = 1; i < close.length; i++) {
      const minute = minuteOfDay(openTime[i]);
      const isNewDay = minute < minuteOfDay(openTime[i - 1]);
      const depth = (lower[i - 1] - close[i - 1]) / average.deviation[i - 1];
      const returns = depth > 0 && close[i] > lower[i];
      if (isNewDay || close[i] >= average.vwap[i]) writer.exitLong(i, isNewDay ? 'new-day' : 'average');
      else if (returns && minute >= quietMinutes && minute <= lastEntryMinute) writer.enterLong(i, 'stretched', depth);
    }
    return writer.signals();
  },
  nearness: ({ close, lower }) => [
    priceNear('long', close < lower ? 'price coming back to the lower band' : 'price at the lower band', close, lower),
  ],
};

function minuteOfDay(time: number): number {
  return Math.floor(time / minuteMs) % minutesPerDay;
}
