import { describe, expect, test } from 'vitest';
import { randomWalk } from '#engine/indicators/testing/random-walk.ts';
import { watchedRowAt } from '#engine/bot/watched-row.ts';
import { defaultParameters } from '#engine/strategy/strategy.ts';
import { adxDirectional } from './adx-directional.ts';
import { bollingerReversion } from './bollinger-reversion.ts';
import { builtInStrategies } from './built-in.ts';
import { rsiReversal } from './rsi-reversal.ts';
import { stochasticPullback } from './stochastic-pullback.ts';
import { vwapReversion } from './vwap-reversion.ts';

describe('ADD-bot-decisions: how far a candle was from an entry', () => {
  test('a reading names itself and its line', () => {
    const parameters = defaultParameters(rsiReversal);
    expect(rsiReversal.nearness?.({ rsi: 31, close: 5 }, parameters)).toEqual([
      { direction: 'long', name: 'RSI', value: 31, threshold: 30, distance: 1 },
    ]);
    expect(rsiReversal.nearness?.({ rsi: 31, close: 5 }, { ...parameters, oversold: 20 })).toMatchObject([{ threshold: 20, distance: 11 }]);
  });

  test('what is past its line already waits for the return', () => {
    expect(rsiReversal.nearness?.({ rsi: 29, close: 5 }, defaultParameters(rsiReversal))[0]?.name).toBe('RSI coming back');
    const [row, below] = [
      { close: 191, lower: 190, upper: 204 },
      { close: 189, lower: 190, upper: 204 },
    ];
    const ofBollinger = (of: typeof row) => bollingerReversion.nearness?.(of, defaultParameters(bollingerReversion))[0]?.name;
    const ofVwap = (of: typeof row) => vwapReversion.nearness?.(of, defaultParameters(vwapReversion))[0]?.name;
    for (const name of [ofBollinger, ofVwap])
      expect([name(row), name(below)]).toEqual(['price at the lower band', 'price coming back to the lower band']);
  });

  test('a price is compared with the band that it has to reach, as a part of itself', () => {
    const parameters = defaultParameters(bollingerReversion);
    const row = { close: 200, lower: 190, upper: 204 };
    expect(bollingerReversion.nearness?.(row, parameters)).toMatchObject([{ value: 200, threshold: 190, distance: 0.05 }]);
    expect(bollingerReversion.nearness?.(row, { ...parameters, squeeze: 1 })).toMatchObject([{ threshold: 204, distance: 0.02 }]);
    expect(vwapReversion.nearness?.(row, defaultParameters(vwapReversion))).toMatchObject([{ threshold: 190, distance: 0.05 }]);
  });

  test('the side is the one that the trend allows; without a trend there is none', () => {
    const ofStochastic = (close: number) =>
      stochasticPullback.nearness?.({ d: 40, trend: 100, close }, defaultParameters(stochasticPullback));
    expect(ofStochastic(101)).toMatchObject([{ direction: 'long', value: 40, threshold: 25, distance: 15 }]);
    expect(ofStochastic(99)).toMatchObject([{ direction: 'short', value: 40, threshold: 75, distance: 35 }]);
    expect(ofStochastic(100)).toEqual([]);
    const ofAdx = (adx: number, plusDi: number) =>
      adxDirectional.nearness?.({ adx, plusDi, minusDi: 20, close: 1 }, defaultParameters(adxDirectional));
    expect(ofAdx(24, 30)).toMatchObject([{ direction: 'long', threshold: 25, distance: 1 }]);
    expect(ofAdx(24, 10)).toMatchObject([{ direction: 'short' }]);
    expect([ofAdx(25, 30), ofAdx(24, 20)]).toEqual([[], []]); // strong already, or of neither side
  });

  test.each(builtInStrategies.map((strategy) => [strategy.name, strategy] as const))(
    '%s: what is kept is finite, of six values at most; a warm-up keeps nothing',
    (_, strategy) => {
      const candles = randomWalk({ length: 1500, seed: 7, stepMs: 300_000 });
      const parameters = defaultParameters(strategy);
      const signals = strategy.compute(candles, parameters);
      for (let at = 0; at < 1500; at += 7) {
        const { values = {}, near = [] } = watchedRowAt(strategy, parameters, signals, candles.close, at);
        const numbers = [...Object.values(values), ...near.flatMap(({ value, threshold, distance }) => [value, threshold, distance])];
        expect(numbers.every(Number.isFinite)).toBe(true);
        expect(Object.keys(values).length).toBeLessThanOrEqual(6);
        if (at === 0 && strategy === rsiReversal) expect({ values, near }).toEqual({ values: {}, near: [] });
      }
    },
  );
});
