import type { Decimal } from '../market/decimal.ts';
import { minus, plus, times, toDecimal, toNumber, wholeSteps, zero } from '../market/decimal.ts';
import { hourMs } from '../market/durations.ts';
import type { Fill } from './fill.ts';
import type { FundingEvent, FundingEvents } from './funding.ts';
import { fundingBetween } from './funding.ts';
import type { Order } from './order.ts';
import type { SoldOutside, Trade } from './trade.ts';
import { lastFillTime } from './trade.ts';

/**
 * Works out a trade's funding since its last fill again.
 *
 * Both ends count, so an event at the very moment of a fill counts before and after it (fundingCountsTwiceAtAFill); with `countOnce` it counts
 * for what was held before.
 */
export function refreshFunding(trade: Trade, events: FundingEvents, time: number, countOnce: boolean): void {
  const since = lastFillTime(trade);
  setRunningFunding(trade, fundingBetween(events, trade, countOnce ? since + 1 : since, time));
}

/** The time up to which a trade's funding is accounted for: payments after it, and only they, are still to come. */
export function fundedUntil(trade: Trade): number {
  if (trade.fundedUntil !== undefined) return trade.fundedUntil;
  const fillTimes = trade.orders.flatMap(({ fills }) => fills.map(({ time }) => time));
  return fillTimes.length > 0 ? Math.min(...fillTimes) : trade.openTime;
}

/**
 * So many payments of a trade are kept, for fills of before that are reported late: two days of hourly ones. After an outage all of them come before
 * the account is compared, and it may turn out to lack what they were counted for.
 */
const keptPayments = 50;

/** So many while its account lacks something of it, which may have been sold before them: a person may decide about it after a week of hourly ones. */
export const keptWhileMissing = 200;

/**
 * Adds a payment to a trade, once, for what its fills say was held then: false when it was counted before, or nothing was held yet. A payment
 * at the very moment of a fill is that of what was held before. The newest `kept` are kept, for fills of before that are reported late.
 */
export function addFunding(trade: Trade, { time, rate, mark }: FundingEvent, kept = keptPayments): boolean {
  if (time <= fundedUntil(trade)) return false;
  const perUnit = perUnitOf(rate, mark);
  setRunningFunding(trade, sumOf(trade.fundingRunning, received(trade, perUnit, heldBefore(trade, time))));
  notePayment(trade, time, perUnit, kept);
  return true;
}

/**
 * Adds a payment that has become known after the end of a trade, once: to the exit that came after it, for what the fills say was held then.
 * False when it was counted before, or nothing was held; the trade is not settled yet.
 */
export function addLateFunding(trade: Trade, { time, rate, mark }: FundingEvent): boolean {
  if (time <= fundedUntil(trade)) return false;
  const held = filledBefore(trade, time);
  // What is too small to sell is left after the last exit, and belongs to no trade then.
  const exit = trade.orders.find(({ purpose, fills }) => purpose === 'exit' && fills.some((fill) => fill.time >= time));
  if (!(held > 0) || exit === undefined) return false;
  const perUnit = perUnitOf(rate, mark);
  exit.fundingFee = sumOf(exit.fundingFee, received(trade, perUnit, held));
  notePayment(trade, time, perUnit, keptPayments);
  return true;
}

/** Whether a trade that is over was held at a full hour, on which exchanges pay, and knows of no payment then: it may be published still. */
export function awaitsFunding(trade: Trade): boolean {
  const lastHour = Math.floor(lastFillTime(trade) / hourMs) * hourMs;
  return trade.marketType === 'futures' && trade.profit !== null && lastHour > fundedUntil(trade);
}

function notePayment(trade: Trade, time: number, perUnit: number, kept: number): void {
  trade.fundedUntil = time;
  trade.payments = [...(trade.payments ?? []), { time, perUnit }].slice(-kept);
}

/** How much fills of an order that become known only now change the funding of a trade: payments after them were counted as if they had not been. */
export function fundingMissed(trade: Trade, order: Order, ...fills: readonly Pick<Fill, 'amount' | 'time'>[]): number {
  const moved = isAdding(trade, order) ? plus : minus;
  let missed = 0;
  for (const { time, perUnit } of trade.payments ?? []) {
    const earlier = fills.filter((fill) => fill.time < time);
    if (earlier.length === 0) continue;
    const before = filledBefore(trade, time);
    const after = toNumber(earlier.reduce((held, { amount }) => moved(held, toDecimal(amount)), toDecimal(before)));
    missed = sumOf(missed, sumOf(received(trade, perUnit, after), -received(trade, perUnit, before)));
  }
  return missed;
}

/** What a position of an amount receives of a payment, cut to the eight decimals that an exchange pays in: longs pay. */
export function paymentOf(trade: Pick<Trade, 'direction'>, { rate, mark }: Pick<FundingEvent, 'rate' | 'mark'>, amount: number): number {
  return received(trade, perUnitOf(rate, mark), amount);
}

function received({ direction }: Pick<Trade, 'direction'>, perUnit: number, amount: number): number {
  const value = times(toDecimal(perUnit), toDecimal(amount));
  const paid = toNumber({ digits: wholeSteps(value, smallestPayment), scale: smallestPayment.scale });
  return direction === 'long' ? 0 - paid : paid;
}

const smallestPayment: Decimal = { digits: 1n, scale: 8 };

/** What a payment is for each unit held, from longs to shorts. */
function perUnitOf(rate: number, mark: number): number {
  return toNumber(times(toDecimal(rate), toDecimal(mark)));
}

/** The exact sum: payments have eight decimals, and so has what they come to. */
function sumOf(a: number, b: number): number {
  return toNumber(plus(toDecimal(a), toDecimal(b)));
}

/** What was held just before a time: what is held now, without the fills since. */
function heldBefore(trade: Trade, time: number): number {
  let held = toDecimal(trade.amount);
  for (const order of trade.orders)
    for (const move of order.fills.flatMap((fill) => movesOf(trade, fill)))
      if (move.time >= time) held = isAdding(trade, order) ? minus(held, toDecimal(move.amount)) : plus(held, toDecimal(move.amount));
  return toNumber(held);
}

/** What the fills of before a time leave; a trade that is over keeps the amount of before its last exit. */
function filledBefore(trade: Trade, time: number): number {
  let held = zero;
  for (const order of trade.orders)
    for (const move of order.fills.flatMap((fill) => movesOf(trade, fill)))
      if (move.time < time) held = isAdding(trade, order) ? plus(held, toDecimal(move.amount)) : minus(held, toDecimal(move.amount));
  return toNumber(held);
}

/** When how much of a fill was sold or bought: of one that books what was sold outside, that is before it. */
function movesOf(trade: Trade, fill: Fill): readonly Pick<Fill, 'amount' | 'time'>[] {
  const sold: SoldOutside[] = trade.soldOutside?.filter(({ fillId }) => fillId === fill.id) ?? [];
  return sold.length > 0 ? sold : [fill];
}

function isAdding({ direction }: Trade, { side }: Order): boolean {
  return (side === 'buy') === (direction === 'long');
}

/** Sets the funding since the last fill, and with it the sum. */
export function setRunningFunding(trade: Trade, running: number): void {
  trade.fundingRunning = running;
  trade.fundingFees = sumOf(settledFunding(trade), running);
}

/** Leaves the funding since the last fill out of the sum; it returns with the next count. */
export function dropRunningFunding(trade: Trade): void {
  trade.fundingFees = settledFunding(trade);
}

function settledFunding(trade: Trade): number {
  let settled = 0;
  for (const order of trade.orders) if (order.filled > 0 && order.fundingFee !== 0) settled = sumOf(settled, order.fundingFee);
  return settled;
}
