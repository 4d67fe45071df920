import type { Rule, RulesDocument } from '#engine/rules/document.ts';
import { all, any, compare, number, price } from '#engine/rules/pieces.ts';
import { emaCross } from '#engine/rules/templates/ema-cross.ts';
import { describe, expect, test } from 'vitest';
import { isWithin, pieceAt, withPiece, withoutPiece } from './pieces-at.ts';
import { firstCondition, inGroup, moved, switchedOver, withCopy, withoutGroup, withoutRule, withRule, withSignal } from './rule-edits.ts';
import { ruleRows } from './rule-rows.ts';

const above = (level: number): Rule => compare(price('close'), 'above', number(level));
const document: RulesDocument = {
  ...emaCross,
  guard: [above(1)],
  enterLong: [{ tag: 'in', when: all(above(2), any(above(3), all(above(4), above(5)))) }],
  exitLong: [
    { tag: 'out', when: above(6) },
    { tag: 'late', when: above(7) },
  ],
  enterShort: [],
  exitShort: [],
};
const rows = (of: RulesDocument) => ruleRows(of).map(({ name, path }) => `${name} ${path}`);
/** The levels that the conditions compare with, as a text with brackets for groups; a rule that is off has a minus. */
const said = (rule: Rule): string => {
  const sign = rule.isOff === true ? '-' : '';
  if ('rules' in rule) return `${sign}${rule.kind}(${rule.rules.map(said).join(' ')})`;
  return rule.kind === 'compare' && rule.right.kind === 'number' ? `${sign}${JSON.stringify(rule.right.value)}` : '?';
};
const enters = ({ document: { enterLong } }: { document: RulesDocument }) => enterLong.map(({ when }) => said(when)).join(', ');

describe('pieces by the way to them', () => {
  test('one is read, and a document with another one leaves the first as it was', () => {
    expect(pieceAt(document, 'enterLong.0.when.rules.0.operator')).toBe('above');
    expect(pieceAt(document, 'enterLong.9.when')).toBeUndefined();
    const next = withPiece(document, 'enterLong.0.when.rules.0.operator', 'below');
    expect([pieceAt(next, 'enterLong.0.when.rules.0.operator'), pieceAt(document, 'enterLong.0.when.rules.0.operator')]).toEqual([
      'below',
      'above',
    ]);
    expect(next.exitLong).toBe(document.exitLong);
  });

  test('a field that becomes undefined is gone, and one that is there keeps its place', () => {
    const off = withPiece(document, 'guard.0.isOff', true);
    expect(withPiece(off, 'guard.0.isOff', undefined)).toEqual(document);
    expect(Object.keys(withPiece(off, 'guard.0.kind', 'compare').guard[0])).toEqual(Object.keys(off.guard[0]));
    expect(withoutPiece(document, 'guard.0').guard).toEqual([]);
  });

  test('a way leads into a piece, not into one whose number begins alike', () => {
    expect([isWithin('guard.1.left', 'guard.1'), isWithin('guard.10', 'guard.1'), isWithin('guard.1', 'guard.1')]).toEqual([
      true,
      false,
      true,
    ]);
  });
});

test('the lines are numbered through all lists; the group of a signal is its heading', () => {
  expect(rows(document)).toEqual([
    'G guard.0',
    '1 enterLong.0.when.rules.0',
    '2 enterLong.0.when.rules.1',
    '2a enterLong.0.when.rules.1.rules.0',
    '2b enterLong.0.when.rules.1.rules.1',
    '2bi enterLong.0.when.rules.1.rules.1.rules.0',
    '2bii enterLong.0.when.rules.1.rules.1.rules.1',
    '3 exitLong.0.when',
    '4 exitLong.1.when',
  ]);
  expect(rows({ ...document, guard: [above(1), above(2)] }).slice(0, 2)).toEqual(['G1 guard.0', 'G2 guard.1']);
});

describe('edits of rules', () => {
  test('one is switched off and on again', () => {
    const off = switchedOver(document, 'enterLong.0.when.rules.0');
    expect(enters({ document: off })).toBe('all(-2 any(3 all(4 5)))');
    expect(switchedOver(off, 'enterLong.0.when.rules.0')).toEqual(document);
  });

  test('a condition or a group is added to the guard, to a group, or to a signal of one condition', () => {
    expect(withRule(document, 'guard', 'condition')).toMatchObject({ path: 'guard.1', document: { guard: [above(1), firstCondition] } });
    const inner = withRule(document, 'enterLong.0.when.rules.1', 'group');
    expect([inner.path, enters(inner)]).toEqual(['enterLong.0.when.rules.1.rules.2', 'all(2 any(3 all(4 5) any(0)))']);
    const second = withRule(document, 'exitLong.0.when', 'condition');
    expect([second.path, said(second.document.exitLong[0].when)]).toEqual(['exitLong.0.when.rules.1', 'all(6 0)']);
  });

  test('a signal of one condition that is off stays off when another is added', () => {
    const off = switchedOver(document, 'exitLong.0.when');
    expect(said(withRule(off, 'exitLong.0.when', 'condition').document.exitLong[0].when)).toBe('all(-6 0)');
  });

  test('one is copied below itself', () => {
    const copied = withCopy(document, 'enterLong.0.when.rules.0');
    expect([copied.path, enters(copied)]).toEqual(['enterLong.0.when.rules.1', 'all(2 2 any(3 all(4 5)))']);
    expect(said(withCopy(document, 'exitLong.1.when').document.exitLong[1].when)).toBe('all(7 7)');
  });

  test('one is put into a group, and a group is taken away around its rules', () => {
    const grouped = inGroup(document, 'enterLong.0.when.rules.0');
    expect(enters(grouped)).toBe('all(any(2) any(3 all(4 5)))');
    expect(withoutGroup(grouped.document, grouped.path).document).toEqual(document);
    expect(enters(withoutGroup(document, 'enterLong.0.when.rules.1'))).toBe('all(2 3 all(4 5))');
    expect(withoutGroup(document, 'enterLong.0.when').document).toBe(document); // two rules are no signal without one
  });

  test('one is removed, and a signal goes with its last one', () => {
    expect(enters({ document: withoutRule(document, 'enterLong.0.when.rules.1.rules.0') })).toBe('all(2 any(all(4 5)))');
    expect(withoutRule(document, 'exitLong.0.when').exitLong.map(({ tag }) => tag)).toEqual(['late']);
    const one = withPiece(document, 'enterLong.0.when', all(above(2)));
    expect(withoutRule(one, 'enterLong.0.when.rules.0').enterLong).toEqual([]);
    expect(withoutRule(document, 'guard.0').guard).toEqual([]);
  });

  test('one moves among those beside it, and no further', () => {
    const down = moved(document, 'enterLong.0.when.rules.0', 1);
    expect([down.path, enters(down)]).toEqual(['enterLong.0.when.rules.1', 'all(any(3 all(4 5)) 2)']);
    expect(moved(document, 'enterLong.0.when.rules.0', -1)).toEqual({ document, path: 'enterLong.0.when.rules.0' });
    const up = moved(document, 'exitLong.1.when', -1);
    expect([up.path, up.document.exitLong.map(({ tag }) => tag)]).toEqual(['exitLong.0.when', ['late', 'out']]);
  });

  test('a new signal has a tag that no other of its list has', () => {
    const first = withSignal(document, 'enterShort');
    const second = withSignal(first.document, 'enterShort');
    expect(second.document.enterShort.map(({ tag }) => tag)).toEqual(['enter', 'enter-2']);
    expect(second.path).toBe('enterShort.1.when');
  });
});
