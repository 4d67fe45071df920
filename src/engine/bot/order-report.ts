import type { Fill } from '../account/fill.ts';
import { addFill } from '../account/order-fills.ts';
import type { Order } from '../account/order.ts';
import { isWaiting } from '../account/order.ts';
import { isFinal, isReachable } from '../account/order-life.ts';
import { fundingMissed, setRunningFunding } from '../account/refresh-funding.ts';
import type { Trade } from '../account/trade.ts';
import { plus, toDecimal, toNumber } from '../market/decimal.ts';
import { minuteMs } from '../market/durations.ts';
import { timeframeLengths } from '../market/timeframe.ts';
import { entryRefused, nextBoundary, unexpiredLocks } from '../risk/locks.ts';
import type { AlarmReason, CancelReason } from './effect.ts';
import type { OrderReport } from './event.ts';
import type { Step } from './execution.ts';
import { afterEnd, takeFill } from './execution.ts';
import { endExitRest, noteExitFailure } from './exit-failures.ts';
import { freshPrice } from './fresh-price.ts';
import { cancelBeyond, heldFor } from './missing.ts';
import type { BotState } from './state.ts';
import { settleAgain } from './settle-again.ts';
import { keepStop, noteStopEnd } from './stop-order.ts';

/**
 * Takes what an exchange reports of an order: its fills by their ids, then its state.
 *
 * Amounts come from fills only. An order that has ended, but of which more is reported as filled than its fills add up to, is
 * waited for, unless no more will come. Fills count also after the end: of an open trade like any other, of one that is over with an alarm.
 */
export function takeReport(step: Step, orderId: string, report: OrderReport): void {
  const found = findOrder(step.state, orderId);
  if (found === null) {
    if (report.fills.length > 0 || report.filled > 0) raise(step, 'fill-of-unknown-order', orderId, null);
    return;
  }
  const { trade, order } = found;
  if (report.requested !== order.amount) raise(step, 'amount-differs', orderId, trade);
  const [wasWaiting, wasCancelWanted, before] = [isWaiting(order), order.isCancelWanted, order.state];
  const fresh = unknownFills(order, report);
  for (const fill of fresh.slice(0, -1)) takeReportedFill(step, trade, order, fill);
  // The strategy is asked with the last fill, when the state says that it is the last.
  follow(order, report, fresh.at(-1)?.amount ?? 0);
  if (order.purpose === 'exit' && order.type !== 'stop') {
    if (fresh.length > 0) endExitRest(step.state, trade);
    else if (order.state === 'open') delete step.state.exitRetryTimes[trade.id]; // one that ends at once all the same is one more in a row
  }
  const last = fresh.at(-1);
  if (last !== undefined) takeReportedFill(step, trade, order, last);
  if (wasWaiting && !isWaiting(order) && trade.isOpen) {
    if (order.filled > 0) delete step.state.freeCoins[trade.id];
    const { freeCoins = order.amount } = report;
    if (freeCoins < order.amount) step.state.freeCoins[trade.id] = freeCoins;
    if (order.type === 'stop' && !(wasCancelWanted && order.state !== 'refused')) noteStopEnd(step, trade, order);
    // One that never came to the exchange was not ended by it: it is made again at once.
    const hasFailed = order.state === 'refused' || (!wasCancelWanted && (order.state === 'expired' || before === 'open'));
    ended(step, trade, order, { isSilent: last === undefined, lacksFills: report.isComplete === true, hasFailed });
  }
  if (last !== undefined && order.purpose === 'entry') keepStop(step, trade);
}

/** Adopts the reported state, unless it is one that lies behind. An order that is filled in whole has ended, whoever says otherwise. */
function follow(order: Order, report: OrderReport, lastAmount: number): void {
  const { state } = order;
  // A sum made in doubles may have noise in its last digits, which no fill would ever account for.
  const reported = Number(report.filled.toPrecision(14));
  if (reported > order.reported) order.reported = reported;
  const filled = toNumber(plus(toDecimal(order.filled), toDecimal(lastAmount)));
  // What else was filled is not waited for: it is a difference of the account.
  if (report.isComplete === true) order.reported = filled;
  const next = filled >= order.amount && !isFinal(state) ? 'filled' : report.state;
  if (next === state || !isReachable(state, next)) return;
  // It would not be cancelled and still stands: it may be asked for again.
  if (state === 'cancel-pending' && next === 'open') order.isCancelWanted = false;
  order.state = next;
  if (isFinal(next)) order.isCancelWanted = false;
}

/** The fills of a report that are new, each once. */
function unknownFills(order: Order, { fills }: OrderReport): Fill[] {
  return fills.filter(({ id }, i) => !order.fills.some((known) => known.id === id) && fills.findIndex((each) => each.id === id) === i);
}

/** The price of an exit's fill that is reported later than this is not the market's any more: a strategy must not measure the stop of the rest from it. In ms. */
const lateFillMs = minuteMs;

function takeReportedFill(step: Step, trade: Trade, order: Order, fill: Fill): void {
  const missed = fundingMissed(trade, order, fill);
  if (trade.isOpen) {
    if (missed !== 0) setRunningFunding(trade, trade.fundingRunning + missed);
    // Of an entry it is what the position was bought at, whenever that is reported: without it the strategy would set no stop.
    const isLate = order.purpose === 'exit' && step.time - fill.time > lateFillMs;
    takeFill(step, trade, order, fill, null, isLate ? freshPrice(step, trade.symbol) : fill.price);
    // After an unexpected fill another exit may ask for more than is held.
    if (trade.isOpen && order.purpose === 'exit') cancelBeyond(step, trade, heldFor(step.state, trade), order.id);
    return;
  }
  order.fundingFee += missed;
  correct(step, trade, order, fill);
}

/** How an order has ended: its last report brought no fill, more was filled than is known, the exchange refused or ended it. */
interface End {
  isSilent: boolean;
  lacksFills: boolean;
  hasFailed: boolean;
}

/** What follows from the end of an order of an open trade. */
function ended(step: Step, trade: Trade, order: Order, { isSilent, lacksFills, hasFailed }: End): void {
  if (order.filled > 0 && isSilent) step.context.callbacks.orderFilled?.({ trade, order, time: step.time });
  if (order.state === 'filled' && !lacksFills) return;
  if (hasFailed && order.type !== 'stop' && (order.state === 'refused' || order.filled === 0)) rest(step, trade, order);
  afterEnd(step, trade, order, reasons[order.state] ?? 'by-exchange');
}

const reasons: Partial<Record<Order['state'], CancelReason>> = { refused: 'refused', expired: 'expired' };

/**
 * A fill of a trade that is over. One that was given up, because nothing of it had been filled, is taken up again; a closed
 * one gets another profit. Somebody must see it: what is held now may belong to no trade.
 */
function correct(step: Step, trade: Trade, order: Order, fill: Fill): void {
  const { state } = step;
  raise(step, 'late-fill', order.id, trade);
  const isFree = !state.trades.some(({ symbol }) => symbol === trade.symbol);
  if (trade.profit === null && order.purpose === 'entry' && isFree) {
    takeUpAgain(step, trade);
    takeFill(step, trade, order, fill, null);
    return;
  }
  addFill(order, fill, trade.symbol);
  const exit = trade.orders.findLast(({ purpose, filled }) => purpose === 'exit' && filled > 0);
  settleAgain(step, trade, exit?.fillPrice ?? trade.openRate, fill);
}

function takeUpAgain({ state }: Step, trade: Trade): void {
  state.formerTrades = state.formerTrades.filter((each) => each !== trade);
  trade.isOpen = true;
  trade.closeTime = null;
  state.trades.push(trade);
}

function raise(step: Step, reason: AlarmReason, orderId: string, trade: Trade | null): void {
  step.effects.push({ kind: 'alarm', time: step.time, symbol: trade?.symbol ?? null, tradeId: trade?.id ?? null, orderId, reason });
}

/**
 * An exit that the exchange has refused, or ended before anything of it was filled, rests longer with each one in a row; a refused entry, and
 * one that was to make a trade larger, until the next candle: the next answer would be the same.
 */
function rest(step: Step, trade: Trade, order: Order): void {
  if (order.purpose === 'exit') return noteExitFailure(step, trade, order);
  if (order.state !== 'refused' && order.action !== 'add') return;
  const { state, time } = step;
  const endTime = nextBoundary(time, timeframeLengths[state.timeframe]);
  state.locks = [...unexpiredLocks(state.locks, time), { symbol: trade.symbol, side: trade.direction, endTime, reason: entryRefused }];
}

function findOrder({ trades, formerTrades }: BotState, orderId: string): { trade: Trade; order: Order } | null {
  for (const trade of [...trades, ...formerTrades]) {
    const order = trade.orders.find(({ id }) => id === orderId);
    if (order !== undefined) return { trade, order };
  }
  return null;
}
