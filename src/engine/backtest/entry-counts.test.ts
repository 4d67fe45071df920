import { describe, expect, test } from 'vitest';
import type { EntryCounts } from './entry-log.ts';
import type { Scenario } from './testing/scenario.ts';
import { f, futures, hour, simulate, start2024, z } from './testing/scenario.ts';

const four = [z, f, f, f];
const gates = ({ refused }: EntryCounts): Record<string, number> => Object.fromEntries(refused.map(({ gate, count }) => [gate, count]));
const one = (pair: Scenario['pairs'][string], settings: Scenario['settings'] = {}, more: Partial<Scenario> = {}): EntryCounts =>
  simulate({ pairs: { A: pair }, settings, ...more }).entries;

describe('every signal to enter is entered or refused by a named gate', () => {
  test('no signal at all', () => {
    expect(one({ candles: four })).toEqual({ signals: 0, entered: 0, unfilled: 0, refused: [], listed: [], stopped: null });
  });

  test('a stake below the smallest of the market, with the figures', () => {
    const counts = one({ candles: four, enter: [0, 1], instrument: { minCost: 10 } }, { stakeAmount: 5 });
    // A reserve of 5 per cent for the exit at the stop is part of it.
    const limit = expect.closeTo((10 * 1.05) / 0.95, 9) as number;
    expect(counts).toEqual({
      signals: 2,
      entered: 0,
      unfilled: 0,
      refused: [
        {
          gate: 'stake-too-small',
          count: 2,
          first: { time: start2024 + hour, symbol: 'A', facts: { stake: 5, available: 10_000, limit } },
        },
      ],
      listed: [],
      stopped: null, // nothing had begun that could stop
    });
  });

  test('a small stake is named as the cause even when the whole balance is as small', () => {
    const counts = one({ candles: four, enter: [0], instrument: { minCost: 10 } }, { stakeAmount: 5, startingBalance: 5 });
    expect(gates(counts)).toEqual({ 'stake-too-small': 1 });
  });

  test.each<[string, Scenario['settings'], Partial<Scenario['pairs'][string]>]>([
    ['insufficient-balance', { stakeAmount: 2000, startingBalance: 1000 }, {}],
    ['insufficient-balance', { stakeAmount: 'unlimited', startingBalance: 10 }, { instrument: { minCost: 11 } }],
    ['stake-too-large', {}, { instrument: { minCost: 3000, maxCost: 2000 } }],
    ['amount-too-small', { stakeAmount: 50 }, { instrument: { amountStep: 1 } }],
    ['conflicting-signals', {}, { exit: [0] }],
    ['end-of-run', {}, { enter: [2] }],
    ['end-of-run', {}, { enter: [3] }], // the newest candle: none is left to trade on
    ['short-not-allowed', {}, { enter: [], enterShort: [0] }],
  ])('%s', (gate, settings, pair) => {
    const counts = one({ candles: four, enter: [0], ...pair }, settings);
    expect(gates(counts)).toEqual({ [gate]: 1 });
    expect(counts).toMatchObject({ signals: 1, entered: 0 });
  });

  test('the strategy refuses, by its stake or by its word', () => {
    const refuse = { candles: four, enter: [0] };
    expect(gates(one(refuse, {}, { callbacks: { confirmEntry: () => false } }))).toEqual({ 'refused-by-strategy': 1 });
    expect(gates(one(refuse, {}, { callbacks: { stake: () => 0 } }))).toEqual({ 'refused-by-strategy': 1 });
  });

  test('an open trade, full slots and a lock', () => {
    expect(gates(one({ candles: four, enter: [0, 1] }))).toEqual({ 'has-open-trade': 1 });
    const two = simulate({
      pairs: { A: { candles: four, enter: [0] }, B: { candles: four, enter: [0] } },
      settings: { maxOpenTrades: 1 },
    });
    expect(gates(two.entries)).toEqual({ 'slots-full': 1 });
    expect(two.counters.rejectedSignals).toBe(1);
    const protections = [{ kind: 'cooldown', stopDurationMs: 2 * hour }] as const;
    const locked = one({ candles: [z, f, f, f, f, f], enter: [0, 2], exit: [1] }, { protections: [...protections] });
    expect(gates(locked)).toEqual({ locked: 1 });
  });

  test('a reversal counts as entered, one that finds no money by its own gate', () => {
    const turn = { candles: [z, f, f, f, f], enter: [0], exit: [1], enterShort: [1] };
    expect(one(turn, futures)).toMatchObject({ signals: 2, entered: 2, refused: [] });
    const refusesShort = { confirmEntry: ({ direction }: { direction: string }) => direction === 'long' };
    expect(gates(one(turn, futures, { callbacks: refusesShort }))).toEqual({ 'refused-by-strategy': 1 });
  });

  test('with detail candles a signal counts once, however often it is tried', () => {
    const detail = Array.from({ length: 4 }, () => [f, f, f, f]);
    const counts = one({ candles: four, enter: [0], detail, instrument: { minCost: 10 } }, { stakeAmount: 5 });
    expect(counts).toMatchObject({ signals: 1, refused: [{ gate: 'stake-too-small', count: 1 }] });
  });

  test('an entry order that never fills was an entry, and is counted as unfilled', () => {
    const counts = one({ candles: four, enter: [0] }, { orderTypes: { entry: 'limit' } }, { callbacks: { entryPrice: () => 50 } });
    expect(counts).toMatchObject({ signals: 1, entered: 1, unfilled: 1, refused: [] });
  });
});

describe('the moment from which no entry was possible', () => {
  const fall: Scenario['pairs'][string]['candles'] = [z, f, [100, 100, 80, 80], f, f, f, f];
  test('the balance after a loss is below the stake', () => {
    const counts = one({ candles: fall, enter: [0, 3, 4] }, { stakeAmount: 1000, startingBalance: 1000 });
    expect(counts.stopped).toEqual({
      time: start2024 + 4 * hour,
      gate: 'insufficient-balance',
      symbol: 'A',
      facts: { stake: 1000, available: expect.closeTo(898.1, 1) as number, limit: null },
    });
  });
  test('not while a trade is open that may bring the money back, and not before an entry that was possible', () => {
    const two = simulate({
      pairs: { A: { candles: [z, f, f, f], enter: [0] }, B: { candles: [z, f, f, f], enter: [1] } },
      settings: { stakeAmount: 1000, startingBalance: 1500 },
    });
    expect(gates(two.entries)).toEqual({ 'insufficient-balance': 1 });
    expect(two.entries.stopped).toBeNull();
  });
});
