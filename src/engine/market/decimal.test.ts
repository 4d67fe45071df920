import { describe, expect, test } from 'vitest';
import { fromText, plus, toText } from './decimal.ts';

describe('a decimal read from text', () => {
  test('is exactly what is written, however long', () => {
    for (const text of ['0', '-0.25', '99999999999999999999.999999999999999999', '-0.000000000000000001', '1200'])
      expect(toText(fromText(text))).toBe(text);
    expect(toText(plus(fromText('0.1'), fromText('0.2')))).toBe('0.3');
  });

  test('needs digits', () => {
    for (const text of ['', '-', '.5', '1.', '1e3', 'NaN', '1,5', ' 1']) expect(() => fromText(text), text).toThrow(RangeError);
  });
});
