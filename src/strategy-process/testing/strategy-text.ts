/** What of a strategy's file is to be different from one that works. */
export interface StrategyParts {
  before?: string; // at the top of the file
  compute?: string; // statements; `candles`, `count`, `signals` and `close` are there
  callbacks?: string; // the members
  fields?: string; // of the strategy, e.g. `startupCandles: 5,`
}

/** The text of a strategy's file that enters where a price is above its average of ten candles. */
export function strategyText({ before = '', compute = '', callbacks = '', fields = '' }: StrategyParts = {}): string {
  return `import { noSignals } from '#engine/strategy/strategy.ts';
import { ema } from '#engine/indicators/ema.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';
${before}
const strategy: Strategy<'period'> = {
  name: 'Above',
  title: 'Above the average',
  description: 'Enters above the average.',
  losesWhen: 'It loses sideways.',
  kind: 'trend',
  canShort: false,
  startupCandles: 20,
  defaults: {
    timeframe: '5m', stoploss: -0.05, minimalRoi: {}, trailingStop: false, trailingStopPositive: null,
    trailingStopPositiveOffset: 0, trailingOnlyOffsetIsReached: false,
  },
  parameters: { period: { default: 10, min: 2, max: 50, step: 1, meaning: 'Candles of the average.' } },
  compute(candles, { period }) {
    const { close } = candles;
    const count = close.length;
    const average = ema(close, period);
    const signals = { ...noSignals(count, { average }), tags: ['above'], enterTag: new Uint8Array(count) };
    for (let i = 0; i < count; i++) {
      if (!(close[i] > average[i])) continue;
      signals.enterLong[i] = 1;
      signals.enterTag[i] = 1;
    }
    ${compute}
    return signals;
  },
  callbacks: { ${callbacks} },
  ${fields}
};
export default strategy;
`;
}
