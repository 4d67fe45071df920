import { describe, expect, test } from 'vitest';
import type { RulesDocument } from '#engine/rules/document.ts';
import { faultsOf, rulesLimits } from '#engine/rules/faults.ts';
import { all, compare, indicator, number, price } from '#engine/rules/pieces.ts';
import { emaCross } from '#engine/rules/templates/ema-cross.ts';
import { rulesTemplates } from '#engine/rules/templates/templates.ts';
import { routes } from './routes.ts';
import { areSmallEnough, mostBytesOfRules, rulesTooLarge } from './rule-strategies.ts';

const given = (document: unknown, based_on?: number) => ({ document, ...(based_on === undefined ? {} : { based_on }) });
const refusal = (document: unknown): (string | undefined)[] => [
  routes.makeRules.body.safeParse(given(document)).error?.issues[0]?.message,
  routes.saveRules.body.safeParse(given(document, 1)).error?.issues[0]?.message,
];
const bytesOf = (document: RulesDocument): number => Buffer.byteLength(JSON.stringify(document));

/** A document of exactly so many bytes, filled with signals whose tags are of one letter. */
function ofBytes(bytes: number, letter: string): RulesDocument {
  const enterLong: RulesDocument['enterLong'][number][] = [];
  const document: RulesDocument = { ...emaCross, description: '', enterLong };
  const when = all(...Array.from({ length: 10 }, (_, i) => compare(price('close'), 'above', number(i))));
  while (bytesOf(document) < bytes - 2_000) enterLong.push({ tag: letter.repeat(100), when });
  while (bytesOf(document) < bytes - 400) enterLong.push({ tag: letter, when: compare(price('close'), 'above', number(1)) });
  return { ...document, description: 'x'.repeat(bytes - bytesOf(document)) };
}

describe('a document of rules', () => {
  test.each(['x', 'é'])('may have so many bytes and not one more, written in %s', (letter) => {
    const full = ofBytes(mostBytesOfRules, letter);
    expect(bytesOf(full)).toBe(mostBytesOfRules);
    expect(refusal(full)).toEqual([undefined, undefined]);
    expect([full, { ...full, description: `${full.description}x` }].map(areSmallEnough)).toEqual([true, false]);
  });

  test('of all conditions that there may be is not half as large, and templates are far from it', () => {
    const pair = { timeframe: '4h', symbol: '1000PEPE/USDT:USDT' } as const;
    const long = { ...indicator('bollinger', { period: 120.5, deviations: 2.25 }, 'upper'), ...pair };
    const conditions = Array.from({ length: rulesLimits.conditions - 1 }, (_, i) =>
      compare({ ...long, candlesBack: i % 9 }, 'crossesAbove', number(i)),
    );
    const document: RulesDocument = {
      ...emaCross,
      enterLong: [{ tag: 'in', when: all(...conditions) }],
      exitLong: [],
      enterShort: [],
      exitShort: [],
      guard: [],
    };
    expect(faultsOf(document).map(({ sentence }) => sentence)).not.toContainEqual(expect.stringContaining('conditions; the most'));
    expect(bytesOf(document)).toBeLessThan(mostBytesOfRules / 2);
    for (const each of Object.values(rulesTemplates)) expect(bytesOf(each)).toBeLessThan(mostBytesOfRules / 10);
  });

  test('that is larger is refused by the call, which knows whether it is kept already', () => {
    expect(refusal(ofBytes(mostBytesOfRules + 1, 'x'))).toEqual([undefined, undefined]);
    for (const { errors } of [routes.makeRules, routes.saveRules]) expect(errors[400]).toContain(rulesTooLarge);
  });

  test('that is none is refused in the words of every call, however large', () => {
    const [made] = refusal({ ...emaCross, more: 'x'.repeat(mostBytesOfRules) });
    expect(made).not.toBe(rulesTooLarge);
  });
});
