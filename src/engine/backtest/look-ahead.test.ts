import { describe, expect, test } from 'vitest';
import type { CandleColumns } from '../market/candle.ts';
import { candleColumns, sliceColumns } from '../market/candle.ts';
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

  /** A strategy whose column has `known` at the candle until more than `until` candles are known, and then `later`. */
  const changing = (column: string, candle: number, until: number, known = 0, later = 1) => ({
    compute({ close }: CandleColumns): Signals {
      const length = close.length;
      const values = new Float64Array(length);
      if (length > candle) values[candle] = length > until ? later : known;
      const signals = noSignals(length, column === 'indicators.x' ? { x: values } : {});
      return column === 'indicators.x'
        ? signals
        : { ...signals, tags: ['a'], [column]: column === 'confidence' ? values : Uint8Array.from(values) };
    },
  });
  test.each(['enterLong', 'exitLong', 'enterShort', 'exitShort', 'enterTag', 'exitTag', 'confidence', 'indicators.x'])(
    'is found in %s, with what was known and what came later',
    (column) => {
      expect(findLookAhead(changing(column, 7, 50), {}, candles)).toEqual({
        candle: 7,
        candleTime: 420_000,
        column,
        known: 0,
        later: 1,
        prefixLength: 8,
      });
    },
  );
  test('is not in a value that is not a number before and after, but in one that only was', () => {
    expect(findLookAhead(changing('indicators.x', 7, 50, Number.NaN, Number.NaN), {}, candles)).toBe(null);
    expect(findLookAhead(changing('indicators.x', 7, 50, Number.NaN, 1), {}, candles)).toMatchObject({ known: Number.NaN, later: 1 });
    expect(findLookAhead(changing('indicators.x', 7, 50, 1, Number.NaN), {}, candles)).toMatchObject({ known: 1, later: Number.NaN });
  });
  test('is named by the first candle that differs, whichever column and beginning shows it', () => {
    const both = {
      compute(known: CandleColumns): Signals {
        const { enterLong } = changing('enterLong', 90, 110).compute(known);
        return { ...changing('indicators.x', 30, 100).compute(known), enterLong };
      },
    };
    expect(findLookAhead(both, {}, candles)).toMatchObject({ candle: 30, column: 'indicators.x', prefixLength: 31 });
    const late = {
      compute(known: CandleColumns): Signals {
        const { close } = known;
        const signals = noSignals(close.length);
        signals.enterLong[10] = close.length === 60 ? 1 : 0;
        signals.exitLong[40] = close.length < 50 ? 1 : 0;
        return signals;
      },
    };
    expect(findLookAhead(late, {}, candles)).toMatchObject({ candle: 10, column: 'enterLong', prefixLength: 60 });
  });
  test('is tried on so many beginnings, spread evenly, all candles among them', () => {
    const given: number[] = [];
    const counts = { compute: ({ close }: CandleColumns) => (given.push(close.length), noSignals(close.length)) };
    findLookAhead(counts, {}, candles, { maxPrefixes: 5 });
    expect(given).toEqual([120, 24, 48, 72, 96, 120]);
    given.length = 0;
    findLookAhead(counts, {}, sliceColumns(candles, 0, 3), { maxPrefixes: 5 });
    expect(given).toEqual([3, 1, 2, 3]);
  });
  test('a column that comes and goes is not compared', () => {
    const shy = {
      compute: ({ close }: CandleColumns) => ({
        ...noSignals(close.length),
        confidence: close.length < 60 ? new Float64Array(close.length).fill(1) : null,
      }),
    };
    expect(findLookAhead(shy, {}, candles)).toBe(null);
  });
  test('a strategy that spoils the candles it is given spoils its own only', () => {
    const spoils = { compute: ({ close }: CandleColumns) => (close.fill(0), noSignals(close.length)) };
    const before = candles.close.slice();
    findLookAhead(spoils, {}, candles, { maxPrefixes: 3 });
    expect(candles.close).toEqual(before);
  });
});
