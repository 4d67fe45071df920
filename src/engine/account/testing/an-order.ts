import type { Fill } from '../fill.ts';
import type { Order } from '../order.ts';
import { newOrder } from '../order.ts';

/** A valid limit order to buy 10 at 100 that is open, except for what is given. A builder for tests. */
export function anOrder(given: Partial<Order> = {}): Order {
  const purpose = given.purpose ?? 'entry';
  const made = newOrder({
    id: '1',
    purpose,
    side: purpose === 'entry' ? 'buy' : 'sell',
    type: 'limit',
    price: 100,
    amount: 10,
    tag: null,
    createdTime: 0,
    candleTime: 0,
    action: purpose === 'entry' ? 'enter' : 'exit',
    follows: null,
    state: 'open',
  });
  return { ...made, ...given };
}

/** A valid fill of 10 at 100 for a fee of 1 USDT, except for what is given. A builder for tests. */
export function aFill(given: Partial<Fill> = {}): Fill {
  const fee = given.fee ?? 1;
  return { id: '1', price: 100, amount: 10, fee, feeCurrency: 'USDT', feeInQuote: fee, liquidity: 'taker', time: 1, ...given };
}
