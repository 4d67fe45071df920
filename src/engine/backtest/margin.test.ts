import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aTrade } from '../account/testing/a-trade.ts';
import { interestOwed } from '../account/interest.ts';
import { profitAt, rateForProfit, valueAtEntry } from '../account/profit.ts';
import type { Direction } from '../market/direction.ts';
import type { Ohlc } from './testing/scenario.ts';
import { f, hour, simulate, tradeLines, z } from './testing/scenario.ts';

// Interest exists by its formulas only: no exchange lets the reference trade on margin.

const margin = { marketType: 'margin', canShort: true, leverage: 3, stoploss: -0.6 } as const;
const direction = fc.constantFrom<Direction>('long', 'short');
const scheme = fc.constantFrom<'binance' | 'kraken'>('binance', 'kraken');

describe('interest', () => {
  test('never raises a profit and never brings the price of a ROI nearer, for any position and time', () => {
    const position = fc.record({
      direction,
      scheme,
      amount: fc.double({ min: 0.001, max: 1000, noNaN: true }),
      openRate: fc.double({ min: 0.01, max: 100_000, noNaN: true }),
      leverage: fc.constantFrom(1, 2, 3, 10),
      minutes: fc.integer({ min: 0, max: 100_000 }),
      move: fc.double({ min: 0.5, max: 1.5, noNaN: true }),
      rates: fc.tuple(fc.double({ min: 0, max: 0.01, noNaN: true }), fc.double({ min: 0, max: 0.01, noNaN: true })),
    });
    fc.assert(
      fc.property(position, (given) => {
        const { amount, openRate, leverage } = given;
        const [low, high] = given.rates
          .toSorted((a, b) => a - b)
          .map((ratePerPeriod) =>
            aTrade({
              direction: given.direction,
              marketType: 'margin',
              amount,
              openRate,
              leverage,
              openValue: valueAtEntry(given.direction, amount, openRate, 0.001),
              interest: { scheme: given.scheme, ratePerPeriod },
            }),
          );
        const time = given.minutes * 60_000;
        const rate = openRate * given.move;
        expect(interestOwed({ scheme: given.scheme, ratePerPeriod: given.rates[0] }, high, time)).toBeGreaterThanOrEqual(0);
        expect(profitAt(high, rate, time)).toBeLessThanOrEqual(profitAt(low, rate, time));
        const tolerance = 1e-9 * openRate;
        if (given.direction === 'long')
          expect(rateForProfit(high, 0.05, time)).toBeGreaterThanOrEqual(rateForProfit(low, 0.05, time) - tolerance);
        else expect(rateForProfit(high, 0.05, time)).toBeLessThanOrEqual(rateForProfit(low, 0.05, time) + tolerance);
      }),
    );
  });

  test('leaves trades that signals and stops decide where they are, and lowers the profit of each', () => {
    const price = fc.integer({ min: 80, max: 120 });
    const candle = fc
      .tuple(price, price, price, price)
      .map((prices): Ohlc => [prices[0], Math.max(...prices), Math.min(...prices), prices[3]]);
    const world = fc.record({
      candles: fc.array(candle, { minLength: 20, maxLength: 40 }),
      enter: fc.array(fc.integer({ min: 0, max: 30 })),
      exit: fc.array(fc.integer({ min: 0, max: 30 })),
      enterShort: fc.array(fc.integer({ min: 0, max: 30 })),
      exitShort: fc.array(fc.integer({ min: 0, max: 30 })),
    });
    let trades = 0;
    fc.assert(
      fc.property(world, scheme, (given, interestScheme) => {
        const { candles } = given;
        const inside = (rows: number[]): number[] => rows.filter((row) => row < candles.length);
        const pair = {
          candles,
          enter: inside(given.enter),
          exit: inside(given.exit),
          enterShort: inside(given.enterShort),
          exitShort: inside(given.exitShort),
        };
        const run = (interestRate: number) =>
          simulate({ pairs: { A: pair }, settings: { ...margin, interestScheme, interestRate, startingBalance: 1e6 } });
        const [free, paid] = [run(0), run(0.001)];
        const where = (result: typeof free) => result.trades.map(({ openTime, closeTime, closeRate }) => [openTime, closeTime, closeRate]);
        expect(where(paid)).toEqual(where(free));
        free.trades.forEach(({ profit }, i) => expect(paid.trades[i].profit).toBeLessThanOrEqual(profit ?? NaN));
        expect(paid.finalBalance).toBeLessThanOrEqual(free.finalBalance);
        trades += free.trades.length;
      }),
    );
    expect(trades).toBeGreaterThan(100);
  });

  test('a part taken out pays for its part, and by the hours it was held', () => {
    // 30 borrow 2000. The 15 taken out after an hour pay 1000 * 0.024 / 24, the rest after three hours three times that.
    const run = (interestRate: number) =>
      simulate({
        pairs: { A: { candles: [z, f, f, f, f, f], enter: [0], exit: [3] } },
        settings: { ...margin, interestRate, positionAdjustment: true },
        callbacks: { adjustPosition: ({ trade, time }) => (time - trade.openTime === hour ? -500 : null) },
      }).trades[0];
    expect(run(0.024).orders.map(({ amount }) => amount)).toEqual([30, 15, 15]);
    expect(run(0.024).profit).toBeCloseTo((run(0).profit ?? 0) - 4, 8);
  });
});

test('on margin nothing is liquidated, and the stop is a share of the stake', () => {
  const result = simulate({ pairs: { A: { candles: [z, f, [100, 100, 60, 62], f], enterShort: [], enter: [0] } }, settings: margin });
  expect(tradeLines(result)).toEqual(['01:00 @ 100 -> 02:00 @ 80 stop_loss, -605.4']);
  expect(result.trades[0].liquidationPrice).toBe(null);
});
