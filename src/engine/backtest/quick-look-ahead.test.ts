import { expect, test } from 'vitest';
import type { CandleColumns } from '../market/candle.ts';
import { candleColumns } from '../market/candle.ts';
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
