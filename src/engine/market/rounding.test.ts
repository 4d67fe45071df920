import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compare, dividedBy, minus, plus, times, toDecimal, toNumber, toText, wholeSteps } from './decimal.ts';
import { roundPrice, to8Decimals, truncateAmount } from './rounding.ts';

describe('prices and amounts', () => {
  test.each([
    [105.21021, 0.01, 'nearest', 105.21],
    [105.215, 0.01, 'nearest', 105.22],
    [90.10000000000001, 0.01, 'up', 90.11],
    [109.89999999999999, 0.01, 'down', 109.89],
    [90.1, 0.01, 'up', 90.1],
    [18.676, 0.1, 'up', 18.7],
    [7.3, 0.5, 'nearest', 7.5],
    [7.25, 0.5, 'nearest', 7.5],
    [7.24, 0.5, 'nearest', 7],
    [123, 0.05, 'nearest', 123],
    [1234, 100, 'up', 1300],
    [0.000012345, 0.00000001, 'nearest', 0.00001235],
  ] as const)('%d at tick %d goes %s to %d', (price, tick, rounding, expected) => {
    expect(roundPrice(price, tick, rounding)).toBe(expected);
  });
  test('amounts are cut, in contracts where there are any', () => {
    expect(truncateAmount(9.9009, 0.001)).toBe(9.9);
    expect(truncateAmount(0.3, 0.1)).toBe(0.3);
    expect(truncateAmount(0.29999999999999999, 0.1)).toBe(0.3);
    expect(truncateAmount(25.7, 1, 10)).toBe(20);
  });
  test('rounding agrees with decimals worked out in full, for any price and tick', () => {
    const price = fc.oneof(
      fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
      fc.integer({ min: 1, max: 10_000_000 }).map((n) => n / 1000),
    );
    const tick = fc.constantFrom(0.00000001, 0.0001, 0.01, 0.1, 0.5, 0.05, 0.25, 1, 5);
    fc.assert(
      fc.property(price, tick, fc.constantFrom('nearest', 'up', 'down'), (value, step, rounding) => {
        const exact = toDecimal(value);
        const size = toDecimal(step);
        let below = 0n;
        const whole = dividedBy(exact, size);
        below = whole.digits / 10n ** BigInt(whole.scale);
        const rest = minus(exact, times({ digits: below, scale: 0 }, size));
        const half = compare(times(rest, toDecimal(2)), size) >= 0;
        const goesUp = rest.digits !== 0n && (rounding === 'up' || (rounding === 'nearest' && half));
        const expected = toNumber(times({ digits: goesUp ? below + 1n : below, scale: 0 }, size));
        expect(roundPrice(value, step, rounding)).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });
  test('eight decimals as a text would give them', () => {
    const value = fc.oneof(
      fc.double({ min: -1e5, max: 1e5, noNaN: true }),
      fc.integer({ min: -1e9, max: 1e9 }).map((n) => n / 2e8),
    );
    fc.assert(
      fc.property(value, (number) => {
        expect(to8Decimals(number)).toBe(Number(number.toFixed(8)) + 0);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('decimals', () => {
  test('a double is its shortest text', () => {
    expect(toText(plus(toDecimal(0.1), toDecimal(0.2)))).toBe('0.3');
    expect(toText(times(toDecimal(1e-8), toDecimal(3)))).toBe('0.00000003');
    expect(toText(times(toDecimal(-12.5), toDecimal(0.2)))).toBe('-2.50');
    expect(toNumber(toDecimal(1e21))).toBe(1e21);
  });
  test('division is cut at 18 decimals', () => {
    expect(toText(dividedBy(toDecimal(-2), toDecimal(3)))).toBe('-0.666666666666666666');
  });
  test('the short ways give what the text gives', () => {
    const byText = (value: number): string => {
      const [, sign = '', whole = '', fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d*))?(?:e([+-]?\d+))?$/u.exec(String(value)) ?? [];
      const scale = fraction.length - Number(exponent);
      const digits = BigInt(`${sign}${whole}${fraction}`);
      return scale >= 0 ? toText({ digits, scale }) : toText({ digits: digits * 10n ** BigInt(-scale), scale: 0 });
    };
    const any = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.tuple(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: 0, max: 10 })).map(([digits, scale]) => digits / 10 ** scale),
      fc.tuple(fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: 0, max: 12 })).map(([digits, scale]) => digits * 10 ** -scale),
    );
    const decimal = fc.record({ digits: fc.bigInt({ min: -(10n ** 22n), max: 10n ** 22n }), scale: fc.integer({ min: 0, max: 30 }) });
    fc.assert(
      fc.property(any, (value) => {
        expect(toText(toDecimal(value))).toBe(byText(value));
      }),
      { numRuns: 5000 },
    );
    fc.assert(
      fc.property(decimal, (value) => {
        expect(toNumber(value)).toBe(Number(toText(value)));
      }),
      { numRuns: 5000 },
    );
    const short = fc.record({ digits: fc.bigInt({ min: 1n, max: 10n ** 9n }), scale: fc.integer({ min: 0, max: 10 }) });
    fc.assert(
      fc.property(short, short, (a, b) => {
        const truncated = { digits: (a.digits * 10n ** BigInt(18 + b.scale)) / (b.digits * 10n ** BigInt(a.scale)), scale: 18 };
        expect(toNumber(dividedBy(a, b))).toBe(toNumber(truncated));
        expect(compare(dividedBy(a, b), truncated)).toBe(0);
        // The price of a single entry comes back whole.
        expect(compare(dividedBy(times(a, b), b), a)).toBe(0);
      }),
      { numRuns: 3000 },
    );
  });
  test.each([
    [0.25, '0.25'],
    [-0.001, '-0.001'],
    [-0, '0'],
    [1e21, '1000000000000000000000'],
    [-1.5e22, '-15000000000000000000000'],
    [1.25e-7, '0.000000125'],
    [-3e-12, '-0.000000000003'],
    [123456.000000001, '123456.000000001'],
    [2 ** 53, '9007199254740992'],
    [0.1234567890123456, '0.1234567890123456'],
  ])('the decimal of %d is %s', (value, text) => {
    expect(toText(toDecimal(value))).toBe(text);
  });
  test('numbers are compared, and steps counted towards zero', () => {
    const [one, two] = [toDecimal(1), times(toDecimal(0.2), toDecimal(10))];
    expect([compare(one, two), compare(two, one), compare(two, toDecimal(2))]).toEqual([-1, 1, 0]);
    expect([7.5, -7.5, 0.3].map((value) => wholeSteps(toDecimal(value), toDecimal(0.1)))).toEqual([75n, -75n, 3n]);
    expect([7.59, -7.59].map((value) => wholeSteps(toDecimal(value), toDecimal(2)))).toEqual([3n, -3n]);
  });
  test('sums and differences are exact, whatever the number of decimals', () => {
    expect(toText(plus(toDecimal(1.5), toDecimal(0.0001)))).toBe('1.5001');
    expect(toText(minus(toDecimal(1.5), toDecimal(0.0001)))).toBe('1.4999');
    expect(toText(minus(toDecimal(0.0001), toDecimal(1.5)))).toBe('-1.4999');
  });
  test('a very long quotient is cut at 18 decimals too', () => {
    const long = { digits: 10n ** 40n + 7n, scale: 40 };
    expect(toText(dividedBy(long, toDecimal(1)))).toBe('1.000000000000000000');
    expect(toText(dividedBy(toDecimal(1), { digits: 3n, scale: 30 }))).toBe(`${'3'.repeat(30)}.${'3'.repeat(18)}`);
  });
  test('what is not a number is refused', () => {
    expect(() => toDecimal(NaN)).toThrow('NaN');
    expect(() => toDecimal(Infinity)).toThrow('Infinity');
    expect(() => dividedBy(toDecimal(1), toDecimal(0))).toThrow('zero');
  });
});

test('contracts are counted in decimals: nothing remains of what is a whole number of them', () => {
  expect(truncateAmount(0.3, 1, 0.1)).toBe(0.3);
  expect(truncateAmount(0.7, 0.1, 0.01)).toBe(0.7);
  expect(truncateAmount(4.35, 0.01, 0.01)).toBe(4.35);
  expect(truncateAmount(35, 1, 10)).toBe(30);
});

test('8 decimals, and between two of them the even one', () => {
  expect(to8Decimals(0.009765625)).toBe(0.00976562);
  expect(to8Decimals(-0.009765625)).toBe(-0.00976562);
  expect(to8Decimals(3 / 512)).toBe(0.00585938);
  expect(to8Decimals(1 + 1 / 512)).toBe(1.00195312);
  expect(to8Decimals(0.125)).toBe(0.125);
  expect(to8Decimals(0.000000015)).toBe(0.00000001); // as a double it lies below the middle
});

test('a tick of 0 lets any price be, and a multiple of the tick stays', () => {
  expect(roundPrice(1.2345, 0)).toBe(1.2345);
  expect([0.3, 1.15, 8.2].map((price) => [roundPrice(price, 0.05, 'up'), roundPrice(price, 0.05, 'down')])).toEqual([
    [0.3, 0.3],
    [1.15, 1.15],
    [8.2, 8.2],
  ]);
});

test('prices of very many ticks are rounded in decimals', () => {
  expect(roundPrice(1_234_567.123456789, 1e-8, 'down')).toBe(1_234_567.12345678);
  expect(roundPrice(1_234_567.123456789, 1e-8, 'up')).toBe(1_234_567.12345679);
});

test('no amount is minus nothing', () => {
  expect(to8Decimals(-1e-12)).toBe(0);
  expect(to8Decimals(-0)).toBe(0);
  expect(to8Decimals(1e7 + 1 / 3)).toBe(10_000_000.33333333);
  expect(to8Decimals(-2.000000015)).toBe(Number((-2.000000015).toFixed(8)));
});
