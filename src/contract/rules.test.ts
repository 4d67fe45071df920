import { describe, expect, test, vi } from 'vitest';
import type { Rule } from '#engine/rules/document.ts';
import { all, compare, indicator, number, parameter, price } from '#engine/rules/pieces.ts';
import { rulesTemplates } from '#engine/rules/templates/templates.ts';
import { readRules, rulesDocument } from './rules.ts';

const sound = rulesTemplates['EmaCross'];
const isHigh = compare(price('close'), 'above', number(1));
const entering = (when: unknown): object => ({ ...sound, enterLong: [{ tag: 'in', when }] });

/** A rule with so many groups around it. */
const inGroups = (depth: number): Rule => (depth === 0 ? isHigh : all(inGroups(depth - 1)));

describe('the form of rules', () => {
  test.each(Object.entries(rulesTemplates))('takes %s and changes nothing', (_, document) => {
    expect(rulesDocument.parse(JSON.parse(JSON.stringify(document)))).toEqual(document);
  });

  test.each<[string, unknown]>([
    ['another version', { ...sound, version: 2 }],
    ['a field of a condition that is not there', entering({ ...isHigh, code: 'x' })],
    ['a field of an operand that is not there', entering(compare({ ...price('close'), of: price('close') } as never, 'above', number(1)))],
    [
      'a field of a line inside a line',
      entering(compare(indicator('ema', { period: 9 }, 'value', { ...price('close'), candlesBack: 1 } as never), 'above', number(1))),
    ],
    ['an operator', entering({ ...isHigh, operator: 'equals' })],
    ['an indicator', entering(compare(indicator('toString' as never, { period: 9 }), 'above', number(1)))],
    ['a name of a parameter that every object has', entering(compare(price('close'), 'above', number(parameter('constructor'))))],
    ['a setting of that name', entering(compare(indicator('ema', { __proto__x: 1 }), 'above', number(1)))],
    ['a number that is none', entering(compare(price('close'), 'above', number(NaN)))],
    ['a pair in words', entering(compare({ ...price('close'), symbol: 'bitcoin' }, 'above', number(1)))],
    ['a tag of two lines', { ...sound, enterLong: [{ tag: 'a\nb', when: isHigh }] }],
    ['a title of blanks', { ...sound, title: ' ' }],
    ['101 signals', { ...sound, exitLong: Array.from({ length: 101 }, () => ({ tag: 'x', when: isHigh })) }],
    ['a stop of 0', { ...sound, defaults: { ...sound.defaults, stoploss: 0 } }],
    ['a part of all', { ...sound, positionPlan: { addMore: null, takeOut: [{ profit: 0.1, part: 1 }] } }],
    ['no plan said', { ...sound, positionPlan: undefined }],
    ['a list', []],
    ['nothing', null],
  ])('refuses %s', (_, value) => {
    expect(rulesDocument.safeParse(value).success).toBe(false);
  });

  test('takes eight groups in each other, and refuses more without following them', () => {
    expect(rulesDocument.safeParse(entering(inGroups(8))).success).toBe(true);
    expect(rulesDocument.safeParse(entering(inGroups(9))).success).toBe(false);
    let deep: unknown = isHigh;
    for (let i = 0; i < 100_000; i++) deep = { kind: 'all', rules: [deep] };
    expect(rulesDocument.safeParse(entering(deep)).success).toBe(false);
  });
});

describe('reading', () => {
  test('gives a document, and null for what is none', () => {
    expect(readRules(JSON.parse(JSON.stringify(sound)))).toEqual(sound);
    for (const given of [{ ...sound, version: 2 }, {}, null, 'rules', undefined]) expect(readRules(given)).toBeNull();
  });

  test('of what was read before costs nothing, and of what was sent is a check of its own', () => {
    const sent: unknown = JSON.parse(JSON.stringify(sound));
    const read = readRules(sent);
    using parse = vi.spyOn(rulesDocument, 'safeParse');
    expect(readRules(read)).toBe(read);
    expect(parse).not.toHaveBeenCalled();
    Object.assign(sent as object, { version: 2 });
    expect(readRules(sent)).toBeNull();
  });
});
