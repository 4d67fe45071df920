import { ExchangeError } from '#engine/ports/exchange-error.ts';
import type { OrderRequest, VenueOrder } from '#engine/ports/trading.ts';
import type { AccountCcxt, AccountMarket } from './account-ccxt.ts';

/** What every order of Binance is sent with. */
export interface OrderFields {
  symbol: string; // the exchange's id of the instrument
  side: 'BUY' | 'SELL';
  quantity: string;
  expiry: Expiry; // taken out when it is signed
}

/** When a request ends, in ms: by the clock of the caller, and by that of the exchange as it was known when the request was made. */
export interface Expiry {
  ours: number;
  theirs: number;
}

/** A request that waits for its turn. */
export type TimedRequest = OrderRequest & { expiry: Expiry };

/** Client order ids that Binance takes. */
const clientIdPattern = /^[.A-Z:/a-z0-9_-]{1,36}$/u;

/**
 * The fields that all orders share. Nothing is rounded: the one who asks decides about money.
 *
 * Fails: ExchangeError `rejected` for what the exchange would refuse for its form
 */
export function orderFields(client: AccountCcxt, request: TimedRequest, { id, active }: AccountMarket): OrderFields {
  const { clientOrderId, symbol, side, amount, expiry } = request;
  if (active === false) throw refusal(request, `${symbol} is not traded now`);
  if (!clientIdPattern.test(clientOrderId))
    throw refusal(request, 'the client order id has other characters than Binance takes, or too many');
  if (!(amount > 0)) throw refusal(request, `the amount must be above 0, and is ${amount}`);
  const quantity = exact(() => client.amountToPrecision(symbol, amount), amount);
  if (quantity === null) throw refusal(request, `the amount ${amount} is not a multiple of the step`);
  return { symbol: id, side: side === 'buy' ? 'BUY' : 'SELL', quantity, expiry };
}

/** A price as text. Fails: ExchangeError `rejected` when it is missing or between two ticks */
export function priceText(client: AccountCcxt, request: OrderRequest, name: 'price' | 'stopPrice'): string {
  const price = request[name];
  const text = price !== null && price > 0 ? exact(() => client.priceToPrecision(request.symbol, price), price) : null;
  if (text === null) throw refusal(request, `the ${name === 'price' ? 'price' : 'stop price'} ${price} is not a multiple of the tick`);
  return text;
}

/** A refusal of ours, before anything was sent. */
export function refusal({ clientOrderId }: Pick<OrderRequest, 'clientOrderId'>, reason: string): ExchangeError {
  return new ExchangeError('rejected', `The order ${clientOrderId} was not sent: ${reason}.`);
}

/** Fails: Error when an answer to an order is about another one, or says what cannot be; what happened is open then */
export function demandAnswerTo(request: OrderRequest, order: VenueOrder): VenueOrder {
  const { clientOrderId, symbol, side, amount } = request;
  const isOurs = order.clientOrderId === clientOrderId && order.symbol === symbol && order.side === side;
  if (!isOurs || order.requested !== amount)
    throw new Error(
      `the answer to the order ${clientOrderId} is about ${order.clientOrderId}, ${order.side} ${order.requested} ${order.symbol}`,
    );
  return order;
}

/** Fails: Error when an answer is about another order than the one that was asked for */
export function demandId(clientOrderId: string, order: VenueOrder): VenueOrder {
  if (order.clientOrderId === clientOrderId) return order;
  throw new Error(`the answer about the order ${clientOrderId} is about ${order.clientOrderId}`);
}

/** A text that is worth exactly the number, or null. */
function exact(write: () => string, value: number): string | null {
  try {
    const text = write();
    return Number(text) === value ? text : null;
  } catch {
    return null; // below one step
  }
}
