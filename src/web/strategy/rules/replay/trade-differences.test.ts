import { expect, test } from 'vitest';
import type { ReplayTrade } from './replay-summary.ts';
import { tradeDifferences } from './trade-differences.ts';

const trade = (openTime: number, profit: number, changes: Partial<ReplayTrade> = {}): ReplayTrade => ({
  openTime,
  closeTime: openTime + 10,
  direction: 'long',
  entryPrice: 100,
  exitPrice: 101,
  profit,
  entryTag: 'in',
  exitReason: 'out',
  added: 0,
  takenOut: 0,
  ...changes,
});

test('trades are added, removed, or have another result, and the parts make the difference', () => {
  const saved = [trade(1, 2), trade(5, -1), trade(9, 4), trade(20, 3)];
  const draft = [trade(1, 2), trade(3, 7), trade(9, 1, { closeTime: 12 }), trade(20, 3, { direction: 'short' })];
  const found = tradeDifferences(saved, draft);
  expect(found.list.map(({ kind, trade: { openTime, direction } }) => `${openTime} ${direction} ${kind}`)).toEqual([
    '3 long added',
    '5 long removed',
    '9 long changed',
    '20 short added',
    '20 long removed',
  ]);
  expect(found).toMatchObject({
    all: 6,
    added: { count: 2, profit: 10 },
    removed: { count: 2, profit: 2 },
    changed: { count: 1, difference: -3 },
    difference: 5,
  });
  const sum = (trades: ReplayTrade[]) => trades.reduce((total, { profit }) => total + profit, 0);
  expect(found.difference).toBe(sum(draft) - sum(saved));
});

test('the same trades do not differ', () => {
  expect(tradeDifferences([trade(1, 2)], [trade(1, 2)])).toMatchObject({ list: [], all: 1, difference: 0 });
});
