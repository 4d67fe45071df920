import { noSignals, type Strategy } from '#engine/strategy/strategy.ts';

/** The other benchmark: never trades. What is lost against it was lost by trading. */
export const alwaysFlat: Strategy = {
  name: 'AlwaysFlat',
  title: 'Always flat',
  description: 'Never buys anything. It shows what a bot would have kept by doing nothing.',
  losesWhen: 'It never loses money, and misses every rise.',
  kind: 'benchmark',
  canShort: false,
  startupCandles: 0,
  defaults: {
    timeframe: '1h',
    stoploss: -0.1,
    minimalRoi: {},
    trailingStop: false,
    trailingStopPositive: null,
    trailingStopPositiveOffset: 0,
    trailingOnlyOffsetIsReached: false,
  },
  parameters: {},
  compute({ close }) {
    return noSignals(close.length);
  },
};
