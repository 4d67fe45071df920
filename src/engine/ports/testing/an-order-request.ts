import type { OrderRequest } from '../trading.ts';

/** A request to buy 1 at market, except for what is given. A builder for tests. */
export function anOrderRequest(given: Pick<OrderRequest, 'clientOrderId' | 'symbol' | 'expiresAt'> & Partial<OrderRequest>): OrderRequest {
  return { side: 'buy', type: 'market', amount: 1, price: null, stopPrice: null, reduceOnly: false, ...given };
}
