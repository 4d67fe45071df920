import { expect, test } from 'vitest';
import { aPaperTrade } from '../testing/samples/trades.ts';
import { firstView, outcomeOf, summaryOf, tradesOf } from './trade-list.ts';

const ids = (trades: readonly { trade_id: string }[]) => trades.map(({ trade_id: id }) => Number(id.slice(-4)));

test('PAPER-09, OP-66 the outcome is derived: win above zero, loss below, else neutral; an open trade is neutral', () => {
  expect([0.01, -0.01, 0, null].map((pnl) => outcomeOf({ pnl }))).toEqual(['win', 'loss', 'neutral', 'neutral']);
});

test('PAPER-03, PAPER-04 the trades are sorted by a field, upwards or downwards; equal ones newest first', () => {
  const trades = [
    aPaperTrade(1, { direction: 'short', entry_price: 3, pnl: -1 }),
    aPaperTrade(2, { direction: 'long', entry_price: null, pnl: null, status: 'open' }),
    aPaperTrade(3, { direction: 'short', entry_price: 20, pnl: 5 }),
  ];
  const sorted = (sortBy: (typeof firstView)['sortBy'], order: 'asc' | 'desc') => ids(tradesOf(trades, { ...firstView, sortBy, order }));
  expect(ids(tradesOf(trades, firstView))).toEqual([3, 2, 1]);
  expect(sorted('timestamp', 'asc')).toEqual([1, 2, 3]);
  expect(sorted('direction', 'asc')).toEqual([2, 3, 1]);
  expect(sorted('direction', 'desc')).toEqual([3, 1, 2]);
  expect(sorted('entry_price', 'asc')).toEqual([2, 1, 3]);
  expect(sorted('entry_price', 'desc')).toEqual([3, 1, 2]);
  expect(sorted('outcome', 'asc')).toEqual([1, 2, 3]);
  expect(sorted('pnl', 'asc')).toEqual([2, 1, 3]);
  expect(sorted('pnl', 'desc')).toEqual([3, 1, 2]);
});

test('PAPER-05 the outcome filter lets through one outcome, or all', () => {
  const trades = [aPaperTrade(1, { pnl: 1 }), aPaperTrade(2, { pnl: -1 }), aPaperTrade(3, { pnl: null }), aPaperTrade(4, { pnl: 0 })];
  const shown = (outcome: (typeof firstView)['outcome']) => ids(tradesOf(trades, { ...firstView, outcome }));
  expect(shown('all')).toEqual([4, 3, 2, 1]);
  expect(shown('win')).toEqual([1]);
  expect(shown('loss')).toEqual([2]);
  expect(shown('neutral')).toEqual([4, 3]);
});

test('PAPER-02, OP-70 the summary: all trades whose entry was filled, the sum of closed ones in dollars, wins of closed ones', () => {
  const trades = [
    aPaperTrade(1, { pnl: 10.5, comment: 'good', symbol: 'ETH/USDT:USDT' }),
    aPaperTrade(2, { pnl: -4.25, comment: '' }),
    aPaperTrade(3, { pnl: 0 }),
    aPaperTrade(4, { pnl: null, status: 'open' }),
  ];
  expect(summaryOf(trades)).toEqual({ count: 4, open: 1, pnl: 6.25, winRate: 1 / 3, commented: 1, leavesOut: false });
  const withBitcoin = [...trades, aPaperTrade(5, { symbol: 'ETH/BTC', pnl: 0.5 }), aPaperTrade(6, { symbol: 'BTC/USD:BTC', pnl: -0.1 })];
  expect(summaryOf(withBitcoin)).toMatchObject({ count: 6, pnl: 6.25, winRate: 2 / 5, leavesOut: true });
  const neverFilled = [
    aPaperTrade(7, { status: 'cancelled', entry_price: null, pnl: null, comment: 'missed' }),
    aPaperTrade(8, { status: 'failed', entry_price: null, pnl: null }),
    aPaperTrade(9, { status: 'open', entry_price: null, pnl: null }), // its entry waits
  ];
  expect(summaryOf([...trades, ...neverFilled])).toMatchObject({ count: 4, open: 1, winRate: 1 / 3, commented: 2 });
  expect(summaryOf([])).toMatchObject({ count: 0, pnl: 0, winRate: 0 });
});
