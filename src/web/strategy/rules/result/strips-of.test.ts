import type { RulesDocument } from '#engine/rules/document.ts';
import { all, any, compare, number, price } from '#engine/rules/pieces.ts';
import { emaCross } from '#engine/rules/templates/ema-cross.ts';
import { expect, test } from 'vitest';
import { ruleRows } from '../edit/rule-rows.ts';
import type { HeldDraft } from '../replay/messages.ts';
import { stripList, stripsOf } from './strips-of.ts';

const above = (level: number) => compare(price('close'), 'above', number(level));
const document: RulesDocument = {
  ...emaCross,
  guard: [above(1)],
  enterLong: [{ tag: 'in', when: all(above(2), { ...above(3), isOff: true }, any(above(4), all(above(5)))) }],
  exitLong: [{ tag: 'out', when: above(6) }],
  enterShort: [],
  exitShort: [],
};
const rows = ruleRows(document);
const flags = Uint8Array.from([1]);
const held: HeldDraft = {
  rows: 1,
  firstTime: 0,
  stepMs: 1,
  rules: rows.map(({ path, rule }) => ({ path, held: rule.isOff === true ? null : flags, count: 1, alone: null })),
  signals: { enterLong: flags, exitLong: flags, enterShort: flags, exitShort: flags },
  lines: [],
};
const labels = (list: 'enterLong' | 'exitLong') => stripsOf(document, rows, held, list).map(({ label, kind }) => `${label} ${kind}`);

test('an entry is shown with its guard, one level of its groups, and its signal; what is off is not', () => {
  expect(labels('enterLong')).toEqual([
    'G Close condition',
    '1 Close condition',
    '3 any of 2 condition',
    'a Close inner',
    'b all of 1 inner',
    'signal signal',
  ]);
});

test('an exit is shown without the guard', () => {
  expect(labels('exitLong')).toEqual(['4 Close condition', 'signal signal']);
});

test('the list is that of the chosen line, else the first that enters', () => {
  const row = (list: string) => rows.find((each) => each.list === list) ?? null;
  expect([stripList(document, row('exitLong')), stripList(document, row('guard')), stripList(document, null)]).toEqual([
    'exitLong',
    'enterLong',
    'enterLong',
  ]);
  expect(stripList({ ...document, enterLong: [], enterShort: document.enterLong }, null)).toBe('enterShort');
});
