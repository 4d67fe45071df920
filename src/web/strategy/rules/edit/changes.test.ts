import type { Rule, RulesDocument } from '#engine/rules/document.ts';
import { all, any, compare, indicator, number, parameter, price } from '#engine/rules/pieces.ts';
import { emaCross } from '#engine/rules/templates/ema-cross.ts';
import { rulesTemplates } from '#engine/rules/templates/templates.ts';
import { describe, expect, test } from 'vitest';
import { documentChanges } from './changes.ts';
import { withPiece } from './pieces-at.ts';
import { moved, switchedOver, withoutRule, withRule } from './rule-edits.ts';

const close = price('close');
const rsi = indicator('rsi', { period: 14 });
const crossing = compare(rsi, 'crossesAbove', number(parameter('low')));
const fall: Rule = { kind: 'compare', left: { kind: 'change', of: close, candles: 12 }, operator: 'below', right: number(-0.003) };
const saved: RulesDocument = {
  ...emaCross,
  parameters: { low: { default: 34, min: 20, max: 45, step: 1, unit: '', meaning: '' } },
  guard: [compare(close, 'above', number(1))],
  enterLong: [{ tag: 'dip', when: all(crossing, any(fall, compare(close, 'below', number(9)))) }],
  exitLong: [{ tag: 'hot', when: compare(rsi, 'above', number(68)) }],
  enterShort: [],
  exitShort: [],
};
const said = (draft: RulesDocument) =>
  documentChanges(saved, draft).map(({ path, name, from, to }) => `${path} | ${name}: ${from} -> ${to}`);
const at = (path: string, piece: unknown) => said(withPiece(saved, path, piece));

describe('what a draft says otherwise than the saved version', () => {
  test.each<[string, () => string[], string[]]>([
    ['nothing', () => said(structuredClone(saved)), []],
    [
      'a number',
      () => at('enterLong.0.when.rules.1.rules.0.right.value', -0.007),
      ['enterLong.0.when.rules.1.rules.0.right | Change over 12 candles: -0.3% -> -0.7%'],
    ],
    [
      'how long ago it may have been',
      () => at('enterLong.0.when.rules.0.within', 3),
      ['enterLong.0.when.rules.0.within | RSI 14: on the candle itself -> last 3 candles'],
    ],
    ['an operator', () => at('guard.0.operator', 'atMost'), ['guard.0.operator | Close: is above -> is at most']],
    ['what it looks at', () => at('exitLong.0.when.left.settings.period', 9), ['exitLong.0.when.left | RSI 9: RSI 14 -> RSI 9']],
    ['a switch', () => said(switchedOver(saved, 'guard.0')), ['guard.0.isOff | Close: on -> off']],
    ['a parameter', () => at('parameters.low.default', 30), ['parameters.low | low: 34 -> 30']],
    ['its range', () => at('parameters.low.max', 50), ['parameters.low | low: 34 of 20 to 45 by 1 -> 34 of 20 to 50 by 1']],
    ['a tag', () => at('exitLong.0.tag', 'warm'), ['exitLong.0 | Tag of exit long: hot -> warm']],
    [
      'the kind of a group',
      () => at('enterLong.0.when.rules.1.kind', 'all'),
      ['enterLong.0.when.rules.1.kind | all of 2 conditions: any of -> all of'],
    ],
    ['a stop', () => at('defaults.stoploss', -0.03), ['defaults.stoploss | Stop loss: -5.00% -> -3.00%']],
    ['a name', () => at('title', 'Dips'), ['title | Name: EMA cross -> Dips']],
    [
      'a plan',
      () => at('positionPlan', { addMore: null, takeOut: [{ profit: 0.01, part: 0.5 }] }),
      ['positionPlan | Position plan: none -> Take out 50% of the position at a profit of 1%.'],
    ],
  ])('%s', (_, found, expected) => {
    expect(found()).toEqual(expected);
  });

  test('conditions are added and removed, and the others are known again', () => {
    const more = withPiece(withRule(saved, 'enterLong.0.when', 'condition').document, 'enterLong.0.when.rules.0.within', 2);
    expect(said(more)).toEqual([
      'enterLong.0.when.rules.0.within | RSI 14: on the candle itself -> last 2 candles',
      'enterLong.0.when.rules.2 | close is above 0: none -> added',
    ]);
    expect(said(withoutRule(saved, 'enterLong.0.when.rules.0'))).toEqual(['enterLong.0 | RSI 14 crosses above 34: there -> none']);
    expect(said(withoutRule(saved, 'exitLong.0.when'))).toEqual(['exitLong | Exit long (hot): RSI 14 is above 68 -> none']);
  });

  test('a condition that moves is one change', () => {
    expect(said(moved(saved, 'enterLong.0.when.rules.0', 1).document)).toEqual(['enterLong.0 | Sequence of conditions: 1, 2 -> 2, 1']);
  });

  test('a signal of one condition that gets a second one has one change', () => {
    expect(said(withRule(saved, 'exitLong.0.when', 'condition').document)).toEqual([
      'exitLong.0.when.rules.1 | close is above 0: none -> added',
    ]);
  });
});

test('every change of a template into another is named, and none of one into itself', () => {
  for (const a of Object.values(rulesTemplates))
    for (const b of Object.values(rulesTemplates)) expect(documentChanges(a, structuredClone(b)).length > 0).toBe(a !== b);
});
