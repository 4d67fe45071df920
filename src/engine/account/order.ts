import type { Side } from '../market/direction.ts';
import type { OrderType } from '../market/order-type.ts';
import type { Fill } from './fill.ts';
import type { OrderState } from './order-life.ts';
import { isFinal } from './order-life.ts';

/**
 * What an order was decided to do. With its symbol and candle it names the signal the order comes of: a signal makes one
 * order, and another only when that one has ended without a fill.
 */
export type OrderAction =
  | 'enter' // open a trade
  | 'manual-enter' // open one because a person wants it; it comes of no signal
  | 'add' // add to one
  | 'take-out' // leave a part of one
  | 'exit' // leave it
  | 'replace' // the order at another price
  | 'exit-rest' // leave what an exit that was filled in part has left
  | 'stop'; // leave it when the price reaches the stop

/** Our request to buy or sell, as part of a trade. Plain data: it survives JSON. */
export interface Order {
  id: string; // ours, unique within a run or a bot
  purpose: 'entry' | 'exit';
  side: Side;
  type: OrderType | 'stop'; // a stop lies at an exchange and becomes a market order when the price reaches it
  price: number; // limit price, the expected price of a market order, or that of the stop
  amount: number; // requested, in base currency; never changes
  tag: string | null; // why: entry tag or exit reason
  createdTime: number; // ms
  candleTime: number; // opening time of the closed candle it was decided on
  action: OrderAction;
  follows: string | null; // the order it replaces, or whose rest it takes

  state: OrderState;
  isCancelWanted: boolean; // the exchange is to cancel it, and has not reported an end
  reported: number; // amount that the exchange says is filled; more than `filled` while fills are still to come
  fills: Fill[]; // in the sequence in which they were reported
  filled: number; // sum of the fills, in base currency
  baseFee: number; // of an entry: fees that were taken in base currency, so that less is held than was filled
  fillPrice: number | null; // average price of the fills
  filledTime: number | null; // ms, of the last fill
  feeRatio: number | null; // fee of the fills as a fraction of the value of what was moved; null while it is not known
  liquidity: 'maker' | 'taker' | null; // role of the fills; null in a backtest, which does not distinguish them, and where they differ
  fundingFee: number; // funding since the fill before this one, settled with this fill; positive was received
  isProtective?: true; // of a running bot: an exit that limits a loss, whatever its strategy calls its own
}

/** What an order is when it is decided on. */
export type NewOrder = Pick<
  Order,
  | 'id'
  | 'purpose'
  | 'side'
  | 'type'
  | 'price'
  | 'amount'
  | 'tag'
  | 'createdTime'
  | 'candleTime'
  | 'action'
  | 'follows'
  | 'state'
  | 'isProtective'
>;

/** An order of which nothing is filled. */
export function newOrder(given: NewOrder): Order {
  return {
    id: given.id,
    purpose: given.purpose,
    side: given.side,
    type: given.type,
    price: given.price,
    amount: given.amount,
    tag: given.tag,
    createdTime: given.createdTime,
    candleTime: given.candleTime,
    action: given.action,
    follows: given.follows,
    state: given.state,
    isCancelWanted: false,
    reported: 0,
    fills: [],
    filled: 0,
    baseFee: 0,
    fillPrice: null,
    filledTime: null,
    feeRatio: null,
    liquidity: null,
    fundingFee: 0,
    ...(given.isProtective === true ? { isProtective: true } : {}),
  };
}

/** Whether more is to come of an order: it has not ended, or fills that the exchange has reported are still to come. */
export function isWaiting(order: Order): boolean {
  return !isFinal(order.state) || order.filled < order.reported;
}
