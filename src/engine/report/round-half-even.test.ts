import { expect, test } from 'vitest';
import { roundHalfEven } from './round-half-even.ts';

// Expected values: Python 3.11's round().
test.each([
  [6.625, 2, 6.62],
  [6.635, 2, 6.63],
  [6.875, 2, 6.88],
  [2.675, 2, 2.67],
  [0.025, 2, 0.03],
  [0.045, 2, 0.04],
  [-6.625, 2, -6.62],
  [-6.875, 2, -6.88],
  [0.5, 0, 0],
  [1.5, 0, 2],
  [2.5, 0, 2],
  [3.49, 0, 3],
  [0.28955, 4, 0.2895],
  [0.03125, 4, 0.0312],
  [0.09375, 4, 0.0938],
  [7, 2, 7],
])('%d to %d decimals is %d', (value, decimals, rounded) => {
  expect(roundHalfEven(value, decimals)).toBe(rounded);
});
