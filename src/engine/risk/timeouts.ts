import type { Order } from '../account/order.ts';
import type { TradingSettings } from '../settings/trading-settings.ts';

/** Whether an order has waited as long as it may: it is as old as the limit, or older. */
export function hasTimedOut(order: Order, time: number, settings: TradingSettings): boolean {
  const { entryMs, exitMs } = settings.unfilledTimeout;
  const limit = order.purpose === 'entry' ? entryMs : exitMs;
  return limit !== null && order.createdTime <= time - limit;
}
