import { minuteMs } from '../market/durations.ts';
import type { Decimal } from '../market/decimal.ts';
import { dividedBy, minus, plus, shortValueWithFee, times, toDecimal, toNumber, zero } from '../market/decimal.ts';
import type { Direction } from '../market/direction.ts';
import type { MarketType } from '../market/instrument.ts';
import { roundPrice, to8Decimals, truncateAmount } from '../market/rounding.ts';
import type { InterestTerms } from './interest.ts';
import type { Fill } from './fill.ts';
import { addFill, movedAmount, movedValue } from './order-fills.ts';
import type { Order } from './order.ts';
import { isWaiting } from './order.ts';
import { nextOrderState } from './order-life.ts';
import { valueAtEntry, valueAtExit } from './profit.ts';

/**
 * One round trip, from flat to flat, with its orders. Plain data: it survives JSON.
 *
 * Unit: prices and stakes in quote currency, amounts in base currency, times in ms, ratios as fractions
 */
export interface Trade {
  id: number; // counts up within a run or a bot
  symbol: string;
  direction: Direction;
  marketType: MarketType;
  leverage: number; // 1 on spot
  marginMode?: 'isolated' | 'cross'; // of futures, as it was opened; before that was kept, the one of the settings
  openTime: number; // when the first order was made; with tradeOpensWhenOrdered off, when it was filled
  closeTime: number | null;
  enterTag: string | null;
  exitReason: string | null;
  isOpen: boolean;
  orders: Order[]; // in the sequence they were made; a simulated one that ended without a fill is gone

  priceTick: number; // frozen at entry, unless tradeKeepsEntryTick is off
  amountStep: number;
  contractSize: number;
  feeOpen: number; // fraction of the value: the average of the entries of what is held
  feeClose: number; // what a fill costs, as long as its own fee is not known; never changes
  interest: InterestTerms | null; // on margin only

  amount: number; // held now; 0 while the first entry waits
  stake: number; // quote currency tied up; set when the first order is made
  stakeMax: number; // sum of all entries / leverage
  openRate: number; // average entry price, rounded to the tick; the order's price before the first fill
  openValue: number; // of what is held, fee included
  closeRate: number | null; // price of the last exit of a closed trade

  stop: number; // the stop price now; 0 before it is set
  stopRatio: number; // the distance behind it, e.g. -0.1
  initialStop: number;
  initialStopRatio: number;
  isStopTrailing: boolean;
  stopByHand?: true; // a person has put it where it is: nothing else moves it
  liquidationPrice: number | null; // buffer included
  minRate: number; // lowest price seen while held
  maxRate: number;

  fundingRunning: number; // since the last fill
  fundingFees: number; // all, the running part included; positive was received
  fundedUntil?: number; // the newest funding time that is accounted for; before the first there is none
  payments?: readonly Payment[]; // the newest of these times, oldest first: a fill of before may be reported after them
  soldOutside?: readonly SoldOutside[]; // of what was booked as a person decided: when it was sold
  tooSmall?: 'to-sell' | 'for-stop'; // an exchange takes no exit, or no stop, for so little; found again after a restart
  exitFailures?: OrderFailures; // until an exit has stood or was filled
  stopFailures?: OrderFailures; // until a stop has stood at the exchange for a while
  customData?: Readonly<Record<string, unknown>>; // what a strategy that runs in a process of its own keeps with the trade
  realizedProfit: number; // of the exits so far
  profit: number | null; // of a closed trade; the reference calls it profit_abs
  profitRatio: number | null; // of a closed trade, on the stake
}

/** What of a trade was sold outside, or bought back, before a fill booked it. */
export interface SoldOutside {
  fillId: string;
  amount: number; // base currency
  time: number; // ms
}

/** A payment of funding that a trade has counted. */
export interface Payment {
  time: number; // ms
  perUnit: number; // quote currency for each unit of base currency, from longs to shorts
}

/** Orders of one kind of a trade in a row that its exchange has refused; stops also that it has taken and ended at once without being asked to. */
export interface OrderFailures {
  since: number; // ms; when the first of them ended
  last: number; // ms; when the newest of them ended
  orderId: string; // the newest of them
  marketPrice: number | null; // when it ended; null while no price was known
  isProtective?: true; // exits that were to limit a loss; others are another row
  isNextWanted?: true; // a person wants the next one now, without the pause
}

/** The order of this purpose that waits to be filled, if any; a stop waits for its price and is none of them. */
export function openOrder(trade: Trade, purpose: 'entry' | 'exit'): Order | null {
  for (const order of trade.orders) if (order.purpose === purpose && order.type !== 'stop' && isWaiting(order)) return order;
  return null;
}

/** The stop that lies at an exchange, or is on its way to it, if any. */
export function openStop(trade: Trade): Order | null {
  for (const order of trade.orders) if (order.type === 'stop' && isWaiting(order)) return order;
  return null;
}

/** Whether any order of the trade waits to be filled. */
export function hasOpenOrders(trade: Trade): boolean {
  for (const order of trade.orders) if (isWaiting(order)) return true;
  return false;
}

/** How many entries have been filled, in whole or in part. */
export function filledEntries(trade: Trade): number {
  let count = 0;
  for (const order of trade.orders) if (order.filled > 0 && order.purpose === 'entry') count += 1;
  return count;
}

/** What the fills leave, roughly: in doubles. It is below 0 after an exit of more than was held. */
export function heldByOrders(trade: Trade): number {
  let held = 0;
  for (const order of trade.orders) if (order.filled > 0) held += order.purpose === 'entry' ? movedAmount(order) : -order.filled;
  return held;
}

/** What the fills leave, in decimals and whole steps: what can be sold. 0 after an exit of everything. */
export function sellableAmount(trade: Trade): number {
  let held = zero;
  for (const order of trade.orders) {
    if (!(order.filled > 0)) continue;
    const moved = toDecimal(movedAmount(order));
    held = order.purpose === 'entry' ? plus(held, moved) : minus(held, moved);
  }
  return held.digits > 0n ? truncateAmount(toNumber(held), trade.amountStep, trade.contractSize) : 0;
}

/** The time of the last fill, or the opening time before the first. */
export function lastFillTime(trade: Trade): number {
  let time = trade.openTime;
  for (const order of trade.orders) if (order.filledTime !== null && order.filledTime > time) time = order.filledTime;
  return time;
}

/** The time of the first fill, or the opening time before it. */
export function firstFillTime(trade: Trade): number {
  for (const order of trade.orders) if (order.filledTime !== null) return order.filledTime;
  return trade.openTime;
}

/** Whole minutes from opening to `time`. */
export function minutesOpen(trade: Trade, time: number): number {
  return Math.floor((time - trade.openTime) / minuteMs);
}

/** Ends an order that was never filled and removes it from its trade. */
export function dropOrder(trade: Trade, order: Order): void {
  order.state = nextOrderState(order.state, 'cancelled');
  trade.orders.splice(trade.orders.indexOf(order), 1);
}

/**
 * Counts a fill of an order; the trade is not settled yet. False when the fill is known already.
 *
 * `knownRatio` is the fee of a simulated fill as it was configured.
 */
export function countFill(trade: Trade, order: Order, fill: Fill, knownRatio: number | null): boolean {
  if (!addFill(order, fill, trade.symbol, knownRatio)) return false;
  order.fundingFee += trade.fundingRunning;
  trade.fundingRunning = 0;
  if (order.purpose === 'entry') trade.openRate = order.fillPrice ?? trade.openRate;
  return true;
}

/** Ends a trade whose last exit has filled: final profit and ratio. */
export function closeTrade(trade: Trade, rate: number, time: number): void {
  endTrade(trade, rate, time, settleTrade(trade));
}

/**
 * The same for one that is over and of which more was bought than left, as a late fill says: nobody sells the rest for it, but the fees of the rest's
 * entries are paid.
 */
export function closeTradeOfLateEntry(trade: Trade, rate: number, time: number): void {
  const { profit, paid, feesOfRest } = settleTrade(trade);
  endTrade(trade, rate, time, { profit: to8Decimals(profit - feesOfRest), paid });
}

function endTrade(trade: Trade, rate: number, time: number, { profit, paid }: Pick<Settled, 'profit' | 'paid'>): void {
  trade.isOpen = false;
  trade.closeRate = rate;
  trade.closeTime = time;
  trade.profit = profit;
  trade.profitRatio = paid > 0 ? (profit / paid) * trade.leverage : 0;
}

/**
 * Settles a trade from the fills of its orders, in exact decimals.
 *
 * Each exit is measured against the unrounded average of the entries before it and carries the funding since the exit
 * before it; its profit is rounded to 8 decimals. An exit of everything leaves amount and stake as they were. The sum of
 * the funding is that of the fills: what has come since the last one is not in it.
 */
export function settleTrade(trade: Trade): Settled {
  return settleRoundTrip(trade) ?? settleInDecimals(trade);
}

/** What all exits so far have made, and what all entries have cost, fees included; in quote currency. */
interface Settled {
  profit: number;
  paid: number;
  feesOfRest: number; // of the entries of what is left in whole steps
}

/**
 * `settleInDecimals` for the trades that nearly all are, in doubles that are exact: one entry with one fill, and at most one exit, of everything.
 * Null, with nothing changed, for every other trade.
 */
export function settleRoundTrip(trade: Trade): Settled | null {
  let entry: Order | null = null;
  let exit: Order | null = null;
  for (const order of trade.orders) {
    if (!(order.filled > 0) || order.fillPrice === null) continue;
    if (order.fills.length !== 1 || order.baseFee !== 0 || order.fundingFee !== 0) return null;
    if (order.purpose === 'entry' && entry === null && exit === null) entry = order;
    else if (order.purpose === 'exit' && entry !== null && exit === null && order.filled === entry.filled) exit = order;
    else return null;
  }
  if (entry === null || entry.fillPrice === null) return null;
  const { filled, fillPrice: price } = entry;
  const fee = entry.feeRatio ?? trade.feeClose;
  const cost = shortValueWithFee(filled, price, 0, 1);
  if (cost === null) return null;
  const paid = valueAtEntry(trade.direction, filled, price, fee);
  trade.fundingFees = 0;
  trade.stakeMax = cost / trade.leverage;
  trade.realizedProfit = 0;
  trade.feeOpen = fee;
  if (exit !== null && exit.fillPrice !== null) {
    const exitFee = exit.feeRatio ?? trade.feeClose;
    const left = valueAtExit(trade, exit.fillPrice, filled, exitFee, 0, exit.filledTime ?? trade.openTime);
    trade.realizedProfit = to8Decimals(trade.direction === 'short' ? paid - left : left - paid);
    return { profit: trade.realizedProfit, paid, feesOfRest: 0 };
  }
  const held = truncateAmount(filled, trade.amountStep, trade.contractSize);
  if (held > 0) {
    trade.amount = held;
    trade.openRate = roundPrice(price, trade.priceTick);
    trade.stake = trade.stakeMax;
    trade.openValue = valueAtEntry(trade.direction, held, trade.openRate, fee);
  }
  return { profit: 0, paid, feesOfRest: held > 0 ? cost * fee : 0 };
}

/** `settleTrade`, whatever has happened to the trade. */
export function settleInDecimals(trade: Trade): Settled {
  let amount = zero;
  let cost = zero;
  let average = zero;
  let entryCost = zero;
  const entryFees: EntryFees = { first: null, isMixed: false, left: 0 };
  let paid = 0;
  let profit = 0;
  let fundingFees = 0;
  let fundingSinceExit = 0;
  let inParts: { amount: Decimal; cost: Decimal } | null = null; // what was held before the last exit, if that came in several fills
  for (const order of trade.orders) {
    if (!(order.filled > 0) || order.fillPrice === null) continue;
    const fee = order.feeRatio ?? trade.feeClose;
    if (order.fundingFee !== 0) fundingFees = toNumber(plus(toDecimal(fundingFees), toDecimal(order.fundingFee)));
    fundingSinceExit += order.fundingFee;
    const moved = movedAmount(order);
    const orderAmount = toDecimal(moved);
    if (order.purpose === 'entry') {
      const orderCost = movedValue(order);
      amount = plus(amount, orderAmount);
      cost = plus(cost, orderCost);
      // An exit leaves the average as it is: dividing again would move its last decimal.
      if (amount.digits > 0n) average = dividedBy(cost, amount);
      entryCost = plus(entryCost, orderCost);
      if (entryFees.first === null) entryFees.first = fee;
      else if (entryFees.first !== fee) entryFees.isMixed = true;
      entryFees.left += toNumber(orderCost) * fee;
      paid += valueAtEntry(trade.direction, moved, order.fillPrice, fee);
    } else {
      const entered = valueAtEntry(trade.direction, moved, toNumber(average), averageFee(entryFees, cost, trade.feeOpen));
      const left = valueAtExit(trade, order.fillPrice, moved, fee, fundingSinceExit, order.filledTime ?? trade.openTime);
      // Each has eight decimals, and so has their sum.
      profit = to8Decimals(profit + to8Decimals(trade.direction === 'short' ? entered - left : left - entered));
      fundingSinceExit = 0;
      if (amount.digits > 0n) entryFees.left -= entryFees.left * (moved / toNumber(amount));
      inParts = order.fills.length > 1 ? { amount, cost } : null;
      amount = minus(amount, orderAmount);
      cost = minus(cost, times(average, orderAmount));
    }
  }
  trade.fundingFees = fundingFees;
  trade.stakeMax = toNumber(entryCost) / trade.leverage;
  trade.realizedProfit = profit;
  trade.feeOpen = averageFee(entryFees, cost, trade.feeOpen);

  const hasRest = hold(trade, amount, cost);
  if (!hasRest && inParts !== null) hold(trade, inParts.amount, inParts.cost);
  return { profit, paid, feesOfRest: hasRest ? entryFees.left : 0 };
}

/** Notes what is held, unless it is nothing. */
function hold(trade: Trade, amount: Decimal, cost: Decimal): boolean {
  const held = truncateAmount(toNumber(amount), trade.amountStep, trade.contractSize);
  if (!(held > 0)) return false;
  trade.amount = held;
  trade.openRate = roundPrice(toNumber(dividedBy(cost, amount)), trade.priceTick);
  trade.stake = toNumber(cost) / trade.leverage;
  trade.openValue = valueAtEntry(trade.direction, held, trade.openRate, trade.feeOpen);
  return true;
}

/** The fees of the entries so far, as fractions, and in quote currency what of them belongs to what is still held. */
interface EntryFees {
  first: number | null;
  isMixed: boolean;
  left: number;
}

/**
 * The fee of the entries of what is held, as a fraction of its cost; exactly the fee of each when they agree. What has been left took its part
 * of the fees with it, so that each fee counts once, whatever was added afterwards.
 */
function averageFee({ first, isMixed, left }: EntryFees, cost: Decimal, without: number): number {
  if (!isMixed) return first ?? without;
  return cost.digits > 0n ? left / toNumber(cost) : without;
}
