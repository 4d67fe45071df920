import { simulatedFill } from '../account/fill.ts';
import type { Order, OrderAction } from '../account/order.ts';
import { isWaiting, newOrder } from '../account/order.ts';
import { nextOrderState } from '../account/order-life.ts';
import { dropRunningFunding, refreshFunding } from '../account/refresh-funding.ts';
import { dropOrder, hasOpenOrders, heldByOrders, openOrder } from '../account/trade.ts';
import { walletOf } from '../account/wallet.ts';
import { entrySide, exitSide } from '../market/direction.ts';
import type { Instrument } from '../market/instrument.ts';
import { roundPrice, truncateAmount } from '../market/rounding.ts';
import { bookFill } from '../risk/book-fill.ts';
import type { ExitCandidate } from '../risk/exits.ts';
import { exitPrice } from '../risk/exits.ts';
import { fillPriceOn } from '../risk/fill-rule.ts';
import { updateLiquidation } from '../risk/liquidation.ts';
import { unexpiredLocks } from '../risk/locks.ts';
import { locksAfterExit } from '../risk/protections.ts';
import { stopAfterSettling } from '../risk/stops.ts';
import type { Held, Row, Run } from './run.ts';
import { noteWallet, removeHeld } from './run.ts';

/** Adds an order to a trade; it is open. */
export function makeOrder(
  run: Run,
  held: Held,
  order: { action: OrderAction; purpose: 'entry' | 'exit'; price: number; amount: number; tag: string | null; time: number },
): Order {
  const { direction, orders } = held.trade;
  const { orderTypes } = run.rules.settings;
  const made = newOrder({
    id: String(run.nextOrderId++),
    purpose: order.purpose,
    side: order.purpose === 'entry' ? entrySide(direction) : exitSide(direction),
    type: order.purpose === 'entry' ? orderTypes.entry : orderTypes.exit,
    price: order.price,
    amount: order.amount,
    tag: order.tag,
    createdTime: order.time,
    candleTime: order.time - run.timeframeMs,
    action: order.action,
    follows: null,
    state: 'open',
  });
  orders.push(made);
  return made;
}

/** Makes an exit order for a candidate. False when the rules or the strategy forbid it, or when it is there already. */
export function placeExit(run: Run, held: Held, row: Row, candidate: ExitCandidate, amount: number): boolean {
  const { trade } = held;
  const { callbacks, quirks } = run.rules;
  const wished = exitPrice(trade, candidate, atStepTime(row), run.rules);
  if (wished === null) return false;
  const { kind, reason } = candidate;
  const needsConsent = kind !== 'liquidation' && kind !== 'partial_exit' && kind !== 'force_exit';
  if (needsConsent && callbacks.confirmExit?.({ trade, time: row.stepTime, price: wished, amount, reason }) === false) return false;
  const price = roundPrice(wished, trade.priceTick);
  // lastCandidateNamesTheExit: noted even when the same order is open already and no new one is made.
  trade.exitReason = reason;
  const cut = truncateAmount(amount, trade.amountStep, trade.contractSize);
  if (replacesOpenOrders(run, held, 'exit', price, cut)) {
    const action = kind === 'partial_exit' ? 'take-out' : 'exit';
    makeOrder(run, held, { action, purpose: 'exit', price, amount: cut, tag: reason, time: row.time });
    return true;
  }
  if (!quirks.lastCandidateNamesTheExit) trade.exitReason = openOrder(trade, 'exit')?.tag ?? reason;
  return false;
}

/** Whether a new order is needed: not when the same one is open; otherwise all open ones are cancelled. */
export function replacesOpenOrders(run: Run, held: Held, purpose: 'entry' | 'exit', price: number, amount: number): boolean {
  const { trade } = held;
  if (!hasOpenOrders(trade)) return true;
  const open = openOrder(trade, purpose);
  if (open !== null && open.price === price && open.amount === amount) return false;
  for (const order of trade.orders.filter(isWaiting)) {
    if (order.purpose === 'entry') run.counters.cancelledEntryOrders += 1;
    dropOrder(trade, order);
  }
  return true;
}

/**
 * Fills an entry order at `time` if this row lets it, and returns whether it did.
 *
 * fundingCountsTwiceAtAFill: a funding time at this very moment counts from the fill on as well; without the quirk it counts before it only, for
 * what was held then.
 */
export function tryFillEntry(run: Run, held: Held, order: Order, row: Row, time: number): boolean {
  const { quirks } = run.rules;
  const price = fillPriceOn(order, row, quirks);
  if (price === null) return false;
  if (!quirks.fundingCountsTwiceAtAFill && held.trade.amount > 0) updateFunding(run, held, time, true);
  fill(run, held, order, price, time);
  return true;
}

/**
 * What the reference does to a trade each time it settles it again: after an entry order is placed, filled or not, and
 * after a partial exit. adjustingDropsRunningFunding: the funding since the last fill is left out. adjustingResetsTheStop: the stop is set again.
 */
export function settleAgain(run: Run, { trade }: Held): void {
  const { quirks } = run.rules;
  if (quirks.adjustingDropsRunningFunding) dropRunningFunding(trade);
  // After an exit of more than was held (oversizedExitIsSettledInFull) nothing is left to set a stop for, although the amount remains.
  if (trade.amount > 0 && heldByOrders(trade) > 0) stopAfterSettling(trade, quirks);
}

/** Fills an exit order if this row lets it; an exit of everything closes the trade. Protections count either. */
export function tryFillExit(run: Run, held: Held, order: Order, row: Row): void {
  const price = fillPriceOn(order, row, run.rules.quirks);
  if (price === null) return;
  fillExit(run, held, order, price, row.stepTime);
}

/** Fills an exit order at a price. */
export function fillExit(run: Run, held: Held, order: Order, price: number, time: number): void {
  const { trade } = held;
  if (fill(run, held, order, price, time) === 'closed') {
    removeHeld(run, held);
    run.closed.push(trade);
    run.closedProfit += trade.profit ?? 0;
  } else settleAgain(run, held);
  noteWallet(run);
  protect(run, held, time);
}

/**
 * Books the whole order as filled. With cross margin a trade that leaves is accounted for to its last fill, as the reference
 * does: what it has won or lost counts for the others from the next fill on.
 */
function fill(run: Run, held: Held, order: Order, price: number, time: number): 'known' | 'held' | 'closed' {
  const { trade } = held;
  const { settings, callbacks, quirks } = run.rules;
  const { feeRatio } = run;
  order.state = nextOrderState(order.state, 'filled');
  return bookFill(trade, order, simulatedFill(trade.symbol, { price, amount: order.amount, time, feeRatio, liquidity: null }), {
    settings,
    callbacks,
    quirks,
    feeRatio,
    customStopPrice: order.price,
    settlesExitLast: true,
    leavesNothing: () => order.amount === trade.amount,
    updateFunding: () => updateFunding(run, held, time, true),
    setLiquidations: () => setLiquidations(run, held),
    beforeClose: () => {
      if (settings.marginMode === 'cross') setLiquidations(run, held);
      for (const open of trade.orders.filter(isWaiting)) dropOrder(trade, open);
      if (!quirks.lastCandidateNamesTheExit) trade.exitReason = order.tag;
    },
  });
}

/** Recounts the funding since the last fill where a funding time is reached, or in any case. */
export function updateFunding(run: Run, held: Held, time: number, inAnyCase: boolean): void {
  const { funding } = held.pair;
  if (funding === null || (!inAnyCase && time % run.fundingTimeframeMs !== 0)) return;
  refreshFunding(held.trade, funding, time, !run.rules.quirks.fundingCountsTwiceAtAFill);
}

/** The row with the time of the step, where that differs (detailCandlesTakenByNumber). */
function atStepTime(row: Row): Row {
  return row.time === row.stepTime ? row : { ...row, time: row.stepTime };
}

function setLiquidations(run: Run, held: Held): void {
  const { settings, quirks } = run.rules;
  if (held.trade.marketType !== 'futures') return;
  const { free } = walletOf(settings, run.closedProfit, run.openTrades);
  const instrumentOf = (symbol: string): Instrument => run.pairOf.get(symbol)?.instrument ?? held.pair.instrument;
  updateLiquidation(held.trade, run.openTrades, free, settings, instrumentOf, quirks);
}

function protect(run: Run, held: Held, time: number): void {
  const { settings } = run.rules;
  if (settings.protections.length === 0) return;
  const view = {
    settings,
    timeframeMs: run.timeframeMs,
    closedTrades: run.closed,
    closedProfit: run.closedProfit,
    locks: run.locks,
  };
  const added = locksAfterExit(view, held.trade.symbol, held.trade.direction, time);
  if (added.length > 0) run.locks = [...unexpiredLocks(run.locks, time), ...added];
}
