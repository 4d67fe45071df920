import { expect, test, vi } from 'vitest';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import type { OrderRequest } from '#engine/ports/trading.ts';
import { InMemoryVenue } from '#engine/simulation/venue.ts';
import type { OrderChange, StoredOrder } from '#storage/orders/order-outbox.ts';
import { LiveOrder } from './live-order.ts';
import { OrderCourse } from './order-course.ts';
import type { OrderStore } from './order-store.ts';
import { orderTimes } from './order-times.ts';

const start = Date.UTC(2026, 0, 1);
const symbol = 'BTC/USDT';

/** A planned order, its course, and an exchange that is away until a time. Whatever takes long is added to the clock by a test. */
function aCourse(given: Partial<StoredOrder> = {}) {
  const venue = new InMemoryVenue({
    accountId: 'account',
    instruments: [anInstrument({ symbol })],
    balances: { USDT: 1_000, BTC: 2 },
    time: start,
    remembersIds: 'always',
    feeCurrency: 'quote',
  });
  venue.setPrices(symbol, { bid: 100, ask: 100.1 });
  const clock = { now: start, sendTakesMs: 0 };
  const away = { until: 0, retryAfterMs: null as number | null };
  const requests: (OrderRequest & { at: number })[] = [];
  const place = venue.place.bind(venue);
  vi.spyOn(venue, 'place').mockImplementation(async (request) => {
    requests.push({ ...request, at: clock.now - start });
    if (clock.now < away.until) throw new ExchangeError('temporary', 'The exchange is away.', { retryAfterMs: away.retryAfterMs });
    return await place(request);
  });
  const row: StoredOrder = { ...planned, ...given };
  const written: string[] = [];
  const store: OrderStore = {
    orders: async () => [{ ...row }],
    async send(_id, _isEntry, expiryMs) {
      clock.now += clock.sendTakesMs;
      written.push('sent');
      row.state = 'sent';
      return { kind: 'sent', expiresInMs: expiryMs };
    },
    async change(_id, change: OrderChange) {
      written.push(...change.path);
      row.state = change.path.at(-1) ?? row.state;
      return true;
    },
    fillBefore: async () => null,
  };
  const order = new LiveOrder({ ...row }, store);
  order.dueAt = start;
  const course = new OrderCourse({
    trading: venue,
    times: orderTimes,
    now: () => clock.now,
    prepare: async () => undefined,
    onNews: (of) => void (of.reported = of.news),
  });
  /** Follows the order for so long, ten times a second. */
  const pass = async (ms: number): Promise<void> => {
    for (const end = clock.now + ms; clock.now < end; clock.now += 100) await course.follow(order);
  };
  return { venue, place, clock, away, order, course, requests, written, pass };
}

const planned: StoredOrder = {
  botId: 'b',
  clientOrderId: 'fl-b-1',
  symbol,
  purpose: 'entry',
  side: 'buy',
  type: 'limit',
  amount: 2,
  price: 90,
  stopPrice: null,
  timeInForce: 'GTC',
  reduceOnly: false,
  leverage: 1,
  marginMode: null,
  state: 'planned',
  attempt: 0,
  plannedAt: start,
  expiresAt: null,
  filled: 0,
};
const aStop: Partial<StoredOrder> = { purpose: 'stop', side: 'sell', type: 'stop', price: null, stopPrice: 80 };

test('OP-85 an order may arrive as long after its permit was asked for as that says, however long the answer took', async () => {
  const { clock, course, order, requests } = aCourse();
  clock.sendTakesMs = 1_500;
  await course.follow(order);
  expect(requests).toMatchObject([{ at: 1_500, expiresAt: start + orderTimes.expiry }]);
});

test('an exchange that says when it may be asked again is not asked before, and its order is written once for each try', async () => {
  const { away, requests, written, pass } = aCourse();
  Object.assign(away, { until: start + 29_950, retryAfterMs: 30_000 });
  await pass(29_900);
  expect(requests.map(({ at }) => at)).toEqual([0]);
  expect(written).toEqual(['sent', 'unknown', 'planned']);
  await pass(200);
  expect(requests.map(({ at }) => at)).toEqual([0, 30_000]);
  expect(written.slice(3)).toEqual(['sent', 'open']);
});

test('one that says nothing of that is asked again after half a second', async () => {
  const { away, requests, pass } = aCourse();
  away.until = start + 700;
  await pass(2_000);
  expect(requests.map(({ at }) => at)).toEqual([0, 500, 1_000]);
});

test.each([
  ['an entry is given up', {}, 'cancelled'],
  ['a stop is sent', aStop, 'open'],
  ['an exit is sent', { purpose: 'exit', side: 'sell', type: 'market', price: null }, 'filled'],
] as const)('after an exchange was away for 61 seconds %s', async (_name, given, state) => {
  const { away, order, requests, pass } = aCourse(given);
  away.until = start + 61_000;
  await pass(62_000);
  expect(order.stored.state).toBe(state);
  expect(requests.filter(({ at }) => at >= 61_000)).toHaveLength(state === 'cancelled' ? 0 : 1);
});

test('OP-85 an order whose answer was lost is sent again only when it can no longer arrive, and was not found three times since', async () => {
  const { venue, order, requests, written, pass, clock } = aCourse(aStop);
  vi.spyOn(venue, 'place').mockImplementationOnce(async (request) => {
    requests.push({ ...request, at: clock.now - start });
    throw new ExchangeError('unknown', 'There was no answer.');
  });
  const looks: number[] = [];
  const look = venue.order.bind(venue);
  vi.spyOn(venue, 'order').mockImplementation(async (...of) => {
    looks.push(clock.now - start);
    return await look(...of);
  });
  await pass(8_000);
  const { expiry, margin, lookUps } = orderTimes;
  expect(requests.map(({ at }) => at)).toEqual([0, expect.any(Number)]);
  expect(looks.filter((at) => at >= expiry + margin && at <= (requests[1]?.at ?? 0)).length).toBeGreaterThanOrEqual(lookUps);
  expect(written).toEqual(['sent', 'unknown', 'planned', 'sent', 'open']);
  expect(order.stored.state).toBe('open');
});

test.each([
  ['refuses because it has taken it before', 'rejected'],
  ['refuses for want of a right', 'unauthorised'],
] as const)('OP-85 an order that an exchange %s is looked up before it is believed to be refused', async (_name, kind) => {
  const { venue, place, order, written, pass } = aCourse();
  vi.spyOn(venue, 'place').mockImplementationOnce(async (request) => {
    await place(request); // by an attempt of which nobody knows
    throw new ExchangeError(kind, 'The exchange said no.');
  });
  await pass(200);
  expect(order.stored.state).toBe('open');
  expect(written).toEqual(['sent', 'open']);
});

test('OP-85 an order that an exchange has taken although it said that it had done nothing is not left behind when it is no longer wanted', async () => {
  const { venue, place, order, written, pass } = aCourse(aStop);
  vi.spyOn(venue, 'place').mockImplementationOnce(async (request) => {
    await place(request);
    throw new ExchangeError('temporary', 'Too many requests.', { retryAfterMs: 2_000 });
  });
  await pass(500);
  order.isCancelWanted = true;
  await pass(3_000);
  expect(await venue.openOrders(symbol)).toEqual([]);
  expect(order.stored.state).toBe('cancelled');
  expect(written).toEqual(['sent', 'unknown', 'planned', 'sent', 'open', 'cancel-pending', 'cancelled']);
});

test('an order that was sent and is no longer wanted waits with its end until the exchange says that it is not there', async () => {
  const { venue, order, away, pass } = aCourse(aStop);
  away.until = Infinity;
  await pass(200);
  order.isCancelWanted = true;
  const look = vi.spyOn(venue, 'order').mockRejectedValue(new ExchangeError('temporary', 'The exchange is away.'));
  await pass(3_000);
  expect(order.stored.state).toBe('planned');
  look.mockRestore();
  await pass(1_000);
  expect(order.stored.state).toBe('cancelled');
});

test('the average price of an order is that of all its fills, weighed by what each brought', () => {
  const { order } = aCourse();
  expect(order.averagePrice()).toBeNull();
  const fee = { fee: 0, feeCurrency: 'USDT', feeInQuote: 0, liquidity: 'taker', time: start } as const;
  order.fills.set('1', { id: '1', price: 100.1, amount: 0.1, ...fee });
  order.fills.set('2', { id: '2', price: 101.3, amount: 0.3, ...fee });
  expect(order.averagePrice()).toBe(101);
});
