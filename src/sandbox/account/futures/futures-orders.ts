import type { Pair } from '../../market/listings.ts';
import type { Execution } from '../../market/market.ts';
import type { Liquidity, Offer } from '../liquidity.ts';
import { amountUnits, coin, least, priceUnits, product } from '../money.ts';
import type { Happening, Order } from '../order.ts';
import { isOpen } from '../order-state.ts';
import { Refusal } from '../refusal.ts';
import type { OrderWish } from '../spot-checks.ts';
import { takesOf } from '../taking.ts';
import { settleFuturesFill } from './futures-fill.ts';
import type { FuturesRows } from './futures-rows.ts';
import { absolute } from './position.ts';

/**
 * Refuses an order that breaks the filters of a perpetual.
 *
 * Fails: Refusal as the exchange words it
 */
export function checkFuturesFilters(pair: Pair, wish: OrderWish, mark: bigint): void {
  if (wish.price % priceUnits(pair, 1) !== 0n) throw new Refusal(-4014, 'Price not increased by tick size.');
  if (wish.price > BigInt(Math.round(pair.asset.price * 100)) * coin)
    throw new Refusal(-4016, "Limit price can't be higher than the limit.");
  if (wish.amount % amountUnits(pair, 1) !== 0n) throw new Refusal(-1111, 'Precision is over the maximum defined for this asset.');
  const largest = BigInt(Math.ceil(50_000_000 / pair.asset.price)) * coin;
  if (wish.amount > (wish.price === 0n ? largest / 5n : largest)) throw new Refusal(-4005, 'Quantity greater than max quantity.');
  if (!wish.reduceOnly && product(wish.price === 0n ? mark : wish.price, wish.amount) < BigInt(pair.minNotional) * coin)
    throw new Refusal(-4164, `Order's notional must be no smaller than ${pair.minNotional} (unless you choose reduce only).`);
}

/** How much of an order may be filled now: one that only reduces never turns a position. */
export function fillable(rows: FuturesRows, order: Order): bigint {
  const rest = order.amount - order.filled;
  if (!order.reduceOnly) return rest;
  const { amount } = rows.position(order.symbol);
  const isAgainst = amount !== 0n && amount > 0n === (order.side === 'SELL');
  return isAgainst ? least(rest, absolute(amount)) : 0n;
}

/** Takes of the book what the order reaches. What is left of an order that may not rest expires. */
export function takeFutures(rows: FuturesRows, liquidity: Liquidity, pair: Pair, order: Order, execution: Execution, time: number): Order {
  const takes = takesOf(pair, order, liquidity.offers(pair, execution, order.side));
  const after = fillFrom(rows, liquidity, pair, order, { takes, tick: execution.id, price: null, time });
  const ends = order.price === 0n || order.timeInForce === 'IOC' || order.timeInForce === 'FOK';
  return isOpen(after) && (ends || fillable(rows, after) === 0n) ? endFutures(rows, after, 'EXPIRED', time) : after;
}

/** Fills an order from what is offered: at each offer's own price, or at the order's when it was resting. */
export function fillFrom(
  rows: FuturesRows,
  liquidity: Liquidity,
  pair: Pair,
  order: Order,
  { takes, tick, price, time }: { takes: readonly Offer[]; tick: number; price: bigint | null; time: number },
): Order {
  let current = order;
  for (const offer of takes) {
    const amount = least(offer.amount, fillable(rows, current));
    if (amount <= 0n) break;
    liquidity.take(pair, tick, offer.price, amount);
    current = settleFuturesFill(rows, pair, current, { price: price ?? offer.price, amount, isMaker: price !== null, time });
  }
  return current;
}

/** Ends an order without a further fill. */
export function endFutures(rows: FuturesRows, order: Order, what: Extract<Happening, 'CANCELED' | 'EXPIRED'>, time: number): Order {
  const ended: Order = { ...order, status: what, updateTime: time };
  rows.putOrder(ended);
  rows.reportOrder(what, ended, null, time);
  return ended;
}
