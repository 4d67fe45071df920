import { expect, test } from 'vitest';
import { aTrade } from '../account/testing/a-trade.ts';
import { perTradeMetrics } from './per-trade-metrics.ts';
import { referenceMetrics } from './reference-metrics.ts';

const span = { startTime: 0, endTime: 30 * 86_400_000, startingBalance: 1_000, finalBalance: 1_000 };

test('without a trade no ratio can be calculated, and none is given', () => {
  const { sharpe, sortino, calmar, sqn, expectancyRatio, profitFactor, tradeCount } = perTradeMetrics([], span);
  expect({ sharpe, sortino, calmar, sqn, expectancyRatio, profitFactor, tradeCount }).toEqual({
    sharpe: null,
    sortino: null,
    calmar: null,
    sqn: null,
    expectancyRatio: null,
    profitFactor: null,
    tradeCount: 0,
  });
});

const closed = (...profits: readonly number[]) =>
  profits.map((profit, i) => aTrade({ isOpen: false, closeTime: (i + 1) * 86_400_000, profit, profitRatio: profit / 100 }));

test('of trades that have won and lost each ratio is that of the reference', () => {
  const trades = closed(20, -10, 15, -30);
  expect(perTradeMetrics(trades, span)).toEqual(referenceMetrics(trades, span));
});

test('without a loss there is no ratio of what was won to what was lost, nor to any fall', () => {
  const { sharpe, sortino, calmar, expectancyRatio, profitFactor } = perTradeMetrics(closed(5, 7), span);
  expect(sharpe).toBeGreaterThan(0);
  expect({ sortino, calmar, expectancyRatio, profitFactor }).toEqual({
    sortino: null,
    calmar: null,
    expectancyRatio: null,
    profitFactor: null,
  });
});

test('trades that all have the same result do not vary: no Sharpe ratio, no quality number', () => {
  const { sharpe, sortino, sqn, profitFactor } = perTradeMetrics(closed(-4, -4), span);
  expect({ sharpe, sortino, sqn, profitFactor }).toEqual({ sharpe: null, sortino: null, sqn: null, profitFactor: 0 });
});
