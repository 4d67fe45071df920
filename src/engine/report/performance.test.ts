import { describe, expect, test } from 'vitest';
import type { DailyBalance } from '../backtest/balance-curve.ts';
import { newBalanceCurve } from '../backtest/balance-curve.ts';
import { dailyEquityMetrics } from './daily-equity-metrics.ts';
import { performanceOf } from './performance.ts';

const day = 86_400_000;
const hour = 3_600_000;
const start = Date.UTC(2024, 0, 1);

describe('OP-70 the figures of a bot', () => {
  const closed = [
    { closeTime: start + 2 * day + 5, profit: -30 },
    { closeTime: start + 10, profit: 50 },
    { closeTime: start + 20, profit: -10 },
    { closeTime: start + 3 * day, profit: 0 },
  ];
  const found = () => performanceOf(closed, { startingBalance: 1000, unrealizedPnl: 5 });
  test('balances and wins', () => {
    expect(found()).toMatchObject({
      totalTrades: 4,
      winningTrades: 1,
      losingTrades: 2,
      winRate: 0.25,
      realizedPnl: 10,
      netPnl: 15,
      netPnlPct: 1.5,
      currentBalance: 1010,
    });
  });
  test('days without a trade count 0', () => {
    expect(found().dailyPnl).toEqual([
      { dayTime: start, pnl: 40 },
      { dayTime: start + day, pnl: 0 },
      { dayTime: start + 2 * day, pnl: -30 },
      { dayTime: start + 3 * day, pnl: 0 },
    ]);
  });
  test('drawdown is the fall from the earlier peak', () => {
    expect(found().maxDrawdown).toBe(40);
    expect(found().maxDrawdownPct).toBeCloseTo((40 / 1050) * 100, 12);
  });
  test('sharpe', () => {
    // Returns 0.04, 0, -30/1040, 0: mean 0.0027884615, population deviation 0.0244999925.
    expect(found().sharpeRatio).toBeCloseTo(2.17442854, 7);
    expect(performanceOf(closed.slice(1, 3), { startingBalance: 1000, unrealizedPnl: 0 }).sharpeRatio).toBe(null);
    expect(performanceOf([], { startingBalance: 1000, unrealizedPnl: 0 })).toMatchObject({ winRate: 0, sharpeRatio: null, dailyPnl: [] });
  });
});

describe('daily equity', () => {
  test('takes the last value of each day, and the drawdown from every value', () => {
    const curve = newBalanceCurve(1000);
    curve.note(start, 1000);
    curve.note(start + day / 2, 1100);
    curve.note(start + day, 880);
    curve.note(start + 1.5 * day, 990);
    curve.note(start + 4 * day, 1200);
    const balance = curve.finish(start + 4 * day);
    expect(balance.days.map((each) => each.balance)).toEqual([1100, 990, 990, 990, 1200]);
    expect(balance.maxDrawdownRatio).toBeCloseTo(0.2, 12);
    const { sharpe, sortino, calmar } = dailyEquityMetrics(balance, 1000);
    // Returns -0.1, 0, 0, 7/33.
    expect(sharpe).toBeCloseTo(4.70347544, 7);
    expect(sortino).toBe(null);
    expect(calmar).toBeCloseTo((((0.2 / 4) * 100) / 0.2) * Math.sqrt(365), 8);
  });

  test('calmar divides by the whole days that elapsed, and by the relative fall where most money was lost', () => {
    const curve = newBalanceCurve(1000);
    const values = [
      [1, 100],
      [2, 50],
      [30, 2000],
      [47, 1700],
    ] as const;
    // 50 of 100 is the deepest relative fall, 300 of 2000 the deepest in money.
    for (const [hours, value] of values) curve.note(start + hours * hour, value);
    const balance = curve.finish(start + 48 * hour);
    expect(balance).toMatchObject({ maxDrawdownAbs: 950, elapsedDays: 1 });
    expect(balance.accountDrawdown).toBeCloseTo(0.95, 12);
    const other = newBalanceCurve(100);
    for (const [hours, value] of values) other.note(start + hours * hour, value);
    const { calmar, maxDrawdownRatio } = dailyEquityMetrics(other.finish(start + 48 * hour), 100);
    expect(maxDrawdownRatio).toBe(0.5);
    expect(calmar).toBeCloseTo((((16 / 1) * 100) / 0.15) * Math.sqrt(365), 8);
  });
});

describe('OP-70 the edges of the figures', () => {
  const of = (profits: readonly number[], given: Partial<Parameters<typeof performanceOf>[1]> = {}) =>
    performanceOf(
      profits.map((profit, i) => ({ closeTime: start + i * day, profit })),
      { startingBalance: 1000, unrealizedPnl: 0, ...given },
    );
  test('the days last until now, and no fewer than to the last trade', () => {
    expect(of([5], { until: start + 2 * day + 1 }).dailyPnl).toEqual(
      [0, 1, 2].map((i) => ({ dayTime: start + i * day, pnl: i === 0 ? 5 : 0 })),
    );
    expect(of([5, 6], { until: start }).dailyPnl).toHaveLength(2);
  });
  test('without a balance nothing is a share of it', () => {
    expect(of([5, 5], { startingBalance: 0 })).toMatchObject({ netPnl: 10, netPnlPct: 0 });
    expect(of([-5], { startingBalance: 0 })).toMatchObject({ maxDrawdown: 5, maxDrawdownPct: 0 });
  });
  test('of two equal falls the first counts, from its own peak', () => {
    expect(of([-100, 600, -100]).maxDrawdownPct).toBe(10);
    expect(of([-100, 600, -101]).maxDrawdownPct).toBeCloseTo(10_100 / 1500, 10);
  });
  test('a day that begins without a balance has no return', () => {
    expect(of([-1000, 50, 50]).sharpeRatio).toBe(0);
  });
  test('days that are all the same have no Sharpe ratio', () => {
    expect(of([0, 0, 0]).sharpeRatio).toBe(null);
  });
});

describe('daily equity at its edges', () => {
  const balanceOf = (balances: readonly number[], given: Partial<DailyBalance> = {}): DailyBalance => ({
    days: balances.map((balance, i) => ({ dayTime: i * day, balance })),
    maxDrawdownRatio: 0.3,
    maxDrawdownAbs: 30,
    accountDrawdown: 0.2,
    elapsedDays: 4,
    ...given,
  });
  test('the Sortino ratio divides by the deviation of the falls', () => {
    // Returns -0.1, -0.2 and 0.5; the falls deviate by 0.05.
    expect(dailyEquityMetrics(balanceOf([100, 90, 72, 108]), 100).sortino).toBeCloseTo((0.2 / 3 / 0.05) * Math.sqrt(365), 8);
  });
  test('without a fall of the balance there is no calmar ratio; the falls are handed on', () => {
    expect(dailyEquityMetrics(balanceOf([100, 110], { accountDrawdown: 0 }), 100)).toMatchObject({
      calmar: null,
      maxDrawdownRatio: 0.3,
      maxDrawdownAbs: 30,
    });
  });
  test('a day that begins without a balance has no return', () => {
    expect(dailyEquityMetrics(balanceOf([0, 50, 100]), 100).sharpe).toBeCloseTo(Math.sqrt(365), 10);
  });
  test('without any day nothing can be said but that nothing was won', () => {
    expect(dailyEquityMetrics(balanceOf([]), 100)).toMatchObject({ sharpe: null, sortino: null, calmar: 0 });
  });
});
