import { describe, expect, test } from 'vitest';
import type { CandleColumns } from '../market/candle.ts';
import { candleColumns } from '../market/candle.ts';
import type { Signals } from '../strategy/strategy.ts';
import { noSignals } from '../strategy/strategy.ts';
import { findLookAhead } from './look-ahead.ts';

const candles: CandleColumns = candleColumns(120);
for (let i = 0; i < 120; i++) {
  candles.openTime[i] = i * 60_000;
  candles.close[i] = 100 + Math.sin(i / 3) * 10;
}

/** Enters where the rule says so. */
function entering(rule: (close: Float64Array, i: number) => boolean) {
  return {
    compute({ close }: CandleColumns): Signals {
      const signals = noSignals(close.length);
      for (let i = 0; i < close.length; i++) signals.enterLong[i] = rule(close, i) ? 1 : 0;
      return signals;
    },
  };
}

describe('look-ahead', () => {
  test('a strategy that knows only the past has none', () => {
    expect(
      findLookAhead(
        entering((close, i) => close[i] > close[i - 1]),
        {},
        candles,
      ),
    ).toBe(null);
  });
  test('one that looks at the next candle is found at the first candle that differs', () => {
    const found = findLookAhead(
      entering((close, i) => close[i + 1] > close[i]),
      {},
      candles,
    );
    expect(found).toEqual({ candle: 0, candleTime: 0, column: 'enterLong', known: 0, later: 1, prefixLength: 1 });
  });
  test('one that looks at the highest of all is found', () => {
    const found = findLookAhead(
      entering((close, i) => close[i] === Math.max(...close)),
      {},
      candles,
    );
    expect(found).toMatchObject({ column: 'enterLong', known: 1, later: 0, candle: 0 });
  });
  test('one that hides it in an indicator is found', () => {
    const centred = {
      compute({ close }: CandleColumns): Signals {
        const mean = close.map((_, i) => (close[i - 1] + close[i] + close[i + 1]) / 3);
        return noSignals(close.length, { mean });
      },
    };
    expect(findLookAhead(centred, {}, candles)).toMatchObject({ candle: 1, column: 'indicators.mean', prefixLength: 2 });
  });
});
