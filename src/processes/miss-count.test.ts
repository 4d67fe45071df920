import { expect, test } from 'vitest';
import { MissCount } from './miss-count.ts';

test('as many misses in a row as are allowed are not too many; all beyond are', () => {
  const misses = new MissCount(3);
  expect(Array.from({ length: 5 }, () => misses.miss())).toEqual([false, false, false, true, true]);
});

test('an answer in between makes the earlier misses forgotten', () => {
  const misses = new MissCount(1);
  expect(misses.miss()).toBe(false);
  misses.reset();
  expect([misses.miss(), misses.miss()]).toEqual([false, true]);
});
