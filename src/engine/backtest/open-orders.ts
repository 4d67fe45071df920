import type { Order } from '../account/order.ts';
import { isWaiting } from '../account/order.ts';
import { dropOrder, filledEntries, hasOpenOrders } from '../account/trade.ts';
import { roundPrice } from '../market/rounding.ts';
import { hasTimedOut } from '../risk/timeouts.ts';
import { replaceEntry } from './entries.ts';
import { makeOrder } from './orders.ts';
import type { Held, Row, Run } from './run.ts';

/**
 * What becomes of orders that wait, before anything else on a row: time runs out, or the strategy asks another price.
 * Returns whether the trade is gone, because its first entry is.
 */
export function manageOpenOrders(run: Run, held: Held, row: Row): boolean {
  const { trade } = held;
  const { settings, callbacks } = run.rules;
  const { counters } = run;
  for (const order of trade.orders.filter(isWaiting)) {
    if (hasTimedOut(order, row.stepTime, settings) || callbacks.isTimedOut?.({ trade, order, time: row.stepTime }) === true) {
      dropOrder(trade, order);
      if (order.purpose === 'exit') {
        counters.timedOutExitOrders += 1;
        continue;
      }
      counters.timedOutEntryOrders += 1;
      if (filledEntries(trade) === 0) return true;
      continue;
    }
    if (callbacks.adjustOrderPrice === undefined || !(row.stepTime > order.createdTime)) continue;
    const price = callbacks.adjustOrderPrice({ trade, order, time: row.stepTime, proposedPrice: row.open });
    if (price === order.price) continue;
    dropOrder(trade, order);
    if (order.purpose === 'exit') {
      if (price !== null && price > 0) replaceExit(run, held, row, order, price);
      continue;
    }
    counters.cancelledEntryOrders += 1;
    if (price !== null && price > 0) {
      replaceEntry(run, held, row, (order.amount * order.price) / trade.leverage, price);
      counters.replacedEntryOrders += 1;
      if (hasOpenOrders(trade)) continue;
    }
    if (filledEntries(trade) === 0) {
      counters.cancelledTradeEntries += 1;
      return true;
    }
  }
  return false;
}

function replaceExit(run: Run, held: Held, row: Row, { amount, tag }: Order, price: number): void {
  makeOrder(run, held, { action: 'replace', purpose: 'exit', price: roundPrice(price, held.trade.priceTick), amount, tag, time: row.time });
}
