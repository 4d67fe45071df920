import { describe, expect, test } from 'vitest';
import { aTrade } from '../account/testing/a-trade.ts';
import { anOrder } from '../account/testing/an-order.ts';
import type { Trade } from '../account/trade.ts';
import { referenceMetrics } from './reference-metrics.ts';
import { studentTwoSided } from './student-t.ts';

const day = 86_400_000;
const startTime = Date.UTC(2024, 0, 1);

function closed(profits: readonly number[], days: readonly number[]): Trade[] {
  return profits.map((profit, i) =>
    aTrade({ isOpen: false, openTime: startTime, closeTime: startTime + days[i] * day, profit, profitRatio: profit / 100 }),
  );
}

describe('W16 metrics', () => {
  const profits = [20, -10, 15, -30, 25, -5];
  const metrics = () =>
    referenceMetrics(closed(profits, [1, 2, 3, 5, 7, 9]), {
      startTime,
      endTime: startTime + 10 * day,
      startingBalance: 1000,
      finalBalance: 1015,
    });
  test.each([
    ['totalProfit', 15, 10],
    ['totalProfitRatio', 0.015, 12],
    ['winRate', 0.5, 12],
    ['sharpe', 1.483993, 6],
    ['sortino', 2.653165, 6],
    ['calmar', 97.912988, 6],
    ['sqn', 0.2895, 10],
    ['cagr', 0.72191, 6],
    ['profitFactor', 1.333333, 6],
    ['expectancy', 2.5, 10],
    ['expectancyRatio', 0.166667, 6],
    ['maxDrawdownAbs', 30, 10],
    ['accountDrawdown', 0.0292683, 7],
    ['maxConsecutiveWins', 1, 10],
    ['maxConsecutiveLosses', 1, 10],
    ['lowBalance', 995, 10],
    ['highBalance', 1025, 10],
    ['pValue', 0.783833, 6],
  ] as const)('%s is %d', (name, value, digits) => {
    expect(metrics()[name]).toBeCloseTo(value, digits);
  });

  const span = { startTime, endTime: startTime + 10 * day, startingBalance: 1000, finalBalance: 1900 };
  test('the largest absolute and the largest relative drawdown may differ', () => {
    const { maxDrawdownAbs, accountDrawdown, relativeDrawdown } = referenceMetrics(closed([100, -40, 900, -60], [1, 2, 3, 4]), span);
    expect(maxDrawdownAbs).toBeCloseTo(60, 10);
    expect(accountDrawdown).toBeCloseTo(0.0306122, 7);
    expect(relativeDrawdown).toBeCloseTo(0.0363636, 7);
  });
  test('the first high is 0', () => {
    const { maxDrawdownAbs, accountDrawdown } = referenceMetrics(closed([-40, 10], [1, 2]), span);
    expect(maxDrawdownAbs).toBe(40);
    expect(accountDrawdown).toBeCloseTo(0.04, 12);
  });
  test('without a loss the drawdown begins and ends at the first close', () => {
    const { drawdownStartTime, drawdownEndTime, maxDrawdownAbs } = referenceMetrics(closed([10, 20], [3, 4]), span);
    expect([drawdownStartTime, drawdownEndTime, maxDrawdownAbs]).toEqual([startTime + 3 * day, startTime + 3 * day, 0]);
    expect(referenceMetrics([], span).drawdownStartTime).toBe(null);
  });
  test('the average duration and the trades a day round exact middles to even', () => {
    const lasting = (minutes: number): Trade =>
      aTrade({ isOpen: false, openTime: startTime, closeTime: startTime + minutes * 60_000, profit: 1, profitRatio: 0.01 });
    const averageOf = (...minutes: number[]): number => referenceMetrics(minutes.map(lasting), span).averageDurationMs / 60_000;
    expect([averageOf(2, 3), averageOf(3, 4), averageOf(1, 1, 2)]).toEqual([2, 4, 1]);
    const eight = { ...span, endTime: startTime + 8 * day };
    expect(referenceMetrics(closed(Array(53).fill(1), Array(53).fill(1)), eight).tradesPerDay).toBe(6.62);
  });
  test('W1 one trade has no deviation: the sentinel', () => {
    const { sharpe, sortino, calmar, sqn } = referenceMetrics(closed([37.56], [1]), span);
    expect([sharpe, sortino, calmar, sqn]).toEqual([-100, -100, -100, -100]);
  });
  test('no trade at all', () => {
    const { sharpe, sortino, calmar, sqn, winRate, pValue } = referenceMetrics([], span);
    expect([sharpe, sortino, calmar, sqn, winRate, pValue]).toEqual([0, 0, 0, 0, 0, 1]);
  });
});

describe('definitions that W16 does not touch', () => {
  const span = { startTime, endTime: startTime + 10 * day, startingBalance: 1000, finalBalance: 1008 };
  const metrics = () => referenceMetrics(closed([10, 0, -4, -6, 8], [1, 1, 3, 4, 4]), span);
  test('a draw is a trade, no win, and part of a losing streak', () => {
    expect(metrics()).toMatchObject({
      tradeCount: 5,
      wins: 2,
      draws: 1,
      losses: 2,
      winRate: 0.4,
      maxConsecutiveWins: 1,
      maxConsecutiveLosses: 3,
    });
    expect(metrics().medianProfitRatio).toBe(0);
    expect(metrics().meanProfitRatio).toBeCloseTo(0.016, 12);
  });
  test('days are summed by the close; those without a trade inside the span are even', () => {
    expect(metrics()).toMatchObject({ winningDays: 2, drawDays: 1, losingDays: 1, bestDay: 10, worstDay: -4 });
  });
  test('money', () => {
    expect([metrics().profitFactor, metrics().expectancy, metrics().expectancyRatio].map((value) => Number(value.toFixed(12)))).toEqual([
      1.8, 1.6, 0.12,
    ]);
    expect(metrics()).toMatchObject({ averageStake: 1000, tradesPerDay: 0.5, days: 10, averageDurationMs: 2.6 * day });
  });
  test('a drawdown goes from the close that set the high to that of the lowest point', () => {
    expect(metrics()).toMatchObject({
      maxDrawdownAbs: 10,
      drawdownStartTime: startTime + day,
      drawdownEndTime: startTime + 4 * day,
      drawdownHigh: 10,
      drawdownLow: 0,
    });
  });
  test('without a loss the profit factor is 0 and the ratio of expectancy 100', () => {
    expect(referenceMetrics(closed([5, 7], [1, 2]), span)).toMatchObject({
      profitFactor: 0,
      expectancyRatio: 100,
      sortino: -100,
      calmar: -100,
    });
  });
  test('one loser has no deviation; a range of no length has no ratio; a balance below 0 has no growth', () => {
    expect(referenceMetrics(closed([5, -7], [1, 2]), span).sortino).toBe(-100);
    expect(referenceMetrics(closed([5, -7], [1, 2]), { ...span, endTime: startTime })).toMatchObject({
      sharpe: 0,
      sortino: 0,
      calmar: 0,
      days: 1,
    });
    expect(referenceMetrics(closed([5, -7], [1, 2]), { ...span, finalBalance: -1 }).cagr).toBe(0);
  });
  test('the volume is the cost of all orders, with the fee on top of buys and of sells', () => {
    const filled = { amount: 2, filled: 2, state: 'filled', feeRatio: 0.01 } as const;
    const trade = aTrade({
      isOpen: false,
      closeTime: startTime,
      profit: 1,
      orders: [
        anOrder({ ...filled, price: 100, fillPrice: 100 }),
        anOrder({ ...filled, id: '2', purpose: 'exit', price: 110, fillPrice: 110 }),
      ],
    });
    expect(referenceMetrics([trade], span).totalVolume).toBeCloseTo(202 + 222.2, 10);
  });
});

test('the t distribution agrees with printed tables', () => {
  expect(studentTwoSided(2.5706, 5)).toBeCloseTo(0.05, 5);
  expect(studentTwoSided(1.98397, 100)).toBeCloseTo(0.05, 5);
  expect(studentTwoSided(0, 7)).toBe(1);
});

test.each([0.01, 0.3, 0.9, 1.2, 1.7, 3, 12, 150])(
  'the t distribution of 1 and of 2 degrees of freedom is that of its formula at %d',
  (t) => {
    expect(studentTwoSided(t, 1)).toBeCloseTo(1 - (2 / Math.PI) * Math.atan(t), 12);
    expect(studentTwoSided(t, 2)).toBeCloseTo(1 - t / Math.sqrt(2 + t * t), 12);
    expect(studentTwoSided(-t, 2)).toBe(studentTwoSided(t, 2));
  },
);

test('a value infinitely far from 0 is as unlikely as can be', () => {
  expect(studentTwoSided(Infinity, 5)).toBe(0);
});

describe('single figures', () => {
  const span = { startTime, endTime: startTime + 10 * day, startingBalance: 1000, finalBalance: 1000 };
  const of = (profits: readonly number[], days = profits.map((_, i) => i + 1), more: Partial<typeof span> = {}) =>
    referenceMetrics(closed(profits, days), { ...span, ...more });

  test('the median of an even number of trades lies between the two in the middle, of an odd one it is the middle', () => {
    expect(of([30, 10, 40, 20]).medianProfitRatio).toBe(0.25);
    expect(of([30, 10, 20]).medianProfitRatio).toBe(0.2);
    expect(of([-100, 20, 3]).medianProfitRatio).toBe(0.03);
    expect(of([]).medianProfitRatio).toBe(0);
  });
  test('balances are those after each trade; without a trade both are the first one', () => {
    expect(of([50, 20])).toMatchObject({ lowBalance: 1050, highBalance: 1070 });
    expect(of([-50, -20])).toMatchObject({ lowBalance: 930, highBalance: 950 });
    expect(of([])).toMatchObject({ lowBalance: 1000, highBalance: 1000 });
  });
  test('the longest streaks count, wherever they are', () => {
    expect(of([1, 1, -1, -1, -1, 1])).toMatchObject({ maxConsecutiveWins: 2, maxConsecutiveLosses: 3 });
    expect(of([-1, 1, 1, 1])).toMatchObject({ maxConsecutiveWins: 3, maxConsecutiveLosses: 1 });
  });
  test('the best and the worst day are even where there was a day without a trade, and only there', () => {
    expect(of([5, 7], [1, 2])).toMatchObject({ bestDay: 7, worstDay: 5, drawDays: 0, winningDays: 2, losingDays: 0 });
    expect(of([5, 7], [1, 3])).toMatchObject({ bestDay: 7, worstDay: 0, drawDays: 1 });
    expect(of([-5, -7], [1, 2])).toMatchObject({ bestDay: -5, worstDay: -7 });
    expect(of([-5, -7], [3, 1])).toMatchObject({ bestDay: 0, worstDay: -7, drawDays: 1, losingDays: 2 });
    expect(of([5, -5], [1, 1])).toMatchObject({ winningDays: 0, drawDays: 1, losingDays: 0 });
    expect(of([])).toMatchObject({ bestDay: 0, worstDay: 0, drawDays: 0 });
  });
  test('days are whole ones, and at least one', () => {
    expect(of([1], [1], { endTime: startTime + 1.9 * day }).days).toBe(1);
    expect(of([1], [1], { endTime: startTime + 0.1 * day }).days).toBe(1);
    expect(of([1, 1, 1], [1, 1, 1], { endTime: startTime + 2 * day }).tradesPerDay).toBe(1.5);
  });
  test('growth is that of a year, of a balance of nothing too', () => {
    expect(of([1], [1], { endTime: startTime + 365 * day, finalBalance: 1200 }).cagr).toBeCloseTo(0.2, 12);
    expect(of([1], [1], { finalBalance: 0 }).cagr).toBe(-1);
  });
  test('one trade has no quality number; two do', () => {
    expect(of([5])).toMatchObject({ sqn: -100, pValue: 1 });
    expect(of([5, 5])).toMatchObject({ sqn: -100, pValue: 1 });
    // Mean 0.0075, sample deviation 0.0035355, times the root of two.
    expect(of([5, 10]).sqn).toBe(3);
    expect(of([])).toMatchObject({ sqn: 0 });
  });
  test('a drawdown is that of the closes in their sequence in time, whatever sequence they are given in', () => {
    expect(of([-30, 20], [2, 1])).toMatchObject({ maxDrawdownAbs: 30, drawdownHigh: 20, drawdownLow: -10 });
    expect(of([-30, 20], [1, 2])).toMatchObject({
      maxDrawdownAbs: 30,
      drawdownHigh: 0,
      drawdownLow: -30,
      drawdownStartTime: startTime + day,
    });
  });
  test('of two equal falls the first counts', () => {
    expect(of([-30, 30, -30], [1, 2, 3])).toMatchObject({ drawdownStartTime: startTime + day, drawdownEndTime: startTime + day });
  });
  test('a high that is reached again is as old as it was', () => {
    expect(of([20, -5, 5, -10], [1, 2, 3, 4])).toMatchObject({ drawdownStartTime: startTime + day, drawdownEndTime: startTime + 4 * day });
  });
  test('orders that were never filled cost nothing, and a fee that is not known counts 0', () => {
    const trade = aTrade({
      isOpen: false,
      closeTime: startTime,
      profit: 1,
      orders: [
        anOrder({ filled: 0, fillPrice: 100, feeRatio: 0.01 }),
        anOrder({ id: '2', filled: 3, fillPrice: 100, feeRatio: null, state: 'filled' }),
      ],
    });
    expect(referenceMetrics([trade], span).totalVolume).toBe(300);
  });
  test('a trade that is not closed has lasted no time and won nothing', () => {
    expect(referenceMetrics([aTrade({ openTime: 5 * day })], span)).toMatchObject({
      averageDurationMs: 0,
      totalProfit: 0,
      meanProfitRatio: 0,
    });
  });
});
