import { expect, test } from 'vitest';
import { aTradeOrder, someTradeOrders } from '../testing/samples/trade-orders.ts';
import { orderNames } from './order-names.ts';
import { recordOf } from './record.ts';
import { recordText } from './record-text.ts';
import { whatIsDone } from './state-words.ts';

const texts = (trade: ReturnType<typeof someTradeOrders>) => recordOf(trade).map(({ order, kind, text }) => `${order} ${kind}: ${text}`);

test('ADD-trade-orders: an order with a lost answer, from its decision to its fills, in the sequence of the times', () => {
  expect(texts(someTradeOrders())).toEqual([
    'E1 Decision: Decided: entry, buy limit, GTC, reason cross, on the candle of 2026-11-21 06:40',
    'E1 Attempt: Sent (attempt 1, valid for 2000 ms)',
    'E1 Unknown: No clear answer came. Unknown for 2.812 s; no second order is sent while this lasts',
    "E1 Fill: Fill 1 of 2, maker, fee 0.12 USDT, exchange's id 501",
    "E1 Fill: Fill 2 of 2, taker, fee 0.00003 BNB, exchange's id 502",
    "E1 State: Found at the exchange, filled, exchange's id 8841",
    'S1 Decision: Decided: stop, sell stop, GTC',
    'S1 Attempt: Sent (attempt 1, valid for 2000 ms)',
    "S1 State: Accepted, exchange's id 8842",
  ]);
  expect(recordOf(someTradeOrders()).map(({ isUnclear }) => isUnclear)).toEqual([false, false, true, ...Array(6).fill(false)]);
});

test('stops that are left out are counted in the names of those after them, and said in the record', () => {
  const stop = { purpose: 'stop', side: 'sell', type: 'stop', state: 'refused', signal_candle: null, reason: null } as const;
  const orders = [
    aTradeOrder({ ...stop, order_id: 'a', events: [], fills: [] }),
    aTradeOrder({ ...stop, order_id: 'b', alike_before: 1_998, events: [], fills: [] }),
    aTradeOrder({ ...stop, order_id: 'c', alike_before: 1, events: [], fills: [] }),
  ];
  expect([...orderNames(orders).values()]).toEqual(['S1', 'S2000', 'S2002']);
  expect(texts(someTradeOrders({ orders })).filter((text) => text.includes('before it'))).toEqual([
    'S2000 State: 1998 stops before it failed in the same way, one after the other',
    'S2002 State: One stop before it failed in the same way',
  ]);
  expect(recordText(someTradeOrders({ orders }))).toContain('| S2000 | State    | - | - | 1998 stops before it');
});

test('an unknown that lasts says how long so far, and what is done about it', () => {
  const at = '2026-11-21T06:45:01.012Z';
  const order = aTradeOrder({ state: 'unknown', events: [{ at, state: 'unknown', detail: null }] });
  expect(texts(someTradeOrders({ time: '2026-11-21T06:45:03.012Z', orders: [order] }))[1]).toContain('Unknown for 2.000 s so far');
  expect(whatIsDone(order)).toEqual({
    since: at,
    text: 'Looking it up at the exchange; sent again only when it is certainly not there.',
  });
});

test.each([
  ['planned', 'Saved; it is sent as soon as the exchange can take it.'],
  ['sent', 'Waiting for the answer of the exchange, which does not take it after 06:45:02.594.'],
  ['cancel-pending', 'Asking the exchange to cancel it until the exchange confirms that; it may still be filled meanwhile.'],
] as const)('%s says what is done', (state, text) => {
  expect(whatIsDone(aTradeOrder({ state, expires_at: '2026-11-21T06:45:02.594Z' }))?.text).toBe(text);
});

test.each(['open', 'filled', 'cancelled', 'expired', 'refused'] as const)('for an order that is %s nothing has to be done', (state) => {
  expect(whatIsDone(aTradeOrder({ state }))).toBeNull();
});

test.each([
  [['sent', 'refused'], 'State: Refused by the exchange: too small'],
  [['sent', 'open', 'cancel-pending', 'open'], 'State: Not cancelled; the order stands'],
  [['sent', 'unknown', 'planned'], 'State: Certainly not at the exchange; to be sent again with the same id'],
  [['sent', 'open', 'expired'], 'State: Expired at the exchange: too small'],
] as const)('the states %s end with what came of them', (states, last) => {
  const events = states.map((state, i) => ({
    at: new Date(Date.UTC(2026, 10, 21, 6, 45, i)).toISOString(),
    state,
    detail: state === 'refused' || state === 'expired' ? 'too small' : null,
  }));
  expect(texts(someTradeOrders({ orders: [aTradeOrder({ events, fills: [], exchange_order_id: null })] })).at(-1)).toBe(`E1 ${last}`);
});

test('a simulated order has its decision, its fills, and its end where it was not filled', () => {
  const closed = '2026-11-21T06:46:00.000Z';
  const order = aTradeOrder({ state: 'cancelled', events: [], fills: [], closed_at: closed, filled: 0 });
  expect(texts(someTradeOrders({ mode: 'paper', orders: [order] })).slice(1)).toEqual(['E1 State: Cancelled']);
  expect(texts(someTradeOrders({ orders: [{ ...order, state: 'unknown' }] })).slice(1)).toEqual(['E1 Unknown: Sent; no answer is kept']);
});

test('orders are numbered within their purpose', () => {
  const orders = (['entry', 'stop', 'stop', 'exit', 'adjust'] as const).map((purpose, i) => aTradeOrder({ purpose, order_id: String(i) }));
  expect([...orderNames(orders).values()]).toEqual(['E1', 'S1', 'S2', 'X1', 'A1']);
});

test('the text for an exchange has all ids, exact amounts and times to the millisecond', () => {
  const text = recordText(someTradeOrders());
  for (const part of [
    'client order id: fl-7c1e-1',
    "exchange's order id: 8841",
    'requested: 0.4853',
    'filled: 0.4853',
    '2026-11-21 06:45:00.594 | E1    | Attempt  | 0.4853 | 2060.9 | Sent (attempt 1, valid for 2000 ms)',
    "2026-11-21 06:45:03.824 | E1    | Fill     | 0.3 | 2060.44 | Fill 1 of 2, maker, fee 0.12 USDT, exchange's id 501",
  ])
    expect(text).toContain(part);
  expect(recordText(someTradeOrders({ orders: [aTradeOrder({ requested: 2.5e-7 })] }))).toContain('requested: 0.00000025');
});

test('that a person asked for the end of a trade is a step of its record', () => {
  const asked = someTradeOrders({ close_asked_at: '2026-11-21T06:45:03.999Z' });
  expect(texts(asked).at(-2)).toBe(' Decision: Manual close requested');
});
