import { expect, test } from 'vitest';
import { beginningAt } from './study-task.ts';

test('parameters begin at the values that are given, and the others where the strategy begins', () => {
  const parameter = { min: 1, max: 50, step: 1, unit: 'candles', meaning: '' };
  const parameters = { fast: { ...parameter, default: 12 }, slow: { ...parameter, default: 26 } };
  expect(beginningAt(parameters, { fast: 8 })).toEqual({ fast: { ...parameter, default: 8 }, slow: parameters.slow });
});
