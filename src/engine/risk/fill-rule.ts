import type { Side } from '../market/direction.ts';
import type { PriceBar } from '../market/price-bar.ts';
import type { Quirks } from './quirks.ts';

/**
 * At which price an order fills on a candle, or null: in whole, at exactly its price, when the candle contains it.
 *
 * gapThroughLimitDoesNotFill: a candle that lies beyond the price as a whole does not fill the order, although an exchange would.
 */
export function fillPriceOn(order: { side: Side; price: number }, bar: PriceBar, quirks: Quirks): number | null {
  if (bar.low <= order.price && order.price <= bar.high) return order.price;
  if (quirks.gapThroughLimitDoesNotFill) return null;
  const isBetter = order.side === 'buy' ? order.price > bar.high : order.price < bar.low;
  return isBetter ? bar.open : null;
}
