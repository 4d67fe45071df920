/**
 * An exact decimal number: `digits / 10^scale`.
 *
 * Fills are settled with these; decisions are taken in doubles. A double enters as its shortest decimal text (0.1 is
 * one tenth, not 0.1000000000000000055...). Sums and products are exact.
 */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

/** The decimal of a finite number, or of a decimal text such as '0.25' or '1e-8'. */
export function toDecimal(value: number | string): Decimal {
  if (typeof value === 'number' && Number.isFinite(value)) {
    if (Number.isSafeInteger(value)) return { digits: BigInt(value), scale: 0 };
    const text = String(value);
    const dot = text.indexOf('.');
    // The usual double, without an exponent, needs no closer look.
    if (dot !== -1 && !text.includes('e'))
      return { digits: BigInt(text.slice(0, dot) + text.slice(dot + 1)), scale: text.length - dot - 1 };
  }
  const match = /^(-?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i.exec(String(value));
  if (match === null) throw new RangeError(`a decimal needs a finite number, and was given ${value}`);
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const digits = BigInt(`${sign}${whole}${fraction}` || '0');
  const scale = fraction.length - Number(exponent);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

/** Nothing. */
export const zero: Decimal = { digits: 0n, scale: 0 };

/** `a + b`, exactly. */
export function plus(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { digits: digitsAt(a, scale) + digitsAt(b, scale), scale };
}

/** `a - b`, exactly. */
export function minus(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { digits: digitsAt(a, scale) - digitsAt(b, scale), scale };
}

/** `a * b`, exactly. */
export function times(a: Decimal, b: Decimal): Decimal {
  return { digits: a.digits * b.digits, scale: a.scale + b.scale };
}

/** `a / b`, truncated to 18 decimals. */
export function dividedBy(a: Decimal, b: Decimal): Decimal {
  if (b.digits === 0n) throw new RangeError('a decimal cannot be divided by zero');
  const shift = 18 + b.scale - a.scale;
  const digits = shift >= 0 ? (a.digits * 10n ** BigInt(shift)) / b.digits : a.digits / (b.digits * 10n ** BigInt(-shift));
  return { digits, scale: 18 };
}

/** Negative when `a < b`, 0 when equal, positive when `a > b`. */
export function compare(a: Decimal, b: Decimal): number {
  const difference = minus(a, b).digits;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** The whole number of times `step` goes into `value`, towards zero. */
export function wholeSteps(value: Decimal, step: Decimal): bigint {
  const scale = Math.max(value.scale, step.scale);
  return digitsAt(value, scale) / digitsAt(step, scale);
}

/** The nearest double. */
export function toNumber(value: Decimal): number {
  return Number(toText(value));
}

/** The decimal text, e.g. '-0.25'; trailing zeros of the scale are kept. */
export function toText({ digits, scale }: Decimal): string {
  const sign = digits < 0n ? '-' : '';
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0');
  return scale === 0 ? `${sign}${text}` : `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}`;
}

function digitsAt(value: Decimal, scale: number): bigint {
  return value.scale === scale ? value.digits : value.digits * 10n ** BigInt(scale - value.scale);
}
