import { expect, test } from 'vitest';
import type { CandleColumns } from '../market/candle.ts';
import { candleColumns, sliceColumns } from '../market/candle.ts';
import type { Signals } from '../strategy/strategy.ts';
import { noSignals } from '../strategy/strategy.ts';
import { lookAheadSentence, quickLookAhead } from './quick-look-ahead.ts';

const candles: CandleColumns = candleColumns(20_000);
for (let i = 0; i < 20_000; i++) {
  candles.openTime[i] = Date.UTC(2025, 2, 3) + i * 60_000;
  candles.close[i] = 100 + Math.sin(i / 3) * 10;
}

/** Leaves where the rule says so; counts the candles it was given. */
function leaving(rule: (close: Float64Array, i: number) => boolean) {
  const strategy = {
    given: [] as number[],
    compute({ close }: CandleColumns): Signals {
      strategy.given.push(close.length);
      const signals = noSignals(close.length);
      for (let i = 0; i < close.length; i++) signals.exitLong[i] = rule(close, i) ? 1 : 0;
      return signals;
    },
  };
  return strategy;
}
const found = (strategy: ReturnType<typeof leaving>) => quickLookAhead(strategy, {}, candles, strategy.compute(candles));

test('a strategy that knows only the past passes, after a dozen beginnings of at most 4,000 candles', () => {
  const honest = leaving((close, i) => close[i] > close[i - 1]);
  expect(found(honest)).toBeNull();
  const [, ...beginnings] = honest.given;
  expect(beginnings).toHaveLength(12);
  expect(Math.max(...beginnings)).toBe(4_000);
});

test('a strategy that knows the next candle is found where it signals, and the sentence names the candle', () => {
  const peeking = leaving((_, i) => i === 3_333);
  const next = leaving((close, i) => i === 3_333 && close.length > 3_334);
  expect(found(peeking)).toBeNull();
  const ahead = found(next)!;
  expect(ahead).toMatchObject({ candle: 3_333, column: 'exitLong', known: 0, later: 1, prefixLength: 3_334 });
  expect(lookAheadSentence('Next', 'BTC/USDT', candles, ahead)).toBe(
    'Next looks ahead: on BTC/USDT exitLong of the candle of 2025-03-05 07:33 (number 3333) is 0 when the candles up to 2025-03-05 07:33 are known, and 1 when later ones are.',
  );
});

test('a strategy that never signals is tried all the same: a signal may be missing only in hindsight', () => {
  const timid = leaving((close, i) => i === 1_999 && close.length <= 2_000);
  expect(found(timid)).toMatchObject({ candle: 1_999, known: 1, later: 0 });
});

/** How many candles a strategy with this flag at these rows is given, of so many. */
function beginnings(column: 'enterLong' | 'exitLong' | 'enterShort' | 'exitShort', rows: readonly number[], count: number): number[] {
  const few = sliceColumns(candles, 0, count);
  const given: number[] = [];
  const strategy = {
    compute({ close }: CandleColumns): Signals {
      given.push(close.length);
      const signals = noSignals(close.length);
      for (const row of rows) if (row < close.length) signals[column][row] = 1;
      return signals;
    },
  };
  expect(quickLookAhead(strategy, {}, few, strategy.compute(few))).toBeNull();
  return given.slice(1);
}

test.each(['enterLong', 'exitLong', 'enterShort', 'exitShort'] as const)(
  'candles with the flag %s are tried, and a few others',
  (column) => {
    expect(beginnings(column, [3, 7], 100)).toEqual([4, 8, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
  },
);

test('of many candles with signals ten are tried, evenly spread, with the middle and the last of all', () => {
  const rows = Array.from({ length: 20 }, (_, i) => i * 3);
  expect(beginnings('enterLong', rows, 100)).toEqual([1, 7, 13, 19, 25, 31, 37, 43, 49, 50, 55, 100]);
});

test('of very few candles each is tried once, and of none nothing', () => {
  expect(beginnings('enterLong', [1], 3)).toEqual([1, 2, 3]);
  expect(beginnings('enterLong', [], 0)).toEqual([]);
});

test('a candle beyond the first 4,000 is not tried', () => {
  expect(Math.max(...beginnings('enterLong', [4_500], 5_000))).toBe(4_000);
});
