import { expect, test } from 'vitest';
import type { Limit } from './limit-draft.ts';
import { changesOf, isRaise } from './limit-draft.ts';

const limit = (changes: Partial<Limit>): Limit => ({
  name: 'open-orders',
  currency: null,
  value: 4,
  default: 10,
  is_default: false,
  use: 0,
  stricter: null,
  set_by: null,
  set_at: null,
  ceiling: null,
  may_raise: true,
  has_no_rate: false,
  ...changes,
});

test('going back to a default that allows more is a raise; to one that allows less it is none', () => {
  const emptied = (changes: Partial<Limit>) => changesOf([limit(changes)], { 'open-orders': '' }).map(isRaise);
  expect(emptied({})).toEqual([true]);
  expect(emptied({ value: 20 })).toEqual([false]);
});
