import { expect, test } from 'vitest';
import { effectiveParameters, isParameterValue } from './effective-parameters.ts';

const parameter = (value: number, min: number, max: number, step: number) => ({ default: value, min, max, step, meaning: 'A number.' });
const strategy = { parameters: { fast: parameter(12, 5, 25, 1), margin: parameter(0.1, 0, 1, 0.1) } };

test('a bot that sets no parameter has those of its strategy', () => {
  expect(effectiveParameters(strategy)).toEqual({ values: { fast: 12, margin: 0.1 }, ignored: [] });
});

test('its own count one by one, and zero too', () => {
  expect(effectiveParameters(strategy, { margin: 0 })).toEqual({ values: { fast: 12, margin: 0 }, ignored: [] });
});

test('what the strategy no longer declares or allows is inherited and named', () => {
  const own = { gone: 3, fast: 26, margin: 0.3, constructor: 1 };
  expect(effectiveParameters(strategy, own)).toEqual({ values: { fast: 12, margin: 0.3 }, ignored: ['gone', 'fast', 'constructor'] });
});

test.each([
  [5, true],
  [25, true],
  [4, false],
  [26, false],
  [5.5, false],
  [Number.NaN, false],
  [Number.POSITIVE_INFINITY, false],
])('%d is a whole candle from 5 to 25: %s', (value, isAllowed) => {
  expect(isParameterValue(strategy.parameters.fast, value)).toBe(isAllowed);
});

test('each step of a tenth is one, however it is written in binary', () => {
  for (let i = 0; i <= 10; i++) expect(isParameterValue(strategy.parameters.margin, i / 10)).toBe(true);
  expect(isParameterValue(strategy.parameters.margin, 0.1 + 0.2)).toBe(true);
  expect(isParameterValue(strategy.parameters.margin, 0.35)).toBe(false);
});
