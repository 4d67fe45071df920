import { toText } from '#engine/market/decimal.ts';
import type { Pair } from '../market/listings.ts';

/** One whole coin in units. Prices, amounts and money of an account are whole numbers of units: eight decimals, as the wire has. */
export const coin = 100_000_000n;

/** The units of a decimal text such as '0.05'; null when it is none, is negative or has more than eight decimals. */
export function unitsOf(text: string): bigint | null {
  const match = /^(\d{1,18})(?:\.(\d*))?$/u.exec(text);
  if (match === null) return null;
  const decimals = (match[2] ?? '').replace(/0+$/u, '');
  return decimals.length > 8 ? null : BigInt(`${match[1] ?? '0'}${decimals.padEnd(8, '0')}`);
}

/** Units as a decimal text with so many decimals; what is finer is cut off. */
export function textOf(units: bigint, decimals = 8): string {
  return toText({ digits: units / 10n ** BigInt(8 - decimals), scale: decimals });
}

/** What an amount costs at a price, or a ratio of a value; what is finer than a unit is cut off. */
export function product(a: bigint, b: bigint): bigint {
  return (a * b) / coin;
}

/** A price of the market, in ticks, as units. */
export function priceUnits(pair: Pair, ticks: number): bigint {
  return BigInt(ticks) * 10n ** BigInt(8 - pair.decimals);
}

/** An amount of the market, in steps, as units. */
export function amountUnits(pair: Pair, steps: number): bigint {
  return BigInt(steps) * 10n ** BigInt(8 - pair.amountDecimals);
}

/** The largest multiple of the pair's step in an amount. */
export function wholeAmount(pair: Pair, units: bigint): bigint {
  const step = amountUnits(pair, 1);
  return (units / step) * step;
}

/** The smaller of two. */
export function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
