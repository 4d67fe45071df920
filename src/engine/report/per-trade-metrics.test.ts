import { expect, test } from 'vitest';
import { perTradeMetrics } from './per-trade-metrics.ts';

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
