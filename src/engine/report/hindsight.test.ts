import { describe, expect, test } from 'vitest';
import { aTrade } from '../account/testing/a-trade.ts';
import { f, simulate, start2024, z } from '../backtest/testing/scenario.ts';
import { dayMs } from '../market/durations.ts';
import { hindsightFigures } from './hindsight.ts';

const from = start2024;
const empty = simulate({ pairs: { A: { candles: [z, f, f, f] } }, settings: { startingBalance: 100 } });

/** Figures of trades that closed with these profits, at these days after the start. */
function figuresOf(closed: readonly (readonly [profit: number, day: number])[], { days = 3, limit = 0 } = {}) {
  const trades = closed.map(([profit, day]) =>
    aTrade({ isOpen: false, openTime: from, closeTime: from + day * dayMs, profit, profitRatio: profit / 100 }),
  );
  const to = from + days * dayMs;
  const profit = closed.reduce((sum, [each]) => sum + each, 0);
  const result = { ...empty, trades, startTime: from, endTime: to, startingBalance: 100, finalBalance: 100 + profit };
  return hindsightFigures(result, { from, to, currency: 'USDT', maxConsecutiveLosses: limit });
}

describe('what settings would have done', () => {
  test('profit, trades and the share that won; a draw has not', () => {
    expect(
      figuresOf([
        [10, 0.5],
        [-4, 1],
        [0, 2],
      ]),
    ).toMatchObject({
      startingBalance: 100,
      profit: 6,
      profitRatio: 0.06,
      trades: 3,
      winRate: 1 / 3,
      noTrades: null,
    });
    expect(figuresOf([])).toMatchObject({ trades: 0, winRate: 0, profit: 0, drawdownRatio: 0 });
    expect(figuresOf([]).noTrades).toMatch(/^No trades: /u);
  });

  test('the deepest fall is that of the largest share of the balance, not of the most money', () => {
    // 100 to 80 is a fifth; later 300 to 270 is more money and a tenth.
    expect(
      figuresOf([
        [-20, 0.2],
        [220, 1],
        [-30, 2],
      ]).drawdownRatio,
    ).toBeCloseTo(0.2, 12);
  });

  test('the balance is that at the end of each day; what closes at its very end belongs to it', () => {
    const { equity } = figuresOf(
      [
        [1, 0],
        [2, 1],
        [4, 1.01],
        [8, 2.5],
        [16, 2.75],
      ],
      { days: 2.75 },
    );
    expect(equity.map(({ time, value }) => [(time - from) / dayMs, value])).toEqual([
      [0, 100],
      [1, 103],
      [2, 107],
      [2.75, 131],
    ]);
    expect(figuresOf([], { days: 30 }).equity).toHaveLength(31);
  });

  test('OP-59 a bot would have paused at so many losses in a row; a draw neither adds to them nor ends them, a gain does', () => {
    const at = (profits: readonly number[], limit: number): number | null => {
      const { pausedAt } = figuresOf(
        profits.map((profit, i) => [profit, i / 10] as const),
        { limit },
      );
      return pausedAt === null ? null : Math.round(((pausedAt - from) / dayMs) * 10);
    };
    expect(at([-1, -1, -1], 3)).toBe(2);
    expect(at([-1, 0, -1, -1], 3)).toBe(3);
    expect(at([-1, -1, 1, -1, -1], 3)).toBeNull();
    expect(at([-1, -1, -1], 0)).toBeNull();
  });
});
