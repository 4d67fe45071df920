import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { candleAt, candleColumns, sliceColumns, toColumns, type Candle, type CandleColumns } from '../market/candle.ts';
import { adx, Adx } from './adx.ts';
import { anchoredVwap, AnchoredVwap } from './anchored-vwap.ts';
import { atr, Atr } from './atr.ts';
import { bollinger, Bollinger } from './bollinger.ts';
import { donchian, Donchian } from './donchian.ts';
import { ema, Ema } from './ema.ts';
import { macd, Macd } from './macd.ts';
import { randomWalk } from './testing/random-walk.ts';
import { rsi, Rsi } from './rsi.ts';
import { sma, Sma } from './sma.ts';
import { stochastic, Stochastic } from './stochastic.ts';
import { superTrend, SuperTrend } from './super-trend.ts';
import { vwap, Vwap } from './vwap.ts';

type Columns = Record<string, Float64Array>;

interface Incremental {
  push(candle: Candle): Record<string, number>;
  peek(candle: Candle): Record<string, number>;
}

interface Row {
  name: string;
  warmUp: (period: number) => Record<string, number>; // NaN rows of each column
  batch: (candles: CandleColumns, period: number) => Columns;
  incremental: (period: number) => Incremental;
}

/** An indicator over closes, as one over candles. */
function overCloses(indicator: { push(value: number): number; peek(value: number): number }): Incremental {
  return { push: (candle) => ({ value: indicator.push(candle.close) }), peek: (candle) => ({ value: indicator.peek(candle.close) }) };
}

/** An indicator whose rows have several numbers; an interface is not a Record to the compiler. */
function named(indicator: { push(candle: Candle): object; peek(candle: Candle): object }): Incremental {
  return indicator as Incremental;
}

const start = 1_704_067_200_000;
const anchor = start + 600_000;

const rows: Row[] = [
  {
    name: 'SMA',
    warmUp: (n) => ({ value: n - 1 }),
    batch: ({ close }, n) => ({ value: sma(close, n) }),
    incremental: (n) => overCloses(new Sma(n)),
  },
  {
    name: 'EMA',
    warmUp: (n) => ({ value: n - 1 }),
    batch: ({ close }, n) => ({ value: ema(close, n) }),
    incremental: (n) => overCloses(new Ema(n)),
  },
  {
    name: 'RSI',
    warmUp: (n) => ({ value: n }),
    batch: ({ close }, n) => ({ value: rsi(close, n) }),
    incremental: (n) => overCloses(new Rsi(n)),
  },
  {
    name: 'MACD',
    warmUp: (n) => ({ macd: 2 * n + 1, signal: 2 * n + 1, histogram: 2 * n + 1 }),
    batch: ({ close }, n) => macd(close, { fast: n, slow: n + 3, signal: n }),
    incremental: (n) => {
      const indicator = new Macd({ fast: n, slow: n + 3, signal: n });
      return named({ push: (candle) => indicator.push(candle.close), peek: (candle) => indicator.peek(candle.close) });
    },
  },
  {
    name: 'Bollinger',
    warmUp: (n) => ({ upper: n - 1, middle: n - 1, lower: n - 1 }),
    batch: ({ close }, n) => bollinger(close, { period: n, deviations: 2 }),
    incremental: (n) => {
      const indicator = new Bollinger({ period: n, deviations: 2 });
      return named({ push: (candle) => indicator.push(candle.close), peek: (candle) => indicator.peek(candle.close) });
    },
  },
  {
    name: 'ATR',
    warmUp: (n) => ({ value: n }),
    batch: (candles, n) => ({ value: atr(candles, n) }),
    incremental: (n) => {
      const indicator = new Atr(n);
      return { push: (candle) => ({ value: indicator.push(candle) }), peek: (candle) => ({ value: indicator.peek(candle) }) };
    },
  },
  {
    name: 'ADX',
    warmUp: (n) => ({ adx: 2 * n - 1, plusDi: n, minusDi: n }),
    batch: (candles, n) => adx(candles, n),
    incremental: (n) => named(new Adx(n)),
  },
  {
    name: 'Stochastic',
    warmUp: (n) => ({ k: n + 2, d: n + 2 }),
    batch: (candles, n) => stochastic(candles, { k: n, slowing: 3, d: 2 }),
    incremental: (n) => named(new Stochastic({ k: n, slowing: 3, d: 2 })),
  },
  {
    name: 'SuperTrend',
    warmUp: (n) => ({ line: n - 1, direction: n - 1 }),
    batch: (candles, n) => superTrend(candles, { period: n, factor: 1.5 }),
    incremental: (n) => named(new SuperTrend({ period: n, factor: 1.5 })),
  },
  {
    name: 'VWAP',
    warmUp: () => ({ vwap: 0, deviation: 0 }),
    batch: (candles) => vwap(candles),
    incremental: () => named(new Vwap()),
  },
  {
    name: 'anchored VWAP',
    warmUp: () => ({ vwap: 2, deviation: 2 }),
    batch: (candles) => anchoredVwap(candles, anchor),
    incremental: () => named(new AnchoredVwap(anchor)),
  },
  {
    name: 'Donchian',
    warmUp: (n) => ({ upper: n - 1, middle: n - 1, lower: n - 1 }),
    batch: (candles, n) => donchian(candles, n),
    incremental: (n) => named(new Donchian(n)),
  },
];

// Few distinct prices on purpose: ties, flat stretches and candles without volume are where two forms come apart.
const price = fc.oneof(fc.integer({ min: 1, max: 4 }), fc.double({ min: 1e-8, max: 70_000, noNaN: true }));
const candle = fc
  .record({
    open: price,
    close: price,
    above: price,
    below: price,
    volume: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e6, noNaN: true })),
  })
  .map(({ open, close, above, below, volume }) => ({
    open,
    close,
    high: Math.max(open, close, above),
    low: Math.min(open, close, below),
    volume,
  }));
const someCandles = fc
  .array(candle, { maxLength: 80 })
  // 5 hours apart, so that a series spans several UTC days.
  .map((list) => list.map((prices, i): Candle => ({ openTime: start + i * 18_000_000, ...prices })));
const somePeriod = fc.integer({ min: 1, max: 12 });

describe.each(rows)('$name', ({ warmUp, batch, incremental }) => {
  test('the incremental form equals the batch bit for bit, and peek equals the push that follows', () => {
    fc.assert(
      fc.property(someCandles, somePeriod, (list, period) => {
        const columns = batch(toColumns(list), period);
        const indicator = incremental(period);
        for (const [i, each] of list.entries()) {
          indicator.peek({ ...each, close: each.high, volume: each.volume + 1 }); // an earlier look at the candle must leave no trace
          const peeked = indicator.peek(each);
          const pushed = indicator.push(each);
          for (const name of Object.keys(columns)) {
            expect(Object.is(pushed[name], columns[name][i]), `${name} row ${i}: pushed ${pushed[name]}, batch ${columns[name][i]}`).toBe(
              true,
            );
            expect(Object.is(peeked[name], pushed[name]), `${name} row ${i}: peeked ${peeked[name]}, pushed ${pushed[name]}`).toBe(true);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  test('no row depends on later candles', () => {
    fc.assert(
      fc.property(someCandles, somePeriod, fc.nat(80), (list, period, cut) => {
        const all = toColumns(list);
        const whole = batch(all, period);
        const part = batch(sliceColumns(all, 0, Math.min(cut, list.length)), period);
        for (const name of Object.keys(part)) expect(part[name]).toEqual(whole[name].subarray(0, part[name].length));
      }),
    );
  });

  test('exactly the warm-up rows are NaN, and shorter input is all NaN', () => {
    const candles = randomWalk({ length: 100, seed: 1, stepMs: 300_000 });
    for (const period of [1, 2, 5, 14]) {
      const columns = batch(candles, period);
      for (const [name, expected] of Object.entries(warmUp(period))) {
        expect([name, columns[name].findIndex((value) => !Number.isNaN(value))]).toEqual([name, expected]);
        expect(columns[name].subarray(expected).every(Number.isFinite)).toBe(true);
        const short = batch(sliceColumns(candles, 0, expected), period)[name];
        expect(short).toHaveLength(expected);
        expect(short.every(Number.isNaN)).toBe(true);
      }
    }
    for (const column of Object.values(batch(candleColumns(0), 3))) expect(column).toHaveLength(0);
  });

  test('long series agree too, where rings have turned many times', () => {
    const candles = randomWalk({ length: 3000, seed: 2, stepMs: 300_000 });
    const columns = batch(candles, 14);
    const indicator = incremental(14);
    for (let i = 0; i < 3000; i++) {
      const peeked = indicator.peek(candleAt(candles, i));
      const pushed = indicator.push(candleAt(candles, i));
      for (const name of Object.keys(columns)) {
        if (!Object.is(peeked[name], pushed[name]) || !Object.is(pushed[name], columns[name][i])) {
          expect([name, i, peeked[name], pushed[name]]).toEqual([name, i, columns[name][i], columns[name][i]]);
        }
      }
    }
  });
});

test('a period that is not a whole number of at least 1 is refused', () => {
  const candles = randomWalk({ length: 10, seed: 1, stepMs: 60_000 });
  for (const { name, batch } of rows.filter((row) => !row.name.includes('VWAP'))) {
    for (const period of [0, -1, 2.5, NaN]) expect(() => batch(candles, period), `${name} ${period}`).toThrow(RangeError);
  }
});
