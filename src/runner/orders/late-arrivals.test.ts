import { expect, test } from 'vitest';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import { clientOrderId } from '#engine/bot/state.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import { InMemoryVenue } from '#engine/simulation/venue.ts';
import type { OrderChange, StoredOrder } from '#storage/orders/order-outbox.ts';
import { noRecords } from '../simulation/no-records.ts';
import { LiveOrder } from './live-order.ts';
import { OrderCourse } from './order-course.ts';
import { OrderRoom } from './order-room.ts';
import type { OrderStore } from './order-store.ts';
import { orderTimes } from './order-times.ts';

// On a slow disk a request to sell may be on its way for longer than others. The exchange here takes the id of an ended order again, as Binance does.

const start = Date.UTC(2026, 0, 1);
const symbol = 'BTC/USDT';
const botId = 'b0000000-0000-4000-8000-000000000001';
const id = clientOrderId(botId, 1);

const exit: StoredOrder = {
  botId,
  clientOrderId: id,
  symbol,
  purpose: 'exit',
  side: 'sell',
  type: 'market',
  amount: 2,
  price: null,
  stopPrice: null,
  timeInForce: 'GTC',
  reduceOnly: false,
  leverage: 1,
  marginMode: null,
  state: 'sent',
  attempt: 2,
  plannedAt: start - 8_000,
  expiresAt: null,
  endedAt: null,
  filled: 0,
};

/** An account with 10 BTC, the row of an exit, and when it was sent, in ms after the start. */
function anAccount(given: Partial<StoredOrder>) {
  const venue = new InMemoryVenue({
    accountId: 'account',
    instruments: [anInstrument({ symbol })],
    balances: { USDT: 0, BTC: 10 },
    time: start,
    remembersIds: 'while-open',
    feeCurrency: 'quote',
  });
  venue.setPrices(symbol, { bid: 100, ask: 100.1 });
  venue.watch = () => () => undefined; // its stream says nothing of what arrives
  const clock = { now: start };
  const row: StoredOrder = { ...exit, ...given };
  const sentAt: number[] = [];
  const place = venue.place.bind(venue);
  venue.place = async (request) => {
    sentAt.push(clock.now - start);
    return await place(request);
  };
  const store: OrderStore = {
    orders: async () => [{ ...row }],
    async send(_id, _isEntry, expiryMs) {
      Object.assign(row, { state: 'sent', attempt: row.attempt + 1, expiresAt: clock.now + expiryMs });
      return { kind: 'sent', expiresInMs: expiryMs };
    },
    async change(_id, change: OrderChange) {
      row.state = change.path.at(-1) ?? row.state;
      row.filled = change.filled ?? row.filled;
      return true;
    },
    entryRefusal: async () => null,
    fillBefore: async () => null,
  };
  /** The request of before comes to the exchange. */
  const arrive = async (expiresAt: number): Promise<void> => {
    const { side, type, amount, price, stopPrice, reduceOnly } = exit;
    const request = { clientOrderId: id, symbol, side, type, amount, price, stopPrice, reduceOnly, isEntry: false, expiresAt };
    await place(request);
  };
  const coins = async (): Promise<number> => (await venue.balances()).find(({ currency }) => currency === 'BTC')?.free ?? 0;
  return { venue, clock, row, sentAt, store, arrive, coins };
}

/** A process that begins with what is on the disk, while a request of the one before it may still arrive at a time; -1: never. */
async function takeOver(given: Partial<StoredOrder>, arrivesAt: number) {
  const { venue, clock, row, sentAt, store, arrive, coins } = anAccount(given);
  const failures: unknown[] = [];
  const room = new OrderRoom({
    trading: venue,
    records: noRecords,
    times: orderTimes,
    now: () => clock.now,
    onError: (error) => failures.push(error),
  });
  await room.attach({
    id: botId,
    claim: '2',
    onNumbersSeen: () => undefined,
    store,
    waiting: () => [{ id, isCancelWanted: false }],
    booked: () => new Map(),
    onReport: () => undefined,
    onFailure: (error) => failures.push(error),
    onRefused: (error) => failures.push(error),
  });
  for (let ms = 0; ms <= 30_000; ms += 100) {
    clock.now = start + ms;
    venue.setTime(clock.now);
    if (ms === arrivesAt) await arrive(clock.now + 100);
    await room.tick();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(failures).toEqual([]);
  return { sentAt, state: row.state, coins: await coins() };
}

const longest = orderTimes.longestExpiry;

test('OP-85 a process that takes over waits for as long as an exit may still arrive', async () => {
  const outcome = await takeOver({ expiresAt: start + longest }, longest - 100);
  expect(outcome).toEqual({ sentAt: [], state: 'filled', coins: 8 });
});

test('OP-85 also where the disk has lost its newest attempt', async () => {
  expect(await takeOver({ attempt: 1, expiresAt: start - 1_000 }, longest - 100)).toMatchObject({ sentAt: [], coins: 8 });
  expect(await takeOver({ state: 'planned', attempt: 1 }, longest - 100)).toMatchObject({ sentAt: [], coins: 8 });
});

test('OP-85 what did not arrive by then is sent', async () => {
  for (const given of [{ expiresAt: start + longest }, { state: 'planned', attempt: 1 }] as const) {
    const { sentAt, coins, state } = await takeOver(given, -1);
    expect([sentAt.length, coins, state]).toEqual([1, 8, 'filled']);
    expect(sentAt[0]).toBeGreaterThanOrEqual(longest + orderTimes.margin);
    expect(sentAt[0]).toBeLessThan(longest + orderTimes.margin + 4_000);
  }
});

test('OP-85 an entry, and what was never sent, wait no longer than before', async () => {
  const entry = { purpose: 'entry', side: 'buy', amount: 1, type: 'limit', price: 90 } as const;
  const soon = orderTimes.expiry + orderTimes.margin;
  const { sentAt } = await takeOver({ state: 'planned', attempt: 0, plannedAt: start }, -1);
  expect(sentAt).toEqual([soon]);
  const again = await takeOver({ ...entry, state: 'sent', attempt: 1, expiresAt: start, plannedAt: start }, -1);
  expect(again.sentAt[0]).toBeLessThanOrEqual(soon + 3 * orderTimes.lookUpEvery);
});

test('OP-85 an exit whose loss was written without an answer is not sent again before it can no longer arrive', async () => {
  const { venue, clock, row, sentAt, store, arrive, coins } = anAccount({ state: 'planned', attempt: 0 });
  const order = new LiveOrder({ ...row }, store);
  order.dueAt = start;
  order.permitTook = longest / 2;
  const placed = venue.place.bind(venue);
  let arrivesAt = Infinity;
  // No answer comes to the first request, which arrives late.
  venue.place = async (request) => {
    if (sentAt.length > 0) return await placed(request);
    sentAt.push(0);
    arrivesAt = request.expiresAt - 100;
    throw new ExchangeError('unknown', 'There was no answer.');
  };
  // The write that it is lost is done, and nobody learns of it.
  const change = store.change.bind(store);
  let lostWrites = 1;
  store.change = async (of, what) => {
    const isDone = await change(of, what);
    if (lostWrites-- > 0) throw new Error('Connection terminated');
    return isDone;
  };
  const course = new OrderCourse({
    trading: venue,
    times: orderTimes,
    now: () => clock.now,
    prepare: async () => null,
    onNews: (of) => void (of.reported = of.news),
    onRefused: () => undefined,
  });
  await expect(course.follow(order)).rejects.toThrow('Connection terminated');
  store.change = async (of, what) => (what.from === row.state ? await change(of, what) : false); // the disk knows where it is
  for (let ms = 500; ms <= 30_000; ms += 100) {
    clock.now = start + ms;
    venue.setTime(clock.now);
    if (clock.now === arrivesAt) await arrive(clock.now + 100);
    await course.follow(order);
  }
  expect([arrivesAt - start, sentAt, await coins(), row.state]).toEqual([longest - 100, [0], 8, 'filled']);
});
