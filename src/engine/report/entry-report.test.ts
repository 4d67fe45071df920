import { describe, expect, test } from 'vitest';
import type { Scenario } from '../backtest/testing/scenario.ts';
import { f, hour, simulate, start2024, z } from '../backtest/testing/scenario.ts';
import type { EntryReport } from './entry-report.ts';
import { entryReport } from './entry-report.ts';

const four = [z, f, f, f];
const report = (pair: Scenario['pairs'][string], settings: Scenario['settings'] = {}, more: Partial<Scenario> = {}): EntryReport =>
  entryReport(simulate({ pairs: { A: pair }, settings, ...more }), 'USDT');

describe('a backtest without trades says why', () => {
  test('no signal: only then', () => {
    expect(report({ candles: four }).noTrades).toBe('No trades: the strategy gave no signal to enter.');
    expect(report({ candles: four, enterShort: [0] }).noTrades).toBe(
      'No trades: 1 signal, refused: a short signal, and this run trades long only.',
    );
  });

  test('one gate refused all of them, with its figures', () => {
    const small = report({ candles: four, enter: [0, 1], instrument: { minCost: 10 } }, { stakeAmount: 5 });
    expect(small.noTrades).toBe(
      "No trades: 2 signals, all refused: the stake of 5.00 USDT is below the market's minimum of 11.05 USDT (with the reserve for the stop).",
    );
    const poor = report({ candles: four, enter: [0] }, { stakeAmount: 100, startingBalance: 8.12 });
    expect(poor.noTrades).toBe('No trades: 1 signal, refused: the balance of 8.12 USDT is below the stake of 100.00 USDT.');
  });

  test('several gates are counted one by one; a tiny stake is not shown as nothing', () => {
    const both = report({ candles: four, enter: [0, 3], instrument: { minCost: 10 } }, { stakeAmount: 0.00005 });
    expect(both.noTrades).toBe(
      "No trades: 2 signals. 1 refused: the stake of 0.000050 USDT is below the market's minimum of 11.05 USDT (with the reserve for the stop). 1 refused: no candle was left to trade on.",
    );
  });

  test('a last stake that may be smaller, but not that small', () => {
    const last = report(
      { candles: four, enter: [0] },
      { amendLastStakeAmount: true, lastStakeAmountMinRatio: 0.5, startingBalance: 498.23 },
    );
    expect(last.noTrades).toBe('No trades: 1 signal, refused: the balance of 498.23 USDT is below the minimum stake of 500.00 USDT.');
  });

  test('orders that never fill', () => {
    const unfilled = report({ candles: four, enter: [0] }, { orderTypes: { entry: 'limit' } }, { callbacks: { entryPrice: () => 50 } });
    expect(unfilled.noTrades).toBe('No trades: 1 signal. 1 entry order never filled.');
  });

  test('with a trade there is nothing to say', () => {
    expect(report({ candles: four, enter: [0] })).toMatchObject({ noTrades: null, stopped: null });
  });
});

test('the day on which entries ended for good, and why', () => {
  const day = 24;
  const fall: Scenario['pairs'][string]['candles'] = [z, f, [100, 100, 80, 80], ...Array.from({ length: 2 * day }, () => f)];
  const { stopped } = report({ candles: fall, enter: [0, 30, 40] }, { stakeAmount: 1000, startingBalance: 1000 });
  expect(new Date(start2024 + 31 * hour).toISOString().slice(0, 10)).toBe('2024-01-02');
  expect(stopped).toBe('Stopped trading on 2024-01-02: the balance of 898.10 USDT is below the stake of 1000.00 USDT.');
});
