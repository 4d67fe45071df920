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
  for (const order of trade.orders.filter(({ state }) => state === 'open')) {
    if (hasTimedOut(order, row.time, settings) || callbacks.isTimedOut?.({ trade, order, time: row.time }) === true) {
      dropOrder(trade, order);
      if (order.purpose === 'exit') {
        counters.timedOutExitOrders += 1;
        continue;
      }
      counters.timedOutEntryOrders += 1;
      if (filledEntries(trade) === 0) return true;
      continue;
    }
    if (callbacks.adjustOrderPrice === undefined || !(row.time > order.createdTime)) continue;
    const price = callbacks.adjustOrderPrice({ trade, order, time: row.time, proposedPrice: row.open });
    if (price === order.price) continue;
    dropOrder(trade, order);
    counters.cancelledEntryOrders += 1;
    if (price !== null && price > 0) {
      if (order.purpose === 'entry') replaceEntry(run, held, row, (order.amount * order.price) / trade.leverage, price);
      else
        makeOrder(run, held, {
          purpose: 'exit',
          price: roundPrice(price, trade.priceTick),
          amount: order.amount,
          tag: order.tag,
          time: row.time,
        });
      if (hasOpenOrders(trade) || filledEntries(trade) > 0) {
        counters.replacedEntryOrders += 1;
        continue;
      }
    }
    if (filledEntries(trade) === 0) {
      counters.cancelledTradeEntries += 1;
      return true;
    }
  }
  return false;
}
