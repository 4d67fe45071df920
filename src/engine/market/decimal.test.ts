import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromText, minus, plus, shortProduct, shortValueWithFee, times, toDecimal, toNumber, toText } from './decimal.ts';

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

describe('a value with its fee in doubles', () => {
  const exact = (amount: number, rate: number, fee: number, sign: 1 | -1): number => {
    const value = times(toDecimal(amount), toDecimal(rate));
    const paid = times(value, toDecimal(fee));
    return toNumber(sign === 1 ? plus(value, paid) : minus(value, paid));
  };

  test('is the double of the exact decimal, or is not said', () => {
    const number = fc.oneof(
      fc.integer({ min: 0, max: 1e9 }).map((n) => n / 1e5),
      fc.integer({ min: 0, max: 1e15 }).map((n) => n / 1e8),
      fc.double({ min: 0, max: 1e6, noNaN: true }),
      fc.integer({ min: 0, max: 1e6 }),
    );
    const fee = fc.constantFrom(0, 0.001, 0.0005, 0.00075, 0.1, 0.00012345);
    let said = 0;
    fc.assert(
      fc.property(number, number, fee, fc.constantFrom(1 as const, -1 as const), (amount, rate, ratio, sign) => {
        const value = shortValueWithFee(amount, rate, ratio, sign);
        if (value === null) return;
        said += 1;
        expect(value).toBe(exact(amount, rate, ratio, sign));
      }),
      { numRuns: 3_000, seed: 1 },
    );
    expect(said).toBeGreaterThan(300);
  });

  test('what is too long for doubles is not said', () => {
    expect(shortValueWithFee(0.00333, 30_000.12, 0.001, 1)).toBe(exact(0.00333, 30_000.12, 0.001, 1));
    expect(shortValueWithFee(12345.12345678, 98765.12345678, 0.001, 1)).toBeNull();
    expect(shortValueWithFee(1 / 3, 1, 0, 1)).toBeNull();
    expect(shortValueWithFee(NaN, 1, 0, 1)).toBeNull();
  });
});

test('a product of three in doubles is the double of the exact decimal, or is not said', () => {
  const number = fc.oneof(
    fc.integer({ min: 0, max: 1e9 }).map((n) => n / 1e5),
    fc.integer({ min: -1e6, max: 1e6 }).map((n) => n / 1e6),
    fc.double({ min: 0, max: 1e6, noNaN: true }),
  );
  let said = 0;
  fc.assert(
    fc.property(number, number, number, (a, b, c) => {
      const product = shortProduct(a, b, c);
      if (product === null) return;
      said += 1;
      // In a fee minus zero is zero.
      expect(product + 0).toBe(toNumber(times(times(toDecimal(a), toDecimal(b)), toDecimal(c))) + 0);
    }),
    { numRuns: 4_000, seed: 1 },
  );
  expect(said).toBeGreaterThan(300);
  expect(shortProduct(1 / 3, 1, 1)).toBeNull();
  expect(shortProduct(98765.12345678, 12345.12345678, 0.001)).toBeNull();
});
