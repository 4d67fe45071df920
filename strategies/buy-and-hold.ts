import type { Strategy } from '#engine/strategy/strategy.ts';
import { SignalWriter } from './signal-writer.ts';

/**
 * The benchmark of every other strategy: buy at once, never sell.
 *
 * Confidence: always 1, a rule that always buys has no doubts
 */
export const buyAndHold: Strategy = {
  name: 'BuyAndHold',
  title: 'Buy and hold',
  description: 'Buys at the first chance and never sells by itself. A strategy that does not beat it is not worth its fees.',
  losesWhen: 'It loses whenever the market falls, as much as the market: its stop is so far away that nothing ends a fall.',
  kind: 'benchmark',
  canShort: false,
  startupCandles: 0,
  defaults: {
    timeframe: '1h',
    stoploss: -0.99,
    minimalRoi: {},
    trailingStop: false,
    trailingStopPositive: null,
    trailingStopPositiveOffset: 0,
    trailingOnlyOffsetIsReached: false,
  },
  parameters: {},
  compute({ close }) {
    const writer = new SignalWriter(close.length, ['always'], {});
    // Every row, not only the first: a running bot acts on the newest row, wherever its window begins.
    for (let i = 0; i < close.length; i++) writer.enterLong(i, 'always', 1);
    return writer.signals();
  },
};
