import { expect, test } from 'vitest';
import { aTrade } from '../account/testing/a-trade.ts';
import { breakdown, durationsOf } from './breakdown.ts';

const minute = 60_000;
const closed = (symbol: string, profit: number, minutes: number, enterTag: string | null = null) =>
  aTrade({ symbol, isOpen: false, closeTime: minutes * minute, profit, profitRatio: profit / 1000, enterTag });
const trades = [closed('A', 10, 30, 'x'), closed('B', -20, 60), closed('A', -4, 90, 'x'), closed('B', 0, 10)];

test('trades are broken down by what they share, the most profitable first', () => {
  expect(breakdown(trades, 'symbol', 1000)).toMatchObject([
    { key: 'A', tradeCount: 2, totalProfit: 6, wins: 1, losses: 1, draws: 0, winRate: 0.5, maxDrawdownAbs: 4 },
    { key: 'B', tradeCount: 2, totalProfit: -20, wins: 0, losses: 1, draws: 1, winRate: 0 },
  ]);
  expect(breakdown(trades, 'enterTag', 1000).map(({ key, tradeCount }) => [key, tradeCount])).toEqual([
    ['x', 2],
    ['', 2],
  ]);
  expect(breakdown([...trades].reverse(), 'symbol', 1000).map(({ key }) => key)).toEqual(['A', 'B']);
  expect(breakdown([], 'symbol', 1000)).toEqual([]);
});

test('durations of all, of winners and of losers', () => {
  expect(durationsOf(trades)).toEqual({
    all: { average: 48, shortest: 10, longest: 90 },
    winners: { average: 30, shortest: 30, longest: 30 },
    losers: { average: 75, shortest: 60, longest: 90 },
  });
  expect(durationsOf([]).all.average).toBe(null);
});

test('a row has the sums and the means of its trades', () => {
  expect(breakdown(trades, 'symbol', 500)[0]).toEqual({
    key: 'A',
    tradeCount: 2,
    wins: 1,
    draws: 0,
    losses: 1,
    winRate: 0.5,
    totalProfit: 6,
    totalProfitRatio: 0.012,
    meanProfitRatio: 0.003,
    averageDurationMs: 60 * minute,
    maxDrawdownAbs: 4,
  });
});

test('a trade without a result counts as even, and has lasted no time', () => {
  const open = aTrade({ symbol: 'C' });
  expect(breakdown([open], 'symbol', 500)).toMatchObject([{ wins: 0, draws: 1, losses: 0, totalProfit: 0, meanProfitRatio: 0 }]);
  expect(durationsOf([open])).toMatchObject({ all: { average: 0 }, winners: { average: null }, losers: { longest: null } });
});

test('an average duration in the middle between two minutes is the even one', () => {
  expect(durationsOf([closed('A', 1, 2), closed('A', 1, 3)]).winners).toEqual({ average: 2, shortest: 2, longest: 3 });
});
