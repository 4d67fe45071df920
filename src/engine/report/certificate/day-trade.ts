import { adoptedTag } from '../../bot/adopt-holding.ts';
import { manualTag } from '../../bot/manual-action.ts';
import type { FundingEvents } from '../../account/funding.ts';
import { interestOwed } from '../../account/interest.ts';
import type { Order } from '../../account/order.ts';
import { paymentOf } from '../../account/refresh-funding.ts';
import { coinKeptBack } from '../../account/fill.ts';
import type { Fill } from '../../account/fill.ts';
import type { Trade } from '../../account/trade.ts';
import type { Decimal } from '../../market/decimal.ts';
import { dividedBy, minus, plus, times, toDecimal, toNumber, zero } from '../../market/decimal.ts';
import type { Direction } from '../../market/direction.ts';
import { signOf } from '../../market/direction.ts';
import { firstAtOrAfter } from '../../market/first-at-or-after.ts';

/** A UTC day with what trades that reach beyond it are worth at its ends. */
export interface CertifiedDay {
  from: number; // ms, included
  to: number; // ms, not included
  startPrices: ReadonlyMap<string, number>; // by symbol: the first price of the day
  endPrices: ReadonlyMap<string, number>; // by symbol: the last one
  funding: ReadonlyMap<string, FundingEvents>; // by symbol, of perpetuals
}

/** A part of what a trade bought or sold on a day; what it held at the ends of the day is one too. Exact. */
export interface Leg {
  amount: Decimal; // base currency, without coins that were kept as a fee
  decided: Decimal; // the price its order was made at
  price: Decimal; // the price it was filled at
  fee: Decimal; // quote currency
}

/** What a trade did within a day. */
export interface DayTrade {
  symbol: string;
  direction: Direction;
  entryCandleTime: number; // opening time of the candle that its first order came of
  entryTime: number; // ms; of its first fill, which may be of an earlier day
  exitCandleTime: number | null; // of the day's last exit; null without one
  exitReasons: string[]; // of the day's exits
  isByHand: boolean; // a person has made it
  isAddedByHand: boolean; // a person has made it larger on the day
  isCarried: boolean; // held when the day began: it begins with the day's first price
  isOpen: boolean; // held when the day ended: it ends with the day's last price
  entries: Leg[];
  exits: Leg[];
  funding: Decimal; // and interest; quote currency, positive was received
}

/**
 * What a trade did within a day, from its fills alone; null when it held nothing on it.
 *
 * What it held at the beginning counts as bought at the day's first price, what it held at the end as sold at its last one, both
 * without a fee: so that the days of a trade add up to the whole of it. What is too small to be sold is worth what it has cost.
 */
export function dayTrade(trade: Trade, day: CertifiedDay): DayTrade | null {
  const moves = movesOf(trade).filter(({ fill }) => fill.time < day.to);
  const before = moves.filter(({ fill }) => fill.time < day.from);
  const within = moves.filter(({ fill }) => fill.time >= day.from);
  const heldBefore = heldAfter(before);
  const isCarried = heldBefore.digits > 0n && !isOver(trade, day.from);
  if (within.length === 0 && !isCarried) return null;

  const entries = within.filter(({ order }) => order.purpose === 'entry').map(({ leg }) => leg);
  const exits = within.filter(({ order }) => order.purpose === 'exit').map(({ leg }) => leg);
  const carried = isCarried ? [atPrice(heldBefore, priceOf(day.startPrices, trade))] : [];
  entries.unshift(...carried);
  const held = minus(sumOf(entries), sumOf(exits));
  const isOpen = held.digits > 0n && !isOver(trade, day.to);
  if (isOpen) exits.push(atPrice(held, priceOf(day.endPrices, trade)));
  else if (held.digits !== 0n) exits.push(rest(held, carried, within));

  const left = within.flatMap(({ order }) => (order.purpose === 'exit' ? [order] : []));
  const lastExit = left.at(-1);
  const [first] = trade.orders;
  return {
    symbol: trade.symbol,
    direction: trade.direction,
    entryCandleTime: first?.candleTime ?? trade.openTime,
    entryTime: moves[0]?.fill.time ?? trade.openTime,
    exitCandleTime: lastExit?.candleTime ?? null,
    exitReasons: left.map(({ tag }) => tag ?? trade.exitReason ?? ''),
    isByHand: isOfPerson(first),
    isAddedByHand: within.some(({ order }) => order !== first && isOfPerson(order)),
    isCarried,
    isOpen,
    entries,
    exits,
    funding: minus(minus(fundingUntil(trade, day, day.to), fundingUntil(trade, day, day.from)), interestWithin(trade, day)),
  };
}

/** What a trade brought within its day, exactly: after fees and funding, quote currency. */
export function resultOf(trade: DayTrade): Decimal {
  return plus(minus(grossOf(trade), feesOf(trade)), trade.funding);
}

/** The same before fees and funding. */
export function grossOf({ direction, entries, exits }: DayTrade): Decimal {
  const earned = minus(valueOf(exits, 'price'), valueOf(entries, 'price'));
  return signOf(direction) === 1 ? earned : minus(zero, earned);
}

/** The fees of its fills of the day. */
export function feesOf({ entries, exits }: DayTrade): Decimal {
  return [...entries, ...exits].reduce((sum, { fee }) => plus(sum, fee), zero);
}

/** What legs are worth at their prices. */
export function valueOf(legs: readonly Leg[], at: 'decided' | 'price'): Decimal {
  return legs.reduce((sum, leg) => plus(sum, times(leg.amount, leg[at])), zero);
}

/** What legs amount to. */
export function sumOf(legs: readonly Leg[]): Decimal {
  return legs.reduce((sum, { amount }) => plus(sum, amount), zero);
}

/** Whether a person has made an entry, by hand or out of what the account held. */
function isOfPerson(order: Order | undefined): boolean {
  return order?.purpose === 'entry' && (order.tag === manualTag || order.tag === adoptedTag);
}

interface Move {
  order: Order;
  fill: Fill;
  leg: Leg;
}

/** Every fill with what it moved, in the sequence of the orders. */
function movesOf(trade: Trade): Move[] {
  const coin = coinKeptBack(trade.symbol);
  return trade.orders.flatMap((order) =>
    order.fills.map((fill) => {
      const keepsCoins = order.purpose === 'entry' && order.side === 'buy' && fill.feeCurrency === coin;
      const amount = keepsCoins ? minus(toDecimal(fill.amount), toDecimal(fill.fee)) : toDecimal(fill.amount);
      const price = toDecimal(fill.price);
      // As the trade is settled: a fee whose value is not known counts as what is usual.
      const fee =
        order.feeRatio === null || fill.feeInQuote === null
          ? times(times(amount, price), toDecimal(trade.feeClose))
          : toDecimal(fill.feeInQuote);
      return { order, fill, leg: { amount, decided: toDecimal(order.price), price, fee } };
    }),
  );
}

function heldAfter(moves: readonly Move[]): Decimal {
  return moves.reduce((held, { order, leg }) => (order.purpose === 'entry' ? plus(held, leg.amount) : minus(held, leg.amount)), zero);
}

/** Whether a trade was closed before a time: what it left then belongs to no trade. */
function isOver({ isOpen, closeTime }: Trade, time: number): boolean {
  return !isOpen && closeTime !== null && closeTime < time;
}

function atPrice(amount: Decimal, price: Decimal): Leg {
  return { amount, decided: price, price, fee: zero };
}

function priceOf(prices: ReadonlyMap<string, number>, { symbol }: Trade): Decimal {
  const price = prices.get(symbol);
  if (price === undefined) throw new RangeError(`There is no price of ${symbol} at the end of the day.`);
  return toDecimal(price);
}

/**
 * What a closed trade has left over: at the average cost it had, with its part of the fees of the entries, so that it brings and costs nothing.
 * Exits leave the average as it is, as where the trade is settled.
 */
function rest(amount: Decimal, carried: readonly Leg[], within: readonly Move[]): Leg {
  let held = sumOf(carried);
  let average = carried[0]?.price ?? zero;
  let fees = zero;
  for (const { order, leg } of within) {
    if (order.purpose === 'entry') {
      const cost = plus(times(average, held), times(leg.amount, leg.price));
      held = plus(held, leg.amount);
      average = dividedBy(cost, held);
      fees = plus(fees, leg.fee);
    } else {
      if (held.digits !== 0n) fees = minus(fees, dividedBy(times(fees, leg.amount), held));
      held = minus(held, leg.amount);
    }
  }
  return { amount, decided: average, price: average, fee: minus(zero, fees) };
}

/** The funding of a trade before a time: what its orders have settled, and the payments since the last of them. */
function fundingUntil(trade: Trade, day: CertifiedDay, time: number): Decimal {
  if (trade.marketType !== 'futures') return zero;
  let sum = zero;
  let held = zero;
  let since: number | null = null;
  for (const order of trade.orders) {
    if (order.filledTime === null || order.filledTime >= time) continue;
    sum = plus(sum, toDecimal(order.fundingFee));
    const moved = minus(toDecimal(order.filled), toDecimal(order.baseFee));
    held = order.purpose === 'entry' ? plus(held, moved) : minus(held, moved);
    since = Math.max(since ?? 0, order.filledTime);
  }
  const events = day.funding.get(trade.symbol);
  if (since === null || events === undefined || held.digits <= 0n || isOver(trade, time)) return sum;
  for (let i = firstAtOrAfter(events.time, since + 1); i < events.time.length && events.time[i] < time; i++)
    sum = plus(sum, toDecimal(paymentOf(trade, { rate: events.rate[i], mark: events.mark[i] }, toNumber(held))));
  return sum;
}

/** The interest of a margin trade: each exit pays that of what it leaves, from the beginning of the trade on. */
function interestWithin(trade: Trade, day: CertifiedDay): Decimal {
  const { interest } = trade;
  if (trade.marketType !== 'margin' || interest === null) return zero;
  let sum = zero;
  for (const order of trade.orders) {
    const { filledTime, fillPrice, filled } = order;
    if (order.purpose !== 'exit' || filledTime === null || fillPrice === null || filledTime < day.from || filledTime >= day.to) continue;
    const owed = toDecimal(interestOwed(interest, { ...trade, amount: filled }, filledTime));
    // A short owes coins, which are bought with the rest, fee included.
    const fee = toDecimal(order.feeRatio ?? trade.feeClose);
    const bought = times(owed, toDecimal(fillPrice));
    sum = plus(sum, trade.direction === 'short' ? plus(bought, times(bought, fee)) : owed);
  }
  return sum;
}
