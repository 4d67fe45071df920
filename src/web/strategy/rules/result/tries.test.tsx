import { emaCross } from '#engine/rules/templates/ema-cross.ts';
import { rsiReversal } from '#engine/rules/templates/rsi-reversal.ts';
import { beforeEach, expect, test } from 'vitest';
import { noteTry } from './tries.ts';

beforeEach(() => localStorage.clear());

test('each draft counts once on a range; its name and notes are not part of a try', () => {
  expect([
    noteTry('a', emaCross),
    noteTry('a', { ...emaCross, title: 'Other', losesWhen: '' }),
    noteTry('a', rsiReversal),
    noteTry('a', emaCross),
  ]).toEqual([1, 1, 2, 2]);
  expect(noteTry('b', emaCross)).toBe(1);
});

test('what the browser holds and cannot be read counts as none', () => {
  localStorage.setItem('rules-tries a', '{"tries":"many"}');
  expect(noteTry('a', emaCross)).toBe(1);
});
