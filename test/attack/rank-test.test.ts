import { expect, test } from 'vitest';
import { drawsOf } from '../torture/draws.ts';
import { rankTest } from './rank-test.ts';

const sample = (seed: number, shift: number): number[] => {
  const draws = drawsOf(seed);
  return Array.from({ length: 300 }, () => draws.fraction() * 10 + shift);
};

test('two samples of one source do not differ, and of two sources a millisecond apart do', () => {
  const same = rankTest(sample(1, 0), sample(2, 0));
  expect(same.p).toBeGreaterThan(0.05);
  const apart = rankTest(sample(1, 1), sample(2, 0));
  expect(apart.p).toBeLessThan(0.01);
  expect(apart.gap).toBeCloseTo(1, 0);
});

test('the table of a worked example: ranks 1 to 6 that do not overlap', () => {
  const { p, medians } = rankTest([1, 2, 3], [4, 5, 6]);
  expect(medians).toEqual([2, 5]);
  expect(p).toBeCloseTo(0.0495, 3);
});
