import type { Pair } from '../market/listings.ts';
import type { Offer } from './liquidity.ts';
import { coin, least, product, wholeAmount } from './money.ts';
import type { Order } from './order.ts';

/** What an order takes of the offers it meets: as far as its price, its amount and the quote money it was given reach. */
export function takesOf(
  pair: Pair,
  order: Pick<Order, 'side' | 'price' | 'amount' | 'filled' | 'quoteAmount'>,
  offers: readonly Offer[],
): Offer[] {
  const takes: Offer[] = [];
  let rest = order.amount - order.filled;
  let money = order.quoteAmount;
  for (const offer of offers) {
    if (order.price !== 0n && !reaches(order, offer.price)) break;
    const affordable = order.quoteAmount === 0n ? rest : wholeAmount(pair, (money * coin) / offer.price);
    const amount = least(affordable, offer.amount);
    if (amount <= 0n) break;
    takes.push({ price: offer.price, amount });
    rest -= amount;
    money -= product(offer.price, amount);
  }
  return takes;
}

/** Whether a price is as good as the order's own, or better. */
export function reaches(order: Pick<Order, 'side' | 'price'>, price: bigint): boolean {
  return order.side === 'BUY' ? price <= order.price : price >= order.price;
}

/** Whether a price sets off the stop of an order: a stop-loss on its way down (of a sale), a take-profit on its way up. */
export function isTriggered({ side, type, stopPrice }: Pick<Order, 'side' | 'type' | 'stopPrice'>, price: bigint): boolean {
  const isProfit = type.startsWith('TAKE_PROFIT');
  return (side === 'SELL') === isProfit ? price >= stopPrice : price <= stopPrice;
}
