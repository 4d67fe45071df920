import { dividedBy, times, toDecimal, toNumber, wholeSteps } from './decimal.ts';

/** Where a price goes that lies between two ticks; `nearest` sends the middle upwards. */
export type Rounding = 'nearest' | 'up' | 'down';

/**
 * The price moved to a multiple of the tick, exactly in decimals; a multiple stays where it is.
 *
 * Needs: `price` finite and not negative; a tick of 0 means that any price is allowed
 */
export function roundPrice(price: number, tick: number, rounding: Rounding = 'nearest'): number {
  if (!(tick > 0)) return price;
  const step = decimalStep(tick);
  const steps = price / tick;
  const below = Math.floor(steps);
  const rest = steps - below;
  // Far from a multiple and from the middle the double decides the same as the decimal; near them only the decimal can.
  const isClear = steps < SAFE_STEPS && rest > NEAR && rest < 1 - NEAR && Math.abs(rest - 0.5) > NEAR;
  if (isClear) return multiple(step, rounding === 'up' || (rounding === 'nearest' && rest > 0.5) ? below + 1 : below);
  // A price that is this very multiple stays: up to fifteen digits no two decimals are the same double.
  const nearest = Math.round(steps);
  if (nearest * step.units < 1e15 && multiple(step, nearest) === price) return price;
  return roundExactly(price, tick, step, rounding);
}

/**
 * The amount cut down to a multiple of the step, in contracts where a contract is not one unit. Never rounded up.
 *
 * Contracts are counted in decimals: in doubles a fill of everything can leave a remainder that no order can sell.
 */
export function truncateAmount(amount: number, amountStep: number, contractSize = 1): number {
  if (contractSize === 1) return roundPrice(amount, amountStep, 'down');
  const size = toDecimal(contractSize);
  const contracts = roundPrice(toNumber(dividedBy(toDecimal(amount), size)), amountStep, 'down');
  return toNumber(times(toDecimal(contracts), size));
}

/** The number rounded to 8 decimals, to the even one where it lies exactly between two; never minus zero. */
export function to8Decimals(value: number): number {
  // A double lies exactly between two such decimals when it is an odd number of 512ths.
  if (Number.isInteger(value * 512) && (value * 512) % 2 !== 0) return toEven(value * 1e8) / 1e8 + 0;
  const scaled = value * 1e8;
  const size = Math.abs(scaled);
  if (size < 1e14) {
    const rest = size - Math.floor(size);
    // The text is only needed where the double does not show on which side of the middle it lies.
    if (Math.abs(rest - 0.5) > 1e-3) return Math.round(scaled) / 1e8 + 0;
  }
  return Number(value.toFixed(8)) + 0;
}

function toEven(value: number): number {
  const below = Math.floor(value);
  return below % 2 === 0 ? below : below + 1;
}

const SAFE_STEPS = 1e9;
const NEAR = 1e-5;

/** A step as `units / 10^places`, so that a multiple of it is one correctly rounded division. */
interface DecimalStep {
  units: number;
  power: number;
}

const knownSteps = new Map<number, DecimalStep>();

function decimalStep(tick: number): DecimalStep {
  let step = knownSteps.get(tick);
  if (step === undefined) {
    const { digits, scale } = toDecimal(tick);
    step = { units: Number(digits), power: 10 ** scale };
    if (knownSteps.size < 1000) knownSteps.set(tick, step);
  }
  return step;
}

function multiple(step: DecimalStep, count: number): number {
  return (count * step.units) / step.power;
}

function roundExactly(price: number, tick: number, step: DecimalStep, rounding: Rounding): number {
  const value = toDecimal(price);
  const size = toDecimal(tick);
  const below = wholeSteps(value, size);
  const scale = Math.max(value.scale, size.scale);
  const unit = size.digits * 10n ** BigInt(scale - size.scale);
  const rest = value.digits * 10n ** BigInt(scale - value.scale) - below * unit;
  const goesUp = rest !== 0n && (rounding === 'up' || (rounding === 'nearest' && rest * 2n >= unit));
  return multiple(step, Number(goesUp ? below + 1n : below));
}
