import type { Operand, Rule } from '#engine/rules/document.ts';
import { faultsOf } from '#engine/rules/faults.ts';
import { compare, indicator, number, price } from '#engine/rules/pieces.ts';
import { emaCross } from '#engine/rules/templates/ema-cross.ts';
import { rulesDocument } from '#contract/rules.ts';
import { describe, expect, test } from 'vitest';
import { conditionKindOf, conditionKinds, kindOf, operandKinds, withConditionKind, withKind } from './operand-kinds.ts';

const volume: Operand = { ...indicator('sma', { period: 9 }, 'value', price('volume')), timeframe: '1h', candlesBack: 2 };

test.each(operandKinds)('any operand becomes "$label", without a fault and in the form of the contract', ({ value }) => {
  for (const { value: from } of operandKinds) {
    const operand = withKind(withKind(number(3), from), value);
    expect(kindOf(operand)).toBe(value);
    const when: Rule = compare(price('open'), 'above', operand);
    const document = { ...emaCross, enterLong: [{ tag: 'in', when }] };
    expect(faultsOf(document)).toEqual([]);
    expect(rulesDocument.safeParse(document).success).toBe(true);
  }
});

describe('what both kinds have stays', () => {
  test('where a line is read and what it is computed from', () => {
    expect(withKind(volume, 'indicator:ema')).toEqual({
      ...indicator('ema', { period: 20 }, 'value', price('volume')),
      timeframe: '1h',
      candlesBack: 2,
    });
    expect(withKind(volume, 'highest')).toEqual({ kind: 'highest', of: price('volume'), candles: 20, timeframe: '1h', candlesBack: 2 });
    expect(withKind(volume, 'indicator:atr')).toEqual({ ...indicator('atr', { period: 14 }), timeframe: '1h', candlesBack: 2 });
    expect(withKind(price('volume'), 'indicator:sma')).toEqual(indicator('sma', { period: 20 }, 'value', price('volume')));
  });

  test('the same kind is the same operand', () => {
    expect(withKind(volume, 'indicator:sma')).toBe(volume);
  });
});

test.each(conditionKinds)('any condition becomes one that "$label", with its sides and its switch', ({ value }) => {
  for (const { value: from } of conditionKinds) {
    const first = withConditionKind({ ...compare(volume, 'above', number(7)), isOff: true, within: 4 }, from);
    const next = withConditionKind(first, value);
    expect(conditionKindOf(next)).toBe(value);
    expect(next).toMatchObject({ isOff: true, within: 4 });
    expect('operand' in next ? next.operand : 'left' in next ? next.left : null).toEqual(volume);
    expect(faultsOf({ ...emaCross, guard: [{ ...next, isOff: false }] })).toEqual([]);
  }
});
