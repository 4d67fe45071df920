import type { Trade } from '../account/trade.ts';
import { plus, toDecimal, toNumber } from '../market/decimal.ts';
import { truncateAmount } from '../market/rounding.ts';
import type { Step } from './execution.ts';
import { largestOrder } from './largest-order.ts';
import { heldFor } from './missing.ts';
import { isTooSmallToSell } from './small-rest.ts';
import { stepsOf } from './steps-of-trade.ts';
import type { OrderType } from '../market/order-type.ts';

/**
 * What an exit or a stop is for, in base currency: all that a trade holds, rounded down to the amount step, but not more than its
 * account holds for it where that is known to be less, or had when it refused a sale. Where that was nothing, or too little for an order, it is
 * all of it again: another order may have held the coins then. `filled` is what an order that stands for it has filled of that already.
 */
export function exitAmount(step: Step, trade: Trade, filled = 0): number {
  const { state } = step;
  const { amountStep } = stepsOf(step, trade);
  const all = truncateAmount(heldFor(state, trade), amountStep, trade.contractSize);
  const known = state.freeCoins[trade.id];
  if (known === undefined) return all;
  const free = truncateAmount(known, amountStep, trade.contractSize);
  const price = state.pairs[trade.symbol]?.view?.bid ?? trade.openRate;
  return isTooSmallToSell(step, trade, free + filled, price) ? all : Math.min(all, free);
}

/**
 * How much the next order of an exit is for, in base currency. Where its exchange takes no order that large, it is one of as few parts as
 * there must be, all about as large, so that no rest stays that is too small to be sold; the others follow once it is filled. Where such a part would be
 * too small itself, it is as large as may be. `filled` is what an order has filled that stands for it already: how large that would be if it were made now.
 */
export function nextExitAmount(step: Step, trade: Trade, type: OrderType, price: number, filled = 0): number {
  const all = toNumber(plus(toDecimal(exitAmount(step, trade, filled)), toDecimal(filled)));
  return nextOfParts(step, trade, type, price, all);
}

/** How much the next order is for where all of this is left in as few parts as there must be, about equal ones. */
export function nextOfParts(step: Step, trade: Trade, type: OrderType, price: number, all: number): number {
  const largest = largestOrder(step, trade.symbol, type, price);
  if (all <= largest) return all;
  const { amountStep } = stepsOf(step, trade);
  const part = truncateAmount(all / Math.ceil(all / largest), amountStep, trade.contractSize);
  const worth = step.state.pairs[trade.symbol]?.view?.bid ?? trade.openRate;
  return isTooSmallToSell(step, trade, part, worth) ? truncateAmount(largest, amountStep, trade.contractSize) : part;
}
