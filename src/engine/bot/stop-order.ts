import type { Order } from '../account/order.ts';
import { isWaiting } from '../account/order.ts';
import { openOrder, openStop } from '../account/trade.ts';
import type { Trade } from '../account/trade.ts';
import { isFinal } from '../account/order-life.ts';
import { minuteMs, secondMs } from '../market/durations.ts';
import { roundPrice } from '../market/rounding.ts';
import type { Step } from './execution.ts';
import { cancelOrder, planOrder } from './execution.ts';
import { exitAmount } from './exit-amount.ts';
import { isTooSmallToSell, noteTooSmall } from './small-rest.ts';

/** The reason of an exit by a stop that lay at the exchange. */
export const stopOnExchange = 'stoploss_on_exchange';

/** A stop follows a trailing one at most this often. */
const followEveryMs = minuteMs;

/** A stop follows what is held at most this often while the entry is still being filled. */
const growEveryMs = 5 * secondMs;

/** After a refused stop no other is placed for so long, twice as long after the next; meanwhile the bot watches the price itself. */
const retryMs = 5 * secondMs;

/** So many stops that have ended without a fill are remembered; a trailing stop would leave one a minute. */
const remembered = 4;

/**
 * Sees to it that the stop of an open trade lies at the exchange: for what is held, at the price of the stop. One that is of
 * another amount or price is cancelled first; its successor is placed when that has been confirmed.
 *
 * Only where the exchange takes stops, and not while the trade is being left.
 */
export function keepStop(step: Step, trade: Trade): void {
  if (step.context.stopsAtExchange !== true || !trade.isOpen || !(trade.stop > 0)) return;
  if (openOrder(trade, 'exit') !== null || trade.orders.some(({ isCancelWanted }) => isCancelWanted)) return;
  const amount = exitAmount(step, trade);
  const price = roundPrice(trade.stop, trade.priceTick);
  if (!(amount > 0)) return;
  const stop = openStop(trade);
  if (stop === null) {
    // The exchange would refuse it.
    const isTooSmall = isTooSmallToSell(step, trade, amount, price);
    noteTooSmall(step, trade, isTooSmall ? 'for-stop' : null);
    if (!isTooSmall) placeStop(step, trade, price, amount);
    return;
  }
  const age = step.time - stop.createdTime;
  const isGrowing = openOrder(trade, 'entry') !== null;
  const hasGrown = stop.amount !== amount && (!isGrowing || age >= growEveryMs);
  const hasMoved = Math.abs(stop.price - price) > 1.5 * trade.priceTick && age >= followEveryMs;
  if ((hasGrown || hasMoved) && !isFinal(stop.state) && stop.filled === 0) cancelOrder(step, trade, stop, 'replaced');
}

function placeStop(step: Step, trade: Trade, price: number, amount: number): void {
  const stops = trade.orders.filter(({ type }) => type === 'stop');
  const last = stops.at(-1);
  if (last !== undefined && step.time - last.createdTime < restAfter(stops)) return;
  const forgotten = stops.filter((order) => order.filled === 0 && !isWaiting(order)).slice(0, -remembered);
  trade.orders = trade.orders.filter((order) => !forgotten.includes(order));
  planOrder(step, trade, {
    action: 'stop',
    ...(last === undefined ? {} : { follows: last.id }),
    purpose: 'exit',
    type: 'stop',
    price,
    amount,
    tag: stopOnExchange,
  });
}

/** How long is waited after the last stop, in ms: from 5 s after one that was refused to 40 s after four in a row. */
function restAfter(stops: readonly Order[]): number {
  const inARow = stops.length - 1 - stops.findLastIndex(({ state }) => state !== 'refused');
  return inARow === 0 ? 0 : retryMs * 2 ** (Math.min(inARow, remembered) - 1);
}

/** How far the price may run through a stop at the exchange before the bot closes the trade itself, as a fraction of the stop. */
const trustRatio = 0.01;

/** Whether a stop at the exchange does the work of one that the bot would watch. */
export function isStopTrusted(trade: Trade, price: number): boolean {
  const stop = openStop(trade);
  if (stop === null || (stop.state !== 'open' && stop.state !== 'cancel-pending')) return false;
  const beyond = trade.direction === 'long' ? stop.price - price : price - stop.price;
  return beyond <= stop.price * trustRatio;
}
