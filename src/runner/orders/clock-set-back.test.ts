import { clientOrderId } from '#engine/bot/state.ts';
import { hourMs } from '#engine/market/durations.ts';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import { InMemoryVenue } from '#engine/simulation/venue.ts';
import type { OrderChange, StoredOrder } from '#storage/orders/order-outbox.ts';
import { expect, onTestFinished, test, vi } from 'vitest';
import { LiveOrder } from './live-order.ts';
import { OrderRoom } from './order-room.ts';
import type { OrderStore } from './order-store.ts';
import { orderTimes } from './order-times.ts';
import { aStoredOrder } from './testing/a-stored-order.ts';

const start = Date.UTC(2026, 0, 1);
const symbol = 'BTC/USDT';
const botId = 'b';

/** A room whose clock is an hour ahead until it is set back, the one row on its disk, and an exchange that can be away. */
async function rig(given: Partial<StoredOrder>) {
  const venue = new InMemoryVenue({
    accountId: 'a',
    instruments: [anInstrument({ symbol })],
    balances: { USDT: 1_000, BTC: 10 },
    time: start,
    remembersIds: 'always',
    feeCurrency: 'quote',
  });
  venue.setPrices(symbol, { bid: 100, ask: 100 });
  const clock = { now: start + hourMs };
  let venueTime = start; // nobody sets the clock of the exchange
  const exchange = {
    setsClockBack: (): void => undefined,
    isStale: false,
    isAway: false,
    isRead: false,
    losesAnswers: null as 'temporary' | 'unknown' | null,
    listed: 0,
    placed: 0,
  };
  const behind =
    <Args extends unknown[], Reply>(call: (...args: Args) => Promise<Reply>) =>
    async (...args: Args): Promise<Reply> => {
      if (exchange.isAway) throw new ExchangeError('temporary', 'The exchange is away.');
      return await call(...args);
    };
  const [place, order] = [behind(venue.place.bind(venue)), behind(venue.order.bind(venue))];
  const [openOrders, ordersSince] = [behind(venue.openOrders.bind(venue)), behind(venue.ordersSince.bind(venue))];
  vi.spyOn(venue, 'place').mockImplementation(async (request) => {
    exchange.placed += 1;
    if (exchange.losesAnswers !== null) throw new ExchangeError(exchange.losesAnswers, 'No answer came.');
    return await place({ ...request, expiresAt: venueTime + request.expiresAt - clock.now }); // by that of the exchange
  });
  vi.spyOn(venue, 'order').mockImplementation(order);
  vi.spyOn(venue, 'ordersSince').mockImplementation(ordersSince);
  vi.spyOn(venue, 'openOrders').mockImplementation(async (of) => {
    exchange.listed += 1;
    return await openOrders(of);
  });
  const row: StoredOrder = {
    ...aStoredOrder({ botId, clientOrderId: clientOrderId(botId, 1), symbol, type: 'market', stopPrice: null, state: 'planned' }),
    attempt: 0,
    expiresAt: null,
    plannedAt: clock.now,
    ...given,
  };
  const store: OrderStore = {
    orders: async () => [{ ...row }],
    async send(_id, _isEntry, expiresInMs) {
      exchange.setsClockBack();
      exchange.setsClockBack = () => undefined;
      if (exchange.isRead) {
        Object.assign(exchange, { isRead: false, isAway: true });
        return { kind: 'moved' };
      }
      Object.assign(row, { state: 'sent', attempt: row.attempt + 1, expiresAt: clock.now + expiresInMs });
      return { kind: 'sent', expiresInMs };
    },
    async change(_id, change: OrderChange) {
      if (exchange.isStale) {
        exchange.isStale = false;
        row.expiresAt = clock.now + 3 * hourMs;
        return false;
      }
      row.state = change.path.at(-1) ?? row.state;
      return true;
    },
    entryRefusal: async () => null,
    fillBefore: async () => null,
  };
  const room = new OrderRoom({
    trading: venue,
    records: {
      bots: async () => [{ id: botId, symbols: [symbol], trades: [], since: start, noted: [], isRestored: false }],
      claims: async () => new Map([[botId, '1']]),
      recorded: async (ids) => new Set(ids),
      ended: async () => new Set(),
      fillBefore: async () => null,
      standing: async () => [],
      note: async () => undefined,
      vanished: async () => undefined,
      start: async () => 'first',
      passed: async () => undefined,
      marginDiffers: async () => undefined,
    },
    times: orderTimes,
    now: () => clock.now,
    onError: (error) => expect.fail(String(error)),
  });
  onTestFinished(() => room.close());
  await room.attach({
    id: botId,
    claim: '1',
    store,
    waiting: () => [{ id: row.clientOrderId, isCancelWanted: false }],
    booked: () => new Map(),
    onReport: () => undefined,
    onNumbersSeen: () => undefined,
    onFailure: () => undefined,
    onRefused: () => undefined,
  });
  room.begin(botId);
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 100, clock.now += 100) {
      venue.setTime((venueTime += 100));
      await room.tick();
      await new Promise((resolve) => setImmediate(resolve)); // a search that is over begins the next tick itself
    }
  };
  const setBack = (): void => {
    clock.now -= hourMs;
    room.setBack(hourMs);
  };
  return { clock, exchange, row, room, pass, setBack };
}

const entry = { purpose: 'entry', side: 'buy' } as const;
const exit = { purpose: 'exit', side: 'sell' } as const;
const aStore: OrderStore = {
  orders: async () => [],
  send: async () => ({ kind: 'moved' }),
  change: async () => false,
  entryRefusal: async () => null,
  fillBefore: async () => null,
};
const searched = orderTimes.expiry + orderTimes.margin;

test('an account whose search has failed is searched again as soon as without the step of the clock', async () => {
  const { exchange, row, room, pass, setBack } = await rig(exit);
  exchange.isAway = true;
  await pass(searched + 1_000);
  setBack();
  exchange.isAway = false;
  await pass(1_000);
  expect([room.isSettled(botId), row.state]).toEqual([true, 'filled']);
});

test('an account that was about to be searched is searched as soon as without the step of the clock', async () => {
  const { exchange, pass, setBack } = await rig(exit);
  await pass(searched - 500);
  setBack();
  await pass(400);
  expect(exchange.listed).toBe(0); // what an earlier process has sent may still arrive
  await pass(300);
  expect(exchange.listed).toBe(1);
});

test('a search that was asked for is made as soon as without the step of the clock', async () => {
  const { exchange, room, pass, setBack } = await rig({ ...entry, type: 'limit', price: 90 });
  await pass(searched + 1_000);
  const { listed } = exchange;
  room.searchSoon();
  setBack();
  await pass(100);
  expect(exchange.listed).toBe(listed + 1);
});

test('an exit that could not be sent is sent as soon as without the step of the clock', async () => {
  const { exchange, row, pass, setBack } = await rig(exit);
  await pass(searched);
  exchange.losesAnswers = 'temporary';
  await pass(200);
  expect([exchange.placed, row.state]).toEqual([1, 'planned']);
  setBack();
  exchange.losesAnswers = null;
  await pass(700);
  expect(row.state).toBe('filled');
});

test('an exit of which no answer came is given up for lost, and sent again, as soon as without the step of the clock', async () => {
  const { exchange, row, pass, setBack } = await rig(exit);
  await pass(searched);
  exchange.losesAnswers = 'unknown';
  await pass(200);
  expect([exchange.placed, row.state]).toEqual([1, 'unknown']);
  setBack();
  exchange.losesAnswers = null;
  await pass(orderTimes.expiry + orderTimes.margin + orderTimes.lookUps * orderTimes.lookUpEvery - 1_200);
  expect(exchange.placed).toBe(1); // it may still arrive
  await pass(1_200);
  expect([exchange.placed, row.state]).toEqual([2, 'filled']);
});

test('an entry that could not be sent is given up when its signal is old, also where the clock was set back meanwhile', async () => {
  const { exchange, row, pass, setBack } = await rig(entry);
  exchange.isAway = true;
  await pass(orderTimes.entryIsWanted / 2);
  setBack();
  await pass(orderTimes.entryIsWanted / 2 + 200);
  exchange.isAway = false;
  await pass(2_000);
  expect([row.state, exchange.placed]).toEqual(['cancelled', 0]);
});

test.for(['cannot be sent', 'is read again from the disk'] as const)(
  'an entry that a clock of before has planned in the future, and that %s, is not younger than its process',
  async (why) => {
    const { exchange, row, pass } = await rig({ ...entry, plannedAt: start + 3 * hourMs });
    exchange[why === 'cannot be sent' ? 'isAway' : 'isRead'] = true;
    await pass(orderTimes.entryIsWanted + 200);
    exchange.isAway = false;
    await pass(2_000);
    expect(row.state).toBe('cancelled');
  },
);

test.for(['when its process takes it up', 'when it is read again'] as const)(
  'an order on its way whose expiry the disk has in the future %s is looked for as long as any other, and sent again',
  async (when) => {
    const isTaken = when === 'when its process takes it up';
    const { exchange, row, pass } = await rig({ ...exit, state: 'unknown', attempt: 1, expiresAt: start + (isTaken ? 3 * hourMs : 0) });
    if (!isTaken) exchange.isStale = true; // its next change is refused, and the row is read
    await pass(searched + orderTimes.expiry + orderTimes.margin + (orderTimes.lookUps + 2) * orderTimes.lookUpEvery);
    expect([exchange.placed, row.state]).toEqual([1, 'filled']);
  },
);

test('an order that is sent while the clock is set back expires as soon as any other', async () => {
  const { exchange, row, pass, clock } = await rig(exit);
  await pass(searched);
  exchange.losesAnswers = 'unknown';
  exchange.setsClockBack = () => void (clock.now -= hourMs); // between the question for a permit and its answer
  await pass(200);
  expect([exchange.placed, row.state]).toEqual([1, 'unknown']);
  exchange.losesAnswers = null;
  await pass(orderTimes.expiry + orderTimes.margin + (orderTimes.lookUps + 1) * orderTimes.lookUpEvery);
  expect([exchange.placed, row.state]).toEqual([2, 'filled']);
});

test('all times of an order move with the clock', () => {
  const given = { plannedAt: 9, expiresAt: 8, endedAt: 7 };
  const row = aStoredOrder({ botId, clientOrderId: clientOrderId(botId, 1), symbol, ...given });
  const order = new LiveOrder(row, aStore);
  Object.assign(order, { dueAt: 6, noCancelBefore: 5 });
  order.setBack(5);
  expect([order.stored.plannedAt, order.stored.expiresAt, order.stored.endedAt, order.dueAt, order.noCancelBefore]).toEqual([
    4, 3, 2, 1, 0,
  ]);
  order.confirm(20);
  order.setBack(5);
  expect([order.isJustConfirmed(24, 10), order.isJustConfirmed(25, 10)]).toEqual([true, false]);
  const young = new LiveOrder({ ...row, expiresAt: null, endedAt: null }, aStore);
  young.setBack(5);
  expect([young.stored.expiresAt, young.stored.endedAt]).toEqual([null, null]);
});
