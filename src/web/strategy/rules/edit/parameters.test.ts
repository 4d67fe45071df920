import { faultsOf } from '#engine/rules/faults.ts';
import type { RulesDocument } from '#engine/rules/document.ts';
import { all, any, compare, indicator, number, parameter, price } from '#engine/rules/pieces.ts';
import { emaCross } from '#engine/rules/templates/ema-cross.ts';
import { expect, test } from 'vitest';
import { pieceAt } from './pieces-at.ts';
import { nameFault, numberOf, parameterOf, renamed, usesOf, withNewParameter, withoutParameter, withParameterAt } from './parameters.ts';

const rsi = indicator('rsi', { period: parameter('length') });
const document: RulesDocument = {
  ...emaCross,
  parameters: { length: parameterOf(14, true), low: parameterOf(34, false), free: parameterOf(2.5, false) },
  guard: [],
  enterLong: [
    {
      tag: 'in',
      when: all(
        { ...compare(rsi, 'below', number(parameter('low'))), within: parameter('length') },
        any(compare(rsi, 'above', number(10)), compare(price('close'), 'above', number(5))),
      ),
    },
  ],
  exitLong: [{ tag: 'out', when: compare(indicator('sma', { period: 9 }, 'value', rsi), 'above', number(50)) }],
  enterShort: [],
  exitShort: [],
};

test('where a parameter stands is said by the numbers of the conditions', () => {
  expect([usesOf(document, 'length'), usesOf(document, 'low'), usesOf(document, 'free')]).toEqual([['1', '2a', '3'], ['1'], []]);
});

test('one gets another name wherever it stands, and keeps its place among the others', () => {
  const found = renamed(document, 'length', 'period');
  expect(Object.keys(found.parameters)).toEqual(['period', 'low', 'free']);
  expect([usesOf(found, 'period'), usesOf(found, 'length')]).toEqual([['1', '2a', '3'], []]);
  expect(faultsOf(found)).toEqual([]);
  expect(renamed(found, 'period', 'length')).toEqual(document);
});

test('one that is removed leaves its number', () => {
  const found = withoutParameter(document, 'length');
  expect(Object.keys(found.parameters)).toEqual(['low', 'free']);
  expect(pieceAt(found, 'exitLong.0.when.left.of.settings.period')).toBe(14);
  expect(pieceAt(found, 'enterLong.0.when.rules.0.within')).toBe(14);
  expect(faultsOf(found)).toEqual([]);
});

test('a number becomes a parameter with a range around it', () => {
  const found = withParameterAt(document, 'exitLong.0.when.right.value', 'hot', false);
  expect(pieceAt(found, 'exitLong.0.when.right.value')).toEqual({ parameter: 'hot' });
  expect(numberOf(found, { parameter: 'hot' })).toBe(50);
  expect(faultsOf(found)).toEqual([]);
  expect(numberOf(found, { parameter: 'none' })).toBeNaN();
});

test.each([
  [14, true],
  [1, true],
  [2, true],
  [34, false],
  [0, false],
  [2.5, false],
  [-0.007, false],
  [0.014, false],
  [1e-9, false],
  [123_456.5, false],
])('the range around %s reaches it and has no fault', (value, isWhole) => {
  const parameters = { value: parameterOf(value, isWhole) };
  const when = isWhole
    ? compare(price('close'), 'above', indicator('ema', { period: parameter('value') }))
    : compare(rsi, 'above', number(parameter('value')));
  const plain = { ...when, left: price('close') } as typeof when;
  expect(faultsOf({ ...document, parameters, enterLong: [{ tag: 'in', when: plain }], exitLong: [] })).toEqual([]);
});

test('a name must be free and look like one', () => {
  expect(nameFault(document, 'low')).toBe('There is a parameter low already.');
  expect(nameFault(document, 'low', 'low')).toBeNull();
  for (const name of ['', 'Low', '2a', 'with space', 'toString', 'a'.repeat(31)])
    expect(nameFault(document, name)).toMatch(/^A name begins/u);
  expect(Object.keys(withNewParameter(withNewParameter(document)).parameters).slice(3)).toEqual(['value1', 'value2']);
});
