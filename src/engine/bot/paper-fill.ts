import type { Execution } from '../account/fill.ts';
import type { Order } from '../account/order.ts';
import { roundPrice } from '../market/rounding.ts';
import type { BookLevel } from '../ports/market-data.ts';
import type { MarketView } from './event.ts';

/** Fees of a market as fractions. */
export interface FeeRatios {
  maker: number;
  taker: number;
}

/**
 * What a paper order gets from the market at this moment: a fill of the whole amount, or null.
 *
 * A limit order that crosses the best opposite price when it is made fills at once at its own price and pays as a taker;
 * one that crosses by more than 1 per cent is a market order. Later it fills when the best opposite price reaches it, as a
 * maker. A market order pays the average of the first 20 levels of the book (what is left, at the last of them), at most
 * 5 per cent worse than its price.
 */
export function simulatePaperOrder(
  order: Pick<Order, 'side' | 'type' | 'price' | 'amount'>,
  view: MarketView,
  fees: FeeRatios,
  moment: { time: number; isNew: boolean; priceTick: number },
): Execution | null {
  const filled = (price: number, liquidity: 'maker' | 'taker'): Execution => ({
    price,
    amount: order.amount,
    time: moment.time,
    feeRatio: liquidity === 'maker' ? fees.maker : fees.taker,
    liquidity,
  });
  const opposite = order.side === 'buy' ? view.ask : view.bid;
  if (effectiveType(order, opposite, moment.isNew) === 'market') {
    return filled(roundPrice(marketPrice(order, view), moment.priceTick), 'taker');
  }
  if (!crosses(order.side, order.price, opposite)) return null;
  return filled(order.price, moment.isNew ? 'taker' : 'maker');
}

function effectiveType(order: Pick<Order, 'side' | 'type' | 'price'>, opposite: number, isNew: boolean): Order['type'] {
  if (order.type === 'market' || !isNew) return order.type;
  const shifted = order.side === 'buy' ? order.price * 0.99 : order.price * 1.01;
  return crosses(order.side, shifted, opposite) ? 'market' : 'limit';
}

function crosses(side: 'buy' | 'sell', price: number, opposite: number): boolean {
  return side === 'buy' ? price >= opposite : price <= opposite;
}

function marketPrice(order: Pick<Order, 'side' | 'price' | 'amount'>, view: MarketView): number {
  const best = order.side === 'buy' ? view.ask : view.bid;
  const given = (order.side === 'buy' ? view.asks : view.bids) ?? [];
  const levels: readonly BookLevel[] = given.length === 0 ? [[best, Infinity]] : given.slice(0, 20);
  let rest = order.amount;
  let value = 0;
  for (const [at, [price, amount]] of levels.entries()) {
    const taken = at === levels.length - 1 ? rest : Math.min(rest, amount);
    value += taken * price;
    rest -= taken;
  }
  const average = value / order.amount;
  return order.side === 'buy' ? Math.min(average, order.price * 1.05) : Math.max(average, order.price * 0.95);
}
