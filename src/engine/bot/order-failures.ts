import type { Order } from '../account/order.ts';
import type { OrderFailures, Trade } from '../account/trade.ts';
import { minuteMs, secondMs } from '../market/durations.ts';
import type { Step } from './execution.ts';

/** Orders that fail further apart than this, in ms, are not in a row: the runner was away, or the trade was doing well. */
const inARowMs = 10 * minuteMs;

/** The failed orders of a trade with one more of the same kind. */
export function failuresWith(step: Step, trade: Trade, before: OrderFailures | undefined, order: Order): OrderFailures {
  const isInARow = before !== undefined && order.createdTime - before.last < inARowMs;
  return {
    since: isInARow ? before.since : step.time,
    last: step.time,
    orderId: order.id,
    marketPrice: marketPrice(step, trade),
  };
}

/** An order that has stood at the exchange for so long has been taken in earnest, in ms. */
export const stoodMs: number = minuteMs;

/** At first as long is waited as orders have failed so far, and this, in ms. */
export const restMinMs: number = 5 * secondMs;

/** While orders have failed for less than ten minutes, they are tried this often at least, in ms. */
const restSoonMs = 40 * secondMs;

/** They are always tried this often at least, in ms: until one is taken, nothing but this bot limits what the trade can lose. */
const restMaxMs = 5 * minuteMs;

/** How long is waited after a failed order: 5 s, 10, 20, 40 s for ten minutes, and then a fifteenth of the time since the first. */
export function restAfter({ since, last }: OrderFailures): number {
  const length = last - since;
  return Math.min(length + restMinMs, Math.max(restSoonMs, length / 15), restMaxMs);
}

/** When what the exchange has said no to is different now, it is asked this often at most, in ms. */
export const retryChangedMs: number = minuteMs;

/** The price must have moved by this fraction for the exchange to think otherwise of an order. */
const movedRatio = 0.01;

/** Whether the price is another than when the newest of the orders failed. */
export function hasMarketMoved(step: Step, trade: Trade, { marketPrice: before }: OrderFailures): boolean {
  const now = marketPrice(step, trade);
  return before !== null && now !== null && Math.abs(now - before) >= before * movedRatio;
}

function marketPrice({ state }: Step, { symbol }: Trade): number | null {
  return state.pairs[symbol]?.view?.last ?? null;
}
