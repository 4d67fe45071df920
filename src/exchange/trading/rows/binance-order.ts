import type { OrderType } from '#engine/market/order-type.ts';
import type { VenueOrder } from '#engine/ports/trading.ts';
import { numberOf, positiveOf, type Row, textOf } from './answer-row.ts';

/** What Binance's states of an order mean, on both markets. */
const states: Readonly<Record<string, VenueOrder['state']>> = {
  NEW: 'open',
  PENDING_NEW: 'open',
  PARTIALLY_FILLED: 'open',
  PENDING_CANCEL: 'open',
  NEW_INSURANCE: 'open',
  NEW_ADL: 'open',
  FILLED: 'filled',
  CANCELED: 'cancelled',
  EXPIRED: 'expired',
  EXPIRED_IN_MATCH: 'expired',
  REJECTED: 'refused',
};

/** Where a kind of message keeps the fields of an order. */
export interface OrderNames {
  id: string;
  clientId: string;
  side: string;
  type: string;
  state: string;
  requested: string;
  filled: string;
  price: string;
  stopPrice: string;
}

/** The names in answers of REST. */
export const restNames: OrderNames = {
  id: 'orderId',
  clientId: 'clientOrderId',
  side: 'side',
  type: 'type',
  state: 'status',
  requested: 'origQty',
  filled: 'executedQty',
  price: 'price',
  stopPrice: 'stopPrice',
};

/** The names in messages of user streams. */
export const streamNames: OrderNames = {
  id: 'i',
  clientId: 'c',
  side: 'S',
  type: 'o',
  state: 'X',
  requested: 'q',
  filled: 'z',
  price: 'p',
  stopPrice: 'P',
};

/** An order out of a row. Fails: Error when a field is missing or says what cannot be */
export function readOrder(row: Row, names: OrderNames, { symbol, createdTime }: { symbol: string; createdTime: number }): VenueOrder {
  const [requested, filled] = [numberOf(row, names.requested), numberOf(row, names.filled)];
  const type = readType(textOf(row, names.type));
  const order: VenueOrder = {
    clientOrderId: textOf(row, names.clientId),
    exchangeOrderId: textOf(row, names.id),
    symbol,
    side: readSide(textOf(row, names.side)),
    type,
    state: readState(textOf(row, names.state)),
    requested,
    filled,
    price: positiveOf(row, names.price),
    stopPrice: type === 'stop' ? positiveOf(row, names.stopPrice) : null,
    createdTime,
  };
  if (!(requested >= 0 && filled >= 0 && filled <= requested) || (order.state === 'filled' && filled !== requested))
    throw new Error(`the order ${order.clientOrderId} is reported to be ${order.state} with ${filled} of ${requested}`);
  return order;
}

/** Fails: Error for a state that Binance does not document */
export function readState(text: string): VenueOrder['state'] {
  const state = Object.hasOwn(states, text) ? states[text] : undefined;
  if (state === undefined) throw new Error(`the state ${text} of an order is not known`);
  return state;
}

/** Fails: Error for a side that there is not */
export function readSide(text: string): VenueOrder['side'] {
  if (text === 'BUY') return 'buy';
  if (text === 'SELL') return 'sell';
  throw new Error(`the side ${text} of an order is not known`);
}

/** Whatever waits for a price of its own is a stop, also one that takes a profit. */
function readType(text: string): OrderType | 'stop' {
  if (/^(STOP|TAKE_PROFIT|TRAILING)/u.test(text)) return 'stop';
  return text.startsWith('LIMIT') ? 'limit' : 'market';
}
