import type { Pair } from '../market/listings.ts';
import type { AccountRows } from './account-rows.ts';
import { coin, product } from './money.ts';
import type { AccountFill, Order } from './order.ts';

/** What spot takes of each fill, taker and maker alike, as units of a ratio: a tenth of a per cent. */
export const spotFee = coin / 1000n;

/** What is paid of the fee by those who pay in BNB. */
const bnbShare = (coin * 3n) / 4n;

/** One execution before it is settled. */
export interface Execution {
  price: bigint;
  amount: bigint;
  isMaker: boolean;
  time: number;
  bnbPrice: bigint | null; // in the quote currency of the pair; null where it is not known
}

/** Settles one execution of a spot order: money, order, fill, and the reports about them. Returns the order as it is then. */
export function settleSpotFill(rows: AccountRows, pair: Pair, order: Order, { price, amount, isMaker, time, bnbPrice }: Execution): Order {
  const quote = product(price, amount);
  const rest = order.amount - order.filled - amount;
  const isBuy = order.side === 'BUY';
  const reserved = order.reserved === 0n ? 0n : isBuy ? product(order.price, rest) : rest;
  const released = order.reserved - reserved;
  if (isBuy) {
    rows.move(pair.quote, released - quote, -released);
    rows.move(pair.base, amount);
  } else {
    rows.move(pair.base, released - amount, -released);
    rows.move(pair.quote, quote);
  }
  const { fee, feeAsset } = feeOf(rows, pair, isBuy ? amount : quote, { isBuy, quote, bnbPrice });
  rows.move(feeAsset, -fee);
  const after: Order = {
    ...order,
    filled: order.filled + amount,
    filledQuote: order.filledQuote + quote,
    reserved,
    status: rest === 0n ? 'FILLED' : 'PARTIALLY_FILLED',
    updateTime: time,
  };
  const fill: AccountFill = {
    id: rows.next('fills'),
    orderId: order.id,
    symbol: pair.id,
    side: order.side,
    price,
    amount,
    quote,
    fee,
    feeAsset,
    isMaker,
    realized: 0n,
    time,
  };
  rows.putOrder(after);
  rows.putFill(fill);
  rows.reportOrder('TRADE', after, fill, time);
  rows.reportBalances([pair.base, pair.quote, feeAsset], time);
  return after;
}

/** The fee: in BNB where the account wants it and has enough, else in what was received. */
function feeOf(
  rows: AccountRows,
  pair: Pair,
  received: bigint,
  { isBuy, quote, bnbPrice }: { isBuy: boolean; quote: bigint; bnbPrice: bigint | null },
): { fee: bigint; feeAsset: string } {
  if (rows.state.paysFeesInBnb && bnbPrice !== null) {
    const fee = (product(product(quote, spotFee), bnbShare) * coin) / bnbPrice;
    const isOwnAsset = pair.base === 'BNB' || pair.quote === 'BNB';
    if (!isOwnAsset && fee <= rows.balance('BNB').free) return { fee, feeAsset: 'BNB' };
  }
  return { fee: product(received, spotFee), feeAsset: isBuy ? pair.base : pair.quote };
}
