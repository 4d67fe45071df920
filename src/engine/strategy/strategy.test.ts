import { expect, test } from 'vitest';
import type { Strategy } from './strategy.ts';
import { defaultParameters, noSignals } from './strategy.ts';

test('the default of each parameter is its value', () => {
  const parameter = (value: number) => ({ default: value, min: 1, max: 9, step: 1, meaning: '' });
  const strategy = { parameters: { fast: parameter(3), slow: parameter(7) } } as unknown as Strategy<'fast' | 'slow'>;
  expect(defaultParameters(strategy)).toEqual({ fast: 3, slow: 7 });
});

test('without a signal every flag is 0 and nothing has a tag', () => {
  const indicators = { ema: Float64Array.of(1, 2) };
  const none = Uint8Array.of(0, 0);
  const flags = { enterLong: none, exitLong: none, enterShort: none, exitShort: none };
  expect(noSignals(2, indicators)).toEqual({ ...flags, tags: [], enterTag: null, exitTag: null, confidence: null, indicators });
  expect(noSignals(2).indicators).toEqual({});
});
