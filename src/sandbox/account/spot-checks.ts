import type { Pair } from '../market/listings.ts';
import { amountUnits, coin, priceUnits, product } from './money.ts';
import type { Order } from './order.ts';
import { Refusal } from './refusal.ts';

/** What an order asks for, before it is one. */
export type OrderWish = Pick<
  Order,
  'clientOrderId' | 'side' | 'type' | 'timeInForce' | 'price' | 'stopPrice' | 'amount' | 'quoteAmount' | 'reduceOnly'
>;

/** The most orders of a pair that may be open. */
const mostOpen = 200;

/**
 * Refuses an order that breaks the filters of `exchangeInfo`, in the exchange's sequence.
 *
 * Fails: Refusal -1013 that names the filter
 */
export function checkFilters(pair: Pair, wish: OrderWish, marketPrice: bigint, openOrders: number): void {
  const tick = priceUnits(pair, 1);
  const highest = BigInt(Math.round(pair.asset.price * 100)) * coin;
  for (const price of [wish.price, wish.stopPrice])
    if (price !== 0n && (price % tick !== 0n || price > highest)) throw filterFailure('PRICE_FILTER');
  const step = amountUnits(pair, 1);
  const largest = BigInt(Math.ceil(50_000_000 / pair.asset.price)) * coin;
  if (wish.quoteAmount === 0n && (wish.amount < step || wish.amount % step !== 0n || wish.amount > largest))
    throw filterFailure('LOT_SIZE');
  const isMarket = wish.price === 0n;
  if (isMarket && wish.amount > largest / 5n) throw filterFailure('MARKET_LOT_SIZE');
  const price = wish.price !== 0n ? wish.price : wish.stopPrice !== 0n ? wish.stopPrice : marketPrice;
  const value = wish.quoteAmount !== 0n ? wish.quoteAmount : product(price, wish.amount);
  if (value < BigInt(pair.minNotional) * coin && !wish.reduceOnly) {
    if (pair.market === 'spot') throw filterFailure('NOTIONAL');
    throw new Refusal(-4164, `Order's notional must be no smaller than ${pair.minNotional} (unless you choose reduce only).`);
  }
  if (openOrders >= mostOpen) throw filterFailure('MAX_NUM_ORDERS');
}

function filterFailure(name: string): Refusal {
  return new Refusal(-1013, `Filter failure: ${name}`);
}
