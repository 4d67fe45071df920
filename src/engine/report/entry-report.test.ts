import { describe, expect, test } from 'vitest';
import type { Scenario } from '../backtest/testing/scenario.ts';
import { f, hour, simulate, start2024, z } from '../backtest/testing/scenario.ts';
import type { BacktestGate, EntryCounts } from '../backtest/entry-log.ts';
import { aTrade } from '../account/testing/a-trade.ts';
import type { SizeFacts } from '../risk/gate.ts';
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

describe('the words of a gate', () => {
  const facts = { stake: 100, available: 40, limit: 60 };
  const unlimited = { ...facts, limit: null };
  const reportOf = (given: Partial<EntryCounts>, unclosed = 0) => {
    const entries = { signals: 1, entered: 0, unfilled: 0, refused: [], listed: [], stopped: null, ...given };
    return entryReport(
      { ...simulate({ pairs: { A: { candles: four } } }), entries, unclosedTrades: Array(unclosed).fill(aTrade()) },
      'USDT',
    );
  };
  const refused = (gate: BacktestGate, of: SizeFacts | null = null, count = 1) => ({
    gate,
    count,
    first: { time: 0, symbol: 'A', facts: of },
  });

  test.each<[BacktestGate, SizeFacts | null, string, string]>([
    ['has-open-trade', null, 'A trade was open', 'a trade of the pair was open already'],
    ['expired-signal', null, 'Signal too old', 'the signal was too old to trade on'],
    ['locked', null, 'Pair locked', 'the pair was locked by a protection'],
    ['slots-full', null, 'No free slot', 'all slots were in use'],
    ['no-price', null, 'No price', 'there was no price to trade at'],
    ['refused-by-strategy', null, 'Refused by the strategy', 'the strategy itself refused the entry'],
    ['conflicting-signals', null, 'Conflicting signals', 'the candle had contradicting signals'],
    ['short-not-allowed', null, 'Short signals, long only', 'a short signal, and this run trades long only'],
    ['end-of-run', null, 'End of the run', 'no candle was left to trade on'],
    ['insufficient-balance', null, 'Balance too small', 'the balance was too small'],
    ['insufficient-balance', unlimited, 'Balance too small', 'the balance of 40.00 USDT is below the stake of 100.00 USDT'],
    ['insufficient-balance', facts, 'Balance too small', 'the balance of 40.00 USDT is below the minimum stake of 60.00 USDT'],
    ['stake-too-small', null, 'Stake below the minimum', "the stake is below the market's minimum"],
    ['stake-too-small', unlimited, 'Stake below the minimum', "the stake is below the market's minimum"],
    [
      'stake-too-small',
      facts,
      'Stake below the minimum',
      "the stake of 100.00 USDT is below the market's minimum of 60.00 USDT (with the reserve for the stop)",
    ],
    ['stake-too-large', null, 'Stake above the maximum', "the stake is above the market's maximum"],
    ['stake-too-large', unlimited, 'Stake above the maximum', 'the stake of 100.00 USDT fits no leverage tier of the market'],
    ['stake-too-large', facts, 'Stake above the maximum', "the market's minimum stake is above its maximum of 60.00 USDT"],
    ['amount-too-small', null, 'Amount too small', 'the stake buys less than one step of the amount'],
    ['amount-too-small', facts, 'Amount too small', 'the stake of 100.00 USDT buys less than one step of the amount'],
  ])('%s %j', (gate, of, name, reason) => {
    expect(reportOf({ refused: [refused(gate, of, 3)] }).refused).toEqual([{ gate, name, count: 3, reason }]);
  });

  test.each([
    [0, '0.00'],
    [0.01, '0.01'],
    [0.0099, '0.0099'],
    [0.00012345, '0.00012'],
    [-5, '-5.00'],
    [1e-14, '0.000000000000'],
  ])('an amount of %d is written %s', (limit, text) => {
    const { refused: found } = reportOf({ refused: [refused('stake-too-large', { ...facts, limit })] });
    expect(found[0]?.reason).toBe(`the market's minimum stake is above its maximum of ${text} USDT`);
  });

  test.each<[string, Partial<EntryCounts>, number, string]>([
    [
      'one gate',
      { signals: 2, refused: [refused('locked', null, 2)] },
      0,
      'No trades: 2 signals, all refused: the pair was locked by a protection.',
    ],
    [
      'one gate and orders that never filled',
      { signals: 3, unfilled: 2, refused: [refused('locked')] },
      0,
      'No trades: 3 signals. 2 entry orders never filled. 1 refused: the pair was locked by a protection.',
    ],
    [
      'an order that never filled, a trade that is still open, and one gate',
      { signals: 3, unfilled: 1, refused: [refused('locked')] },
      1,
      'No trades: 3 signals. 1 entry order never filled. 1 trade still open at the end. 1 refused: the pair was locked by a protection.',
    ],
    ['what is still open', { signals: 1 }, 1, 'No trades: 1 signal. 1 trade still open at the end.'],
    [
      'one gate and what is still open',
      { signals: 3, refused: [refused('locked')] },
      2,
      'No trades: 3 signals. 2 trades still open at the end. 1 refused: the pair was locked by a protection.',
    ],
  ])('no trades because of %s', (_, entries, unclosed, text) => {
    expect(reportOf(entries, unclosed).noTrades).toBe(text);
  });

  test('counts are handed on, and the day of the end is written in UTC', () => {
    const time = Date.UTC(2025, 10, 9, 23, 59);
    const found = reportOf({ signals: 9, entered: 5, unfilled: 1, stopped: { time, gate: 'amount-too-small', symbol: 'A', facts } });
    expect(found).toMatchObject({
      signals: 9,
      entered: 5,
      unfilled: 1,
      stopped: 'Stopped trading on 2025-11-09: the stake of 100.00 USDT buys less than one step of the amount.',
    });
  });
});
