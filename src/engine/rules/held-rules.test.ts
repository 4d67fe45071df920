import { expect, test } from 'vitest';
import { randomWalk } from '../indicators/testing/random-walk.ts';
import { toColumns } from '../market/candle.ts';
import { defaultParameters, noSignals } from '../strategy/strategy.ts';
import { compileRules } from './compile-rules.ts';
import type { Rule, RulesDocument } from './document.ts';
import { heldRules } from './held-rules.ts';
import { all, any, compare, number, price } from './pieces.ts';
import { emaCross } from './templates/ema-cross.ts';
import { rulesTemplates } from './templates/templates.ts';

const minute = 60_000;
const start = Date.UTC(2026, 0, 1);
const above = (level: number): Rule => compare(price('close'), 'above', number(level));
const risen = compare(price('close'), 'above', { ...price('close'), candlesBack: 1 });
const closing = (...closes: number[]) =>
  toColumns(closes.map((last, i) => ({ openTime: start + i * minute, open: last, high: last, low: last, close: last, volume: 1 })));
const entering = (when: Rule, changes: Partial<RulesDocument> = {}): RulesDocument => ({
  ...emaCross,
  parameters: {},
  enterLong: [{ tag: 'in', when }],
  exitLong: [],
  enterShort: [],
  exitShort: [],
  ...changes,
});
const held = (document: RulesDocument, closes: number[], firstRow = 0) =>
  heldRules(document, closing(...closes), { parameters: {}, firstRow });
const found = (result: ReturnType<typeof held>) => result.rules.map(({ path, count, alone }) => [path, count, alone]);

test('each rule says how often it held, and each condition of an entry how often it alone was missing', () => {
  const document = entering(all(above(2), risen, any(above(4), above(9))), { guard: [above(1)] });
  //                        row: 0  1  2  3  4  5
  const result = held(document, [1, 3, 5, 5, 6, 0]);
  expect(found(result)).toEqual([
    ['guard.0', 4, 0],
    ['enterLong.0.when', 2, null],
    ['enterLong.0.when.rules.0', 4, 0],
    ['enterLong.0.when.rules.1', 3, 1], // row 3
    ['enterLong.0.when.rules.2', 3, 1], // row 1
    ['enterLong.0.when.rules.2.rules.0', 3, null],
    ['enterLong.0.when.rules.2.rules.1', 0, null],
  ]);
  expect([...result.signals.enterLong]).toEqual([0, 0, 1, 0, 1, 0]);
});

test('the guard is alone missing where an entry would be made', () => {
  const document = entering(risen, { guard: [above(4), { ...above(100), isOff: true }] });
  const result = held(document, [1, 3, 5]);
  expect(found(result)).toEqual([
    ['guard.0', 1, 1],
    ['guard.1', 0, null],
    ['enterLong.0.when', 2, 0],
  ]);
  expect(result.rules[1]?.held).toBeNull();
  expect([...result.signals.enterLong]).toEqual([0, 0, 1]);
});

test('only the rows of the range are counted, with what was before them known', () => {
  const result = held(entering(risen), [1, 2, 2, 3], 1);
  expect(result.rows).toBe(3);
  expect([...(result.rules[0]?.held ?? [])]).toEqual([1, 0, 1]);
  expect(result.valueAt(price('close'), 2)).toBe(3);
  expect(result.valueAt({ ...price('close'), candlesBack: 9 }, 2)).toBeNaN();
});

test.each(Object.entries(rulesTemplates))('the signals of %s are those that it trades by', (_, document) => {
  const strategy = compileRules(document);
  const candles = randomWalk({ length: 3_000, seed: 4, stepMs: 300_000 });
  const parameters = defaultParameters(strategy);
  const { signals } = heldRules(document, candles, { parameters });
  const traded = strategy.compute(candles, parameters);
  for (const list of ['enterLong', 'exitLong', 'enterShort', 'exitShort'] as const) expect(signals[list]).toEqual(traded[list]);
  expect(signals.enterLong).not.toEqual(noSignals(3_000).enterLong);
});
