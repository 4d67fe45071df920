import type { Pair } from '../../market/listings.ts';
import type { AccountRules } from '../spot-account.ts';
import type { OrderWish } from '../spot-checks.ts';
import { Refusal } from '../refusal.ts';
import type { AlgoOrder } from './algo-order.ts';
import type { FuturesRows } from './futures-rows.ts';
import { absolute } from './position.ts';

/** What a conditional order needs of its account to make its order. */
export interface AlgoHost {
  rows: FuturesRows;
  place: (pair: Pair, wish: OrderWish, time: number) => { id: number };
  madeOrderIds: AccountRules['madeOrderIds'];
}

/** A conditional order whose price has come: it makes its order, or expires with the reason why it could not. */
export function trigger({ rows, place, madeOrderIds }: AlgoHost, pair: Pair, algo: AlgoOrder, time: number): void {
  const { amount } = rows.position(pair.id);
  const isAgainst = amount !== 0n && amount > 0n === (algo.side === 'SELL');
  const triggered: AlgoOrder = { ...algo, status: 'TRIGGERED', triggerTime: time, updateTime: time };
  const wish: OrderWish = {
    clientOrderId: madeOrderIds === 'same' ? algo.clientAlgoId : `made_${algo.id}`,
    side: algo.side,
    type: algo.price === 0n ? 'MARKET' : 'LIMIT',
    timeInForce: algo.timeInForce,
    price: algo.price,
    stopPrice: 0n,
    amount: algo.closePosition ? absolute(amount) : algo.amount,
    quoteAmount: 0n,
    reduceOnly: algo.reduceOnly || algo.closePosition,
  };
  rows.putAlgo(triggered);
  rows.reportAlgo(triggered, time);
  const ended =
    wish.reduceOnly && !isAgainst ? expired(triggered, 'ReduceOnly Order is rejected.') : made(place, pair, wish, triggered, time);
  rows.putAlgo(ended);
  rows.reportAlgo(ended, time);
}

function made(place: AlgoHost['place'], pair: Pair, wish: OrderWish, algo: AlgoOrder, time: number): AlgoOrder {
  try {
    return { ...algo, status: 'FINISHED', actualOrderId: place(pair, wish, time).id };
  } catch (error) {
    if (error instanceof Refusal) return expired(algo, error.message);
    throw error;
  }
}

function expired(algo: AlgoOrder, reason: string): AlgoOrder {
  return { ...algo, status: 'EXPIRED', reason };
}
