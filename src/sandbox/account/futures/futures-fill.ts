import type { Pair } from '../../market/listings.ts';
import { coin, product } from '../money.ts';
import type { AccountFill, Order } from '../order.ts';
import type { FuturesRows } from './futures-rows.ts';
import { afterFill } from './position.ts';

/** What USD-M takes of the value of a fill, in units of a ratio. */
const fees = { maker: (coin * 2n) / 10_000n, taker: (coin * 5n) / 10_000n };

/** The fee of a fill of this value. */
export function futuresFee(value: bigint, isMaker: boolean): bigint {
  return product(value, isMaker ? fees.maker : fees.taker);
}

/** Settles one execution: position, wallet, order, fill and the reports about them. Returns the order as it is then. */
export function settleFuturesFill(
  rows: FuturesRows,
  pair: Pair,
  order: Order,
  { price, amount, isMaker, time }: { price: bigint; amount: bigint; isMaker: boolean; time: number },
): Order {
  const quote = product(price, amount);
  const { position, realized } = afterFill(rows.position(pair.id), order.side, price, amount, time);
  const fee = futuresFee(quote, isMaker);
  const id = rows.next('fills');
  rows.positions.put(pair.id, position);
  const movement = { symbol: pair.id, asset: pair.quote, tradeId: id, time };
  rows.pay({ ...movement, type: 'REALIZED_PNL', amount: realized });
  rows.pay({ ...movement, type: 'COMMISSION', amount: -fee });
  const filled = order.filled + amount;
  const after: Order = {
    ...order,
    filled,
    filledQuote: order.filledQuote + quote,
    status: filled === order.amount ? 'FILLED' : 'PARTIALLY_FILLED',
    updateTime: time,
  };
  const fill: AccountFill = {
    id,
    orderId: order.id,
    symbol: pair.id,
    side: order.side,
    price,
    amount,
    quote,
    fee,
    feeAsset: pair.quote,
    isMaker,
    realized,
    time,
  };
  rows.putOrder(after);
  rows.putFill(fill);
  rows.reportAccount('ORDER', [pair.quote], [position], time);
  rows.reportOrder('TRADE', after, fill, time);
  return after;
}
