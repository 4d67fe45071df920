import { describe, expect, test, vi } from 'vitest';
import type { Fill } from '#engine/account/fill.ts';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import { hourMs } from '#engine/market/durations.ts';
import { ExchangeError, NotListed } from '#engine/ports/exchange-error.ts';
import type { OrderRequest, VenueOrder } from '#engine/ports/trading.ts';
import { InMemoryVenue } from '#engine/simulation/venue.ts';
import type { EntryRefusal, OrderChange, StoredOrder } from '#storage/orders/order-outbox.ts';
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
    entryRefusal: async () => null,
    fillBefore: async () => null,
  };
  const order = new LiveOrder({ ...row }, store);
  order.dueAt = start;
  const refusals: string[] = [];
  const preparing = { result: async (): Promise<EntryRefusal | null> => null };
  const course = new OrderCourse({
    trading: venue,
    times: orderTimes,
    now: () => clock.now,
    prepare: async () => await preparing.result(),
    isHeld: () => false,
    onNews: (of) => void (of.reported = of.news),
    onRefused: (_order, { message }) => void refusals.push(message),
  });
  /** Follows the order for so long, ten times a second. */
  const pass = async (ms: number): Promise<void> => {
    for (const end = clock.now + ms; clock.now < end; clock.now += 100) await course.follow(order);
  };
  return { venue, place, clock, away, order, course, requests, refusals, written, preparing, pass };
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
  endedAt: null,
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
  const lookup = venue.order.bind(venue);
  vi.spyOn(venue, 'order').mockImplementation(async (...of) => {
    looks.push(clock.now - start);
    return await lookup(...of);
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
  const lookup = vi.spyOn(venue, 'order').mockRejectedValue(new ExchangeError('temporary', 'The exchange is away.'));
  await pass(3_000);
  expect(order.stored.state).toBe('planned');
  lookup.mockRestore();
  await pass(1_000);
  expect(order.stored.state).toBe('cancelled');
});

/**
 * An order of which the exchange has said `stoodMs` ago that it stands, and when it is asked about it: in ms since. What is not found by its id is not
 * listed either.
 */
async function standing(answer: () => Promise<never> | Promise<null>, stoodMs: number = orderTimes.listsLag) {
  const course = aCourse(aStop);
  await course.pass(stoodMs);
  expect(course.order.stored.state).toBe('open');
  course.order.doubt(course.clock.now);
  const from = course.clock.now;
  const asked: number[] = [];
  const lookup = vi.spyOn(course.venue, 'order').mockImplementation(async () => {
    asked.push(course.clock.now - from);
    return await answer();
  });
  for (const list of ['openOrders', 'ordersSince'] as const) vi.spyOn(course.venue, list).mockResolvedValue([]);
  return { ...course, asked, lookup };
}

test.each([
  ['unauthorised', 'the key'],
  ['rejected', 'what is asked'],
] as const)(
  'a question whose failure is %s waits as long as a normal check, and is reported once: the exchange refuses %s',
  async (kind, _what) => {
    const { pass, asked, order, refusals, written, lookup } = await standing(async () => Promise.reject(new ExchangeError(kind, 'No.')));
    await pass(61_000);
    expect(asked).toEqual([0, 30_000, 60_000]);
    expect(refusals).toEqual(['No.']);
    expect(order.failure).toMatchObject({ error: { kind } });
    lookup.mockRestore();
    await pass(31_000);
    expect(order.failure).toBeNull();
    expect(written.at(-1)).toBe('open');
  },
);

/** When the exchange is asked something, in ms since; it refuses each time. */
function refusing(
  course: ReturnType<typeof aCourse>,
  question: 'order' | 'cancel' | 'fillsSince',
  kind: 'unauthorised' | 'rejected',
): number[] {
  const from = course.clock.now;
  const asked: number[] = [];
  vi.spyOn(course.venue, question).mockImplementation(async () => {
    asked.push(course.clock.now - from);
    throw new ExchangeError(kind, 'No.');
  });
  return asked;
}

describe.each(['unauthorised', 'rejected'] as const)(
  'OP-85 what a trade waits for is asked again soon, though it was refused: %s',
  (kind) => {
    const soon = [0, orderTimes.retryRefused, 2 * orderTimes.retryRefused];

    test('an order whose answer was lost', async () => {
      const course = aCourse({ ...aStop, state: 'unknown', attempt: 1, expiresAt: start });
      const asked = refusing(course, 'order', kind);
      await course.pass(2 * orderTimes.retryRefused + 100);
      expect(asked).toEqual(soon);
    });

    test.each(['cancel', 'order'] as const)('a stop that stands in the way of an exit, by %s', async (question) => {
      const course = aCourse(aStop);
      await course.pass(100);
      course.order.isCancelWanted = true;
      course.order.dueAt = course.clock.now;
      if (question === 'order') vi.spyOn(course.venue, 'cancel').mockRejectedValue(new ExchangeError('rejected', 'Unknown order.'));
      else vi.spyOn(course.venue, 'order').mockRejectedValue(new ExchangeError(kind, 'No.'));
      const asked = refusing(course, question, kind);
      await course.pass(2 * orderTimes.retryRefused + 100);
      expect(asked).toEqual(soon);
    });

    test('the fills of an entry that stands, without which no stop is placed', async () => {
      const course = aCourse({ price: 100.05, amount: 2 });
      await course.pass(100);
      const asked = refusing(course, 'fillsSince', kind);
      const found = await course.venue.order(symbol, course.order.id);
      if (found === null) throw new Error('The order does not stand');
      vi.spyOn(course.venue, 'order').mockResolvedValue({ ...found, filled: 1 });
      course.order.dueAt = course.clock.now;
      await course.pass(2 * orderTimes.retryRefused + 100);
      expect(asked).toEqual(soon);
    });

    test('the fills of a stop that is not found any more', async () => {
      const course = await standing(async () => null);
      const asked = refusing(course, 'fillsSince', kind);
      await course.pass(2 * orderTimes.lookUpEvery + 2 * orderTimes.retryRefused + 100);
      expect(asked.map((at) => at - 2 * orderTimes.lookUpEvery)).toEqual(soon);
    });
  },
);

test('OP-85 an order that stands in an instrument that is not listed, and cannot be cancelled, is tried again as seldom as an open one is checked', async () => {
  const course = aCourse(aStop);
  await course.pass(100);
  course.order.isCancelWanted = true;
  course.order.dueAt = course.clock.now;
  const from = course.clock.now;
  const asked: number[] = [];
  vi.spyOn(course.venue, 'cancel').mockImplementation(async () => {
    asked.push(course.clock.now - from);
    throw new NotListed('The exchange has no instrument.');
  });
  await course.pass(10_000);
  course.order.dueAt = course.clock.now; // its bot wants it once more
  await course.pass(51_000);
  expect(asked).toEqual([0, expect.any(Number)]);
  expect(asked[1]).toBeGreaterThanOrEqual(orderTimes.checkOpen);
  expect(course.refusals[0]).toBe('The exchange has no instrument.');
  expect(course.order).toMatchObject({ stored: { state: 'open' }, isCancelWanted: true });
});

test('a question that an exchange does not answer is asked again soon, and does not count as a refusal', async () => {
  const { pass, asked, refusals } = await standing(async () => Promise.reject(new ExchangeError('temporary', 'Away.')));
  await pass(1_100);
  expect(asked).toEqual([0, 500, 1_000]);
  expect(refusals).toEqual([]);
});

test.each(['unknown', 'open', 'cancel-pending'] as const)(
  'OP-85 an order that is %s, and that the exchange lists as refused, was taken before: it has ended as one that was cancelled',
  async (state) => {
    const { venue, order, course, written } = aCourse({ ...aStop, state, attempt: 1, expiresAt: start });
    vi.spyOn(venue, 'cancel').mockRejectedValue(new ExchangeError('rejected', 'Unknown order.'));
    vi.spyOn(venue, 'order').mockResolvedValue({
      clientOrderId: order.id,
      exchangeOrderId: '1',
      symbol,
      side: 'sell',
      type: 'stop',
      state: 'refused',
      requested: 2,
      filled: 0,
      price: null,
      stopPrice: 80,
      createdTime: start,
    });
    await course.follow(order);
    expect([written, order.isDone]).toEqual([['cancelled'], true]);
  },
);

test('an order that was refused because it came too late is sent again soon', async () => {
  const { venue, place, clock, requests, pass } = aCourse(aStop);
  vi.spyOn(venue, 'place').mockImplementation(async (request) => {
    requests.push({ ...request, at: clock.now - start });
    if (requests.length > 1) return await place(request);
    clock.now += orderTimes.expiry;
    throw new ExchangeError('rejected', 'Too late.');
  });
  await pass(10_000);
  expect(requests.map(({ at }) => at)).toEqual([0, orderTimes.expiry + orderTimes.retry]);
});

test('OP-85 where each commit takes longer than a request may be on its way, the failure of the order says so, for a bot that begins', async () => {
  const { venue, place, clock, order, requests, pass } = aCourse(aStop);
  clock.sendTakesMs = 2_500;
  // What has expired is not sent.
  vi.spyOn(venue, 'place').mockImplementation(async (request) => {
    requests.push({ ...request, at: clock.now - start });
    if (request.expiresAt <= clock.now) throw new ExchangeError('rejected', 'Too late.');
    return await place(request);
  });
  await pass(10_000);
  expect(order.failure?.error.message).toBe('Too late.');
  expect(requests.map(({ at }) => at)).toEqual([2_500, 5_500, 8_500, 11_500]);
  clock.sendTakesMs = 0;
  await pass(1_000);
  expect([order.stored.state, order.failure]).toEqual(['open', null]);
});

test('OP-85 a stop whose instrument has left the exchange has ended after three looks, though its fills are listed no more', async () => {
  const { venue, pass, asked, order } = await standing(async () => null);
  for (const list of ['openOrders', 'fillsSince'] as const)
    vi.spyOn(venue, list).mockRejectedValue(new NotListed('The exchange has no instrument.'));
  await pass(4_000);
  expect(asked).toEqual([0, 1_000, 2_000]);
  expect(order.stored.state).toBe('cancelled');
  expect(order.isDone).toBe(true);
});

/** What a venue shows of its orders until `isLagging` is false again: nothing. */
function lagging(venue: InMemoryVenue) {
  const lists = { isLagging: true };
  const [order, openOrders, ordersSince] = [venue.order.bind(venue), venue.openOrders.bind(venue), venue.ordersSince.bind(venue)];
  vi.spyOn(venue, 'order').mockImplementation(async (...of) => (lists.isLagging ? null : await order(...of)));
  vi.spyOn(venue, 'openOrders').mockImplementation(async (...of) => (lists.isLagging ? [] : await openOrders(...of)));
  vi.spyOn(venue, 'ordersSince').mockImplementation(async (...of) => (lists.isLagging ? [] : await ordersSince(...of)));
  return lists;
}

/** What the exchange says of an order as it stands. */
async function reportOf({ venue, order }: ReturnType<typeof aCourse>): Promise<VenueOrder> {
  const found = await venue.order(symbol, order.id);
  if (found === null) throw new Error('The order does not stand');
  return found;
}

describe('OP-85 an order that the exchange has just said it has is not taken for ended because its look-ups and lists lag behind', () => {
  type Course = ReturnType<typeof aCourse>;
  /** Ways in which the exchange says so; each leaves the lists lagging. */
  const words: Record<string, (course: Course) => Promise<void>> = {
    'in its answer to the order': async ({ venue, pass }) => {
      lagging(venue);
      await pass(100);
    },
    'in its stream': async (course) => {
      const { venue, order, pass } = course;
      await pass(orderTimes.listsLag + 5_000);
      order.received.push(await reportOf(course));
      lagging(venue);
      await pass(100);
    },
    'as it was looked up': async ({ venue, order, clock, pass }) => {
      await pass(orderTimes.listsLag + 5_000);
      order.doubt(clock.now);
      await pass(100);
      lagging(venue);
    },
    'in one of its lists': async (course) => {
      const { venue, order, clock, pass } = course;
      await pass(orderTimes.listsLag + 5_000);
      const listed = await reportOf(course);
      const lists = lagging(venue);
      vi.spyOn(venue, 'openOrders').mockImplementation(async () => (lists.isLagging ? [listed] : []));
      order.doubt(clock.now);
      await pass(2_100);
      vi.spyOn(venue, 'openOrders').mockImplementation(async () => (lists.isLagging ? [] : [listed]));
    },
    'in an answer to its cancelling that says that it still stands': async (course) => {
      const { venue, order, clock, pass } = course;
      await pass(orderTimes.listsLag + 5_000);
      const standing = await reportOf(course);
      lagging(venue);
      vi.spyOn(venue, 'cancel').mockRejectedValue(new ExchangeError('rejected', 'Unknown order.')).mockResolvedValueOnce(standing);
      order.isCancelWanted = true;
      order.dueAt = clock.now;
      await pass(100);
    },
    'after it would not cancel it': async (course) => {
      const { venue, order, clock, pass } = course;
      await pass(orderTimes.listsLag + 5_000);
      const standing = await reportOf(course);
      lagging(venue);
      vi.spyOn(venue, 'order').mockResolvedValueOnce(null).mockResolvedValueOnce(null).mockResolvedValueOnce(standing);
      vi.spyOn(venue, 'cancel').mockRejectedValue(new ExchangeError('rejected', 'Unknown order.'));
      order.isCancelWanted = true;
      order.dueAt = clock.now;
      await pass(2_100);
      expect(order.stored.state).toBe('open');
    },
  };

  test.each(Object.entries(words))('%s', async (_name, word) => {
    const course = aCourse(aStop);
    const { order, clock, pass } = course;
    await word(course);
    for (let second = 0; second < orderTimes.listsLag / 1_000; second++) {
      order.doubt(clock.now); // the stream was renewed, or the account differs
      await pass(900);
      expect([second, order.isDone]).toEqual([second, false]);
    }
  });

  test('it is found as soon as they have caught up, and known again', async () => {
    const { venue, order, clock, pass, written } = aCourse(aStop);
    const lists = lagging(venue);
    await pass(100);
    order.doubt(clock.now);
    await pass(7_000);
    expect(order.isDoubtful).toBe(true);
    lists.isLagging = false;
    await pass(1_000);
    expect([order.isDoubtful, written]).toEqual([false, ['sent', 'open']]);
  });
});

test('OP-85 an order that has gone just after the exchange had it is noticed as soon as its lists cannot lag behind any more', async () => {
  const { pass, asked, order, written, venue } = await standing(async () => null, 100);
  const lists = vi.spyOn(venue, 'openOrders');
  await pass(orderTimes.listsLag + 1_900);
  expect([order.stored.state, lists.mock.calls.length]).toEqual(['open', 0]); // what is waited for is asked about once a second, and costs no list
  await pass(300);
  expect([written.at(-1), order.isDone, asked.length]).toEqual(['cancelled', true, 13]);
});

test('OP-85 an order that has gone unnoticed is noticed with its next check, as ever', async () => {
  const { pass, asked, order } = await standing(async () => null, orderTimes.checkOpen);
  await pass(2_100);
  expect([asked, order.isDone]).toEqual([[0, 1_000, 2_000], true]);
});

test('OP-85 an exit waits no longer than that for a stop which the exchange will not cancel, and does not find', async () => {
  const { venue, pass, order, clock } = await standing(async () => null, 100);
  vi.spyOn(venue, 'cancel').mockRejectedValue(new ExchangeError('rejected', 'Unknown order.'));
  order.isCancelWanted = true;
  order.dueAt = clock.now;
  await pass(orderTimes.listsLag + 1_800);
  expect(order.stored.state).toBe('cancel-pending');
  await pass(400);
  expect([order.stored.state, order.isDone]).toEqual(['cancelled', true]);
});

test.each([
  ['just before', 1_000, orderTimes.listsLag - 1_000],
  ['long before', hourMs, 0],
  ['by a clock that was ahead', -hourMs, orderTimes.listsLag],
] as const)('OP-85 a process that takes an order up goes by when it was sent: %s', async (_name, agoMs, waitsMs) => {
  const { venue, order, pass } = aCourse({ ...aStop, state: 'open', attempt: 1, expiresAt: start - agoMs });
  lagging(venue);
  await pass(waitsMs + 1_900);
  expect(order.stored.state).toBe('open');
  await pass(300);
  expect(order.stored.state).toBe('cancelled');
});

test('OP-85 it waits no longer where the clock is set back while the exchange is asked', async () => {
  const { venue, order, course, clock, pass } = aCourse({ ...aStop, state: 'open', attempt: 1, expiresAt: start + 2 * hourMs });
  lagging(venue);
  vi.spyOn(venue, 'order').mockImplementationOnce(async () => {
    clock.now -= hourMs;
    order.setBack(hourMs);
    return null;
  });
  await course.follow(order);
  await pass(orderTimes.listsLag + 3_000);
  expect(order.stored.state).toBe('cancelled');
});

test('OP-85 what the stream says of an order while it is not found counts, and not that it is not found', async () => {
  const course = aCourse(aStop);
  const { venue, order, clock, pass } = course;
  await pass(orderTimes.listsLag);
  const report = await reportOf(course);
  lagging(venue);
  vi.spyOn(venue, 'fillsSince').mockImplementation(async () => {
    order.received.push(report);
    return [];
  });
  order.doubt(clock.now);
  await pass(5_000);
  expect(order.stored.state).toBe('open');
});

test('OP-85 an order that is given up for lost, and that the stream says just then is there, is cancelled there', async () => {
  const course = aCourse(aStop);
  const { venue, place, order, pass, written } = course;
  let report: VenueOrder | null = null;
  vi.spyOn(venue, 'place').mockImplementationOnce(async (request) => {
    report = await place(request);
    throw new ExchangeError('unknown', 'There was no answer.');
  });
  lagging(venue);
  await pass(3_500);
  order.isCancelWanted = true;
  let looks = 0;
  vi.spyOn(venue, 'ordersSince').mockImplementation(async () => {
    looks += 1;
    if (looks === 1 && report !== null) order.received.push(report);
    return [];
  });
  await pass(2_500);
  expect([looks, written]).toEqual([1, ['sent', 'unknown', 'open', 'cancel-pending', 'cancelled']]);
});

/** A fill of the order of a course. */
const aFill = (amount: number): Fill => ({
  id: `fill of ${amount}`,
  price: 80,
  amount,
  fee: 0,
  feeCurrency: 'USDT',
  feeInQuote: 0,
  liquidity: 'taker',
  time: start,
});

test.each([
  ['has ended', 'filled', 2, 0],
  ['has ended, and of which one fill is known', 'filled', 2, 0.5],
  ['has been cancelled after it was filled in part', 'cancelled', 1, 0],
] as const)(
  'OP-85 an order that %s is done with its known fills when its instrument has left the exchange',
  async (_name, state, filled, known) => {
    const { venue, order, pass } = aCourse({ ...aStop, state, filled, attempt: 1, endedAt: start - hourMs });
    if (known > 0) order.fills.set('known', aFill(known));
    vi.spyOn(venue, 'fillsSince').mockRejectedValue(new NotListed('The exchange has no instrument.'));
    await pass(100);
    expect(order).toMatchObject({ isDone: true, areFillsLost: true, failure: null, stored: { state, filled: known } });
  },
);

test('OP-85 an order that was filled in part before its instrument left the exchange ends with what is on the disk, and then with its known fills', async () => {
  const course = await standing(async () => null);
  const { venue, order, pass } = course;
  order.stored.filled = 1;
  const written = vi.spyOn(order.store, 'change');
  vi.spyOn(venue, 'fillsSince').mockRejectedValue(new NotListed('The exchange has no instrument.'));
  await pass(4_000);
  expect(written.mock.calls.at(-1)?.[1]).toMatchObject({ path: ['cancelled'], filled: 1 });
  expect(order).toMatchObject({ isDone: false, areFillsLost: false });
  await pass(hourMs);
  expect(order).toMatchObject({ isDone: true, areFillsLost: true, stored: { state: 'cancelled', filled: 0 } });
});

test('OP-85 a list of instruments that lacks one for a while takes no fills away', async () => {
  const { venue, order, pass } = aCourse({ ...aStop, state: 'filled', filled: 2, attempt: 1, endedAt: start });
  const listed = vi.spyOn(venue, 'fillsSince').mockRejectedValue(new NotListed('The exchange has no instrument.'));
  await pass(50 * 60_000);
  expect(order).toMatchObject({ isDone: false, areFillsLost: false, stored: { filled: 2 } });
  listed.mockResolvedValue([{ ...aFill(2), clientOrderId: order.id, symbol, side: 'sell' }]);
  await pass(31_000);
  expect(order).toMatchObject({ isDone: true, areFillsLost: false, stored: { filled: 2 } });
});

test('OP-85 fills that a listed instrument does not list an hour after the end are listed nowhere: their order keeps no bot from starting', async () => {
  const { order, pass } = aCourse({ ...aStop, state: 'cancelled', filled: 1, attempt: 1, endedAt: start - 59 * 60_000 });
  await pass(30_000);
  expect(order).toMatchObject({ isDone: false, stored: { filled: 1 } });
  await pass(60_000);
  expect(order).toMatchObject({ isDone: true, areFillsLost: true, stored: { filled: 0 } });
});

test.each(['temporary', 'rejected', 'unauthorised'] as const)('OP-85 fills that cannot be read are waited for: %s', async (kind) => {
  const { venue, order, pass } = aCourse({ ...aStop, state: 'filled', filled: 2, attempt: 1, endedAt: start - 2 * hourMs });
  vi.spyOn(venue, 'fillsSince').mockRejectedValue(new ExchangeError(kind, 'No fills.'));
  await pass(40_000);
  expect(order).toMatchObject({ isDone: false, areFillsLost: false, stored: { filled: 2 } });
});

test.each(['temporary', 'rejected', 'unauthorised'] as const)(
  'OP-85 an order that is not found has not ended while its fills cannot be read: %s',
  async (kind) => {
    const { venue, pass, order } = await standing(async () => null);
    vi.spyOn(venue, 'fillsSince').mockRejectedValue(new ExchangeError(kind, 'No fills.'));
    await pass(40_000);
    expect(order.stored.state).toBe('open');
  },
);

test('the average price of an order is that of all its fills, weighed by what each brought', () => {
  const { order } = aCourse();
  expect(order.averagePrice()).toBeNull();
  const fee = { fee: 0, feeCurrency: 'USDT', feeInQuote: 0, liquidity: 'taker', time: start } as const;
  order.fills.set('1', { id: '1', price: 100.1, amount: 0.1, ...fee });
  order.fills.set('2', { id: '2', price: 101.3, amount: 0.3, ...fee });
  expect(order.averagePrice()).toBe(101);
});

test('an entry is withdrawn where another bot of the account holds its perpetual otherwise, and its order says so', async () => {
  const { order, requests, written, pass } = aCourse();
  const changes = vi.spyOn(order.store, 'change');
  vi.spyOn(order.store, 'send').mockResolvedValue({ kind: 'opposed', why: 'Another bot holds the opposite.' });
  await pass(100);
  expect([requests, written]).toEqual([[], ['cancelled']]);
  expect(changes.mock.calls[0]?.[1]).toMatchObject({ refusal: 'Another bot holds the opposite.' });
});

test.each([
  [{ kind: 'opposed', why: 'Another bot holds the opposite.' }, 'Another bot holds the opposite.'],
  [{ kind: 'forbidden' }, 'The kill switch forbids entries.'],
] as const)('an entry for which nothing may be set at the exchange is withdrawn, and its order says why: $kind', async (against, why) => {
  const { order, requests, written, preparing, pass } = aCourse();
  const changes = vi.spyOn(order.store, 'change');
  preparing.result = async () => against;
  await pass(100);
  expect([requests, written]).toEqual([[], ['cancelled']]);
  expect(changes.mock.calls[0]?.[1]).toMatchObject({ refusal: why });
});

test('an entry stays planned while the store cannot say whether it may be sent', async () => {
  const { order, requests, written, preparing, pass } = aCourse();
  preparing.result = async () => await Promise.reject(new Error('The database is away.'));
  await expect(pass(100)).rejects.toThrow('The database is away.');
  expect([requests, written, order.stored.state]).toEqual([[], [], 'planned']);
});
