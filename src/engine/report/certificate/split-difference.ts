import type { Decimal } from '../../market/decimal.ts';
import { dividedBy, minus, plus, times, zero } from '../../market/decimal.ts';
import { signOf } from '../../market/direction.ts';
import type { DayTrade } from './day-trade.ts';
import { feesOf, grossOf, sumOf, valueOf } from './day-trade.ts';

/** What a difference between backtest and account can come of. Shown in this sequence. */
export const partNames = [
  'fill-price', // what an order was filled at, against the price it was made at
  'delay', // what the price had done by the time the bot acted
  'amount', // fills for another amount: in part, or of another stake
  'fee', // what fills cost
  'funding', // and interest
  'data', // candles the bot saw are not those that are stored now
  'decision', // on the same candle the bot decided otherwise: never meant to happen
  'intervention', // of a person, a limit or the exchange: what the bot was kept from, or made to do
  'unexplained', // no rule says what it came of
] as const;

/** One of these. */
export type PartName = (typeof partNames)[number];

/** Parts of a difference in quote currency; one that is nothing is missing. */
export type Parts = Partial<Record<PartName, Decimal>>;

/**
 * Splits what a trade brought less than promised (negative) or more, by putting what the account did in the place of what the backtest
 * did, one thing after the other: the amount, then the prices the orders were made at, the prices they were filled at, the fees, the funding. Each
 * part is what the result moves with its step, so they add up to the difference exactly. `causes` says what another amount and
 * another price of the exit came of.
 */
export function splitDifference(promised: DayTrade, made: DayTrade, causes: { amount: PartName; exit: PartName }): Parts {
  const sign = (value: Decimal): Decimal => (signOf(made.direction) === 1 ? value : minus(zero, value));
  const amount = sumOf(made.entries);
  const left = sumOf(made.exits);
  const entered = averageOf(promised, 'entries');
  const exited = averageOf(promised, 'exits');
  const atPromisedPrices = sign(minus(times(exited, left), times(entered, amount)));
  const fills = (side: 'entries' | 'exits'): Decimal => minus(valueOf(made[side], 'price'), valueOf(made[side], 'decided'));
  const parts: Parts = {};
  addPart(parts, causes.amount, minus(atPromisedPrices, grossOf(promised)));
  addPart(parts, 'delay', sign(minus(times(entered, amount), valueOf(made.entries, 'decided'))));
  addPart(parts, causes.exit, sign(minus(valueOf(made.exits, 'decided'), times(exited, left))));
  addPart(parts, 'fill-price', sign(minus(fills('exits'), fills('entries'))));
  addPart(parts, 'fee', minus(feesOf(promised), feesOf(made)));
  addPart(parts, 'funding', minus(made.funding, promised.funding));
  return parts;
}

/** Adds to a part; a part of nothing is none. */
export function addPart(parts: Parts, name: PartName, value: Decimal): void {
  const sum = plus(parts[name] ?? zero, value);
  if (sum.digits === 0n) delete parts[name];
  else parts[name] = sum;
}

/** What all parts come to. */
export function sumOfParts(parts: Parts): Decimal {
  return Object.values(parts).reduce((sum, part) => plus(sum, part), zero);
}

/** The average price; a division is cut to 18 decimals, and what is cut is in the part of the amount. */
function averageOf(trade: DayTrade, side: 'entries' | 'exits'): Decimal {
  const legs = trade[side];
  const [first] = legs;
  if (first !== undefined && legs.length === 1) return first.price;
  const amount = sumOf(legs);
  return amount.digits === 0n ? zero : dividedBy(valueOf(legs, 'price'), amount);
}
