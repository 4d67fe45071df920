import { bollinger } from '#engine/indicators/bollinger.ts';
import { donchian } from '#engine/indicators/donchian.ts';
import { priceNear } from '#engine/strategy/nearness.ts';
import type { ParameterValues, Signals, Strategy } from '#engine/strategy/strategy.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import { SignalWriter } from './signal-writer.ts';

type Name = 'period' | 'deviations' | 'squeeze' | 'squeezePeriod';

/**
 * Buys the return into the bands; with the switch, the breakout from a squeeze instead.
 *
 * Confidence: as a return, how far the last close was below the band, over half of the band's distance from the middle; as a
 * breakout, how far the close is above the band, over the same.
 */
export const bollingerReversion: Strategy<Name> = {
  name: 'BollingerReversion',
  title: 'Bollinger reversion',
  description:
    'Buys when the price returns from below the lower band and leaves at the middle. With the squeeze switch on it buys a close above the upper band after the bands were at their narrowest instead. Long only.',
  losesWhen:
    'As a reversion it loses when a fall continues along the band: each return into the bands is bought, and the next low is lower. As a squeeze breakout it loses on false starts.',
  kind: 'volatility',
  canShort: false,
  startupCandles: 300, // 50 of the longest band, 240 of the longest memory of its width, 10 for a squeeze to be recent
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
  compute(candles, parameters) {
    return parameters.squeeze >= 0.5 ? squeezeBreakout(candles, parameters) : reversion(candles, parameters);
  },
  nearness: ({ close, lower, upper }, { squeeze }) => [
    squeeze >= 0.5
      ? priceNear('long', 'price at the upper band', close, upper)
      : priceNear('long', close < lower ? 'price coming back to the lower band' : 'price at the lower band', close, lower),
  ],
};

function reversion({ close }: CandleColumns, { period, deviations }: ParameterValues<Name>): Signals {
  const bands = bollinger(close, { period, deviations });
  const writer = new SignalWriter(close.length, ['back-inside', 'middle'], { ...bands });
  for (let i = 1; i < close.length; i++) {
    const depth = (bands.lower[i - 1] - close[i - 1]) / (bands.middle[i - 1] - bands.lower[i - 1]);
    if (close[i] >= bands.middle[i]) writer.exitLong(i, 'middle');
    else if (depth > 0 && close[i] > bands.lower[i]) writer.enterLong(i, 'back-inside', 2 * depth);
  }
  return writer.signals();
}

function squeezeBreakout({ close }: CandleColumns, { period, deviations, squeezePeriod }: ParameterValues<Name>): Signals {
  const bands = bollinger(close, { period, deviations });
  const width = bands.upper.map((upper, i) => (upper - bands.lower[i]) / bands.middle[i]);
  const narrowest = donchian({ high: width, low: width }, squeezePeriod).lower;
  const writer = new SignalWriter(close.length, ['squeeze-breakout', 'middle'], { ...bands, width });
  let squeezedAt = -Infinity; // the last row with the narrowest bands
  for (let i = 1; i < close.length; i++) {
    if (width[i] === narrowest[i]) squeezedAt = i;
    const breaksOut = close[i] > bands.upper[i] && close[i - 1] <= bands.upper[i - 1];
    const excess = (close[i] - bands.upper[i]) / (bands.upper[i] - bands.middle[i]);
    if (close[i] < bands.middle[i]) writer.exitLong(i, 'middle');
    else if (breaksOut && i - squeezedAt <= 10) writer.enterLong(i, 'squeeze-breakout', 2 * excess);
  }
  return writer.signals();
}
