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

/** The decimal of a finite number. */
export function toDecimal(value: number): Decimal {
  const short = shortScale(value);
  if (short >= 0) return { digits: BigInt(Math.round(value * doubles[short])), scale: short };
  const match = /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value));
  if (match === null) throw new RangeError(`a decimal needs a finite number, and was given ${value}`);
  const [, whole, fraction = '', exponent = '0'] = match;
  const digits = BigInt(`${whole}${fraction}`);
  const scale = fraction.length - Number(exponent);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

/**
 * `amount * rate * (1 + sign * fee)` as the nearest double, exactly as the decimals give it; null where it is not known without them: of numbers
 * with more than eight decimals, and of products that are too large to be whole numbers in doubles.
 */
export function shortValueWithFee(amount: number, rate: number, fee: number, sign: 1 | -1): number | null {
  const a = shortScale(amount);
  const r = shortScale(rate);
  const f = shortScale(fee);
  if (a < 0 || r < 0 || f < 0 || a + r + f > 22) return null;
  const value = Math.round(amount * doubles[a]) * Math.round(rate * doubles[r]);
  const digits = value * (doubles[f] + sign * Math.round(fee * doubles[f]));
  // Whole numbers up to this size are exact, and so is the power of ten: their quotient is the nearest double.
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER && Math.abs(digits) <= Number.MAX_SAFE_INTEGER ? digits / doubles[a + r + f] : null;
}

/** `a * b * c` as the nearest double, exactly as the decimals give it; null where it is not known without them (see `shortValueWithFee`). */
export function shortProduct(a: number, b: number, c: number): number | null {
  const [inA, inB, inC] = [shortScale(a), shortScale(b), shortScale(c)];
  if (inA < 0 || inB < 0 || inC < 0 || inA + inB + inC > 22) return null;
  const two = Math.round(a * doubles[inA]) * Math.round(b * doubles[inB]);
  const digits = two * Math.round(c * doubles[inC]);
  return Math.abs(two) <= Number.MAX_SAFE_INTEGER && Math.abs(digits) <= Number.MAX_SAFE_INTEGER ? digits / doubles[inA + inB + inC] : null;
}

/** How many decimals a number has, at most eight; -1 where it has more, or too many digits. */
function shortScale(value: number): number {
  if (Number.isSafeInteger(value)) return 0;
  // Prices and amounts have few decimals. A quotient that is this very double is its decimal: up to fifteen digits no two
  // decimals are the same double, and a quotient of whole numbers this small is rounded correctly.
  for (let scale = 1; scale <= 8; scale++) {
    const digits = Math.round(value * doubles[scale]);
    if (digits / doubles[scale] === value && Math.abs(digits) < 1e15) return scale;
  }
  return -1;
}

/** The decimal of a text of `toText`, such as '-0.25'; exactly, however long it is. */
export function fromText(text: string): Decimal {
  const match = /^(-?\d+)(?:\.(\d+))?$/.exec(text);
  if (match === null) throw new RangeError(`a decimal needs digits, and was given ${text}`);
  const [, whole = '', fraction = ''] = match;
  return { digits: BigInt(`${whole}${fraction}`), scale: fraction.length };
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
  // The average of one entry is its price, and short: the truncated quotient would be as long as it gets.
  const scale = a.scale - b.scale;
  if (scale >= 0 && scale <= 18 && a.digits % b.digits === 0n) return { digits: a.digits / b.digits, scale };
  const shift = 18 - scale;
  const digits = shift >= 0 ? (a.digits * tenTo(shift)) / b.digits : a.digits / (b.digits * tenTo(-shift));
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
  const { digits, scale } = value;
  // Both are exact as doubles here, so their quotient is the nearest one.
  if (scale <= 22 && digits <= safeDigits && digits >= -safeDigits) return Number(digits) / doubles[scale];
  return Number(toText(value));
}

/** The decimal text, e.g. '-0.25'; trailing zeros of the scale are kept. */
export function toText({ digits, scale }: Decimal): string {
  const sign = digits < 0n ? '-' : '';
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0');
  return scale === 0 ? `${sign}${text}` : `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}`;
}

function digitsAt(value: Decimal, scale: number): bigint {
  return value.scale === scale ? value.digits : value.digits * tenTo(scale - value.scale);
}

const safeDigits = BigInt(Number.MAX_SAFE_INTEGER);

/** Powers of ten that are exact as doubles. */
const doubles = Array.from({ length: 23 }, (_, power) => Number(`1e${power}`));

const powersOfTen = Array.from({ length: 64 }, (_, power) => 10n ** BigInt(power));

function tenTo(power: number): bigint {
  return powersOfTen[power] ?? 10n ** BigInt(power);
}
