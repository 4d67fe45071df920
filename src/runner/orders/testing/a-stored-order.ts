import type { StoredOrder } from '#storage/orders/order-outbox.ts';

/** An order as it is stored: a stop of 2 at 80 that stands at its exchange, except for what is given. A builder for tests. */
export function aStoredOrder(given: Partial<StoredOrder> & Pick<StoredOrder, 'botId' | 'clientOrderId' | 'symbol'>): StoredOrder {
  return {
    purpose: 'stop',
    side: 'sell',
    type: 'stop',
    amount: 2,
    price: null,
    stopPrice: 80,
    timeInForce: 'GTC',
    reduceOnly: false,
    leverage: 1,
    marginMode: null,
    state: 'open',
    attempt: 1,
    plannedAt: Date.now(),
    expiresAt: Date.now(),
    filled: 0,
    endedAt: null,
    ...given,
  };
}
