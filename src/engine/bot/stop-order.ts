import type { Order } from '../account/order.ts';
import { isWaiting } from '../account/order.ts';
import { openOrder, openStop } from '../account/trade.ts';
import type { Trade } from '../account/trade.ts';
import { isFinal } from '../account/order-life.ts';
import { hourMs, minuteMs, secondMs } from '../market/durations.ts';
import { roundPrice } from '../market/rounding.ts';
import type { Step } from './execution.ts';
import { cancelOrder, planOrder } from './execution.ts';
import { exitAmount } from './exit-amount.ts';
import { failuresWith, hasMarketMoved, restAfter, restMinMs, retryChangedMs, stoodMs } from './order-failures.ts';
import { isTooSmallToSell, noteTooSmall } from './small-rest.ts';
import { stepsOf } from './steps-of-trade.ts';
import type { BotState } from './state.ts';

/** The reason of an exit by a stop that lay at the exchange. */
export const stopOnExchange = 'stoploss_on_exchange';

/** A stop follows a trailing one at most this often. */
const followEveryMs = minuteMs;

/** A stop follows what is held at most this often while the entry is still being filled. */
const growEveryMs = 5 * secondMs;

/** When a stop has stood for so long, the coins that its account had not free when it refused a larger one may be; after the next refusals it is an hour. */
const freeAgainMs = 10 * minuteMs;

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
  const stop = openStop(trade);
  if (stop?.state === 'open' && step.time - stop.createdTime >= freeAgainAfter(trade)) delete step.state.freeCoins[trade.id];
  const amount = exitAmount(step, trade);
  const { priceTick } = stepsOf(step, trade);
  const price = priceOfStop(trade, priceTick);
  if (!(amount > 0)) return;
  if (stop === null) {
    // The exchange would refuse it.
    const isTooSmall = isTooSmallToSell(step, trade, amount, price);
    noteTooSmall(step, trade, isTooSmall ? 'for-stop' : null);
    if (!isTooSmall) placeStop(step, trade, price, amount);
    return;
  }
  const age = step.time - stop.createdTime;
  if (stop.state === 'open' && age >= stoodMs) delete trade.stopFailures;
  const isGrowing = openOrder(trade, 'entry') !== null;
  const hasGrown = stop.amount !== amount && (!isGrowing || age >= growEveryMs);
  const hasMoved = isElsewhere(stop, priceTick, price) && age >= followEveryMs;
  if ((hasGrown || hasMoved) && !isFinal(stop.state) && stop.filled === 0) cancelOrder(step, trade, stop, 'replaced');
}

/** Each try costs the smaller stop for some seconds. */
function freeAgainAfter({ orders }: Trade): number {
  return orders.filter(({ type, state }) => type === 'stop' && state === 'refused').length > 1 ? hourMs : freeAgainMs;
}

/** Where the stop of a trade is to lie. Where the tick has become coarser: not beyond the stop, never on the losing side of it. */
function priceOfStop({ stop, direction }: Trade, priceTick: number): number {
  return roundPrice(stop, priceTick, direction === 'short' ? 'down' : 'up');
}

/** Whether a stop lies so far from where it should be that it is worth a moment without one. */
function isElsewhere(stop: Order, priceTick: number, price: number): boolean {
  return Math.abs(stop.price - price) > 1.5 * priceTick;
}

function placeStop(step: Step, trade: Trade, price: number, amount: number): void {
  const stops = trade.orders.filter(({ type }) => type === 'stop');
  const last = stops.at(-1);
  if (last !== undefined && mustRest(step, trade, last, price, amount)) return;
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

/**
 * Notes that a stop has ended which nobody wanted to end. One that was refused, or has not even stood for a minute, keeps the next
 * one waiting; the trade is written with it, so that a runner that starts again and again does not begin with the shortest pause each time.
 */
export function noteStopEnd(step: Step, trade: Trade, stop: Order): void {
  if (stop.filled > 0) return;
  if (stop.state !== 'refused' && step.time - stop.createdTime >= stoodMs) {
    delete trade.stopFailures;
    return;
  }
  trade.stopFailures = failuresWith(step, trade, trade.stopFailures, stop);
}

/**
 * Ends the pause after a failed stop, because a person wants the next one tried now: it is decided on with the next price, under all conditions
 * of any stop. When another was decided on since, nothing happens. The row of failures continues: the pause after the next stop is not shorter.
 */
export function skipRest({ trades }: BotState, tradeId: number, orderId: string): void {
  const trade = trades.find(({ id }) => id === tradeId);
  if (trade?.stopFailures?.orderId === orderId) trade.stopFailures = { ...trade.stopFailures, isNextWanted: true };
}

/**
 * Whether no other stop is placed yet, because the newest has failed; meanwhile the bot watches the price itself. When what the exchange
 * has said no to is different now, it is asked once a minute at most; when a person wants that, after the shortest pause.
 */
function mustRest(step: Step, trade: Trade, newest: Order, price: number, amount: number): boolean {
  const failures = trade.stopFailures;
  if (failures?.orderId !== newest.id) return false; // the bot itself has ended the newest
  const restedMs = step.time - failures.last;
  if (restedMs >= (failures.isNextWanted === true ? restMinMs : restAfter(failures))) return false;
  return (
    restedMs < retryChangedMs ||
    !(newest.amount !== amount || isElsewhere(newest, stepsOf(step, trade).priceTick, price) || hasMarketMoved(step, trade, failures))
  );
}

/** How far the price may run through a stop at the exchange before the bot closes the trade itself, as a fraction of the stop. */
const trustRatio = 0.01;

/** Whether a stop at the exchange does the work of one that the bot would watch. One that has not followed its trade yet does it from where it lies. */
export function isStopTrusted(step: Step, trade: Trade, price: number): boolean {
  const stop = openStop(trade);
  if (stop === null || (stop.state !== 'open' && stop.state !== 'cancel-pending')) return false;
  const beyond = trade.direction === 'long' ? stop.price - price : price - stop.price;
  const { priceTick } = stepsOf(step, trade);
  if (beyond < 0 && isElsewhere(stop, priceTick, priceOfStop(trade, priceTick))) return false;
  return beyond <= stop.price * trustRatio;
}
