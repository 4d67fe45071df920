import { expect, test, vi } from 'vitest';
import type { OrderReport } from '#engine/bot/event.ts';
import { hourMs } from '#engine/market/durations.ts';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import { clientOrderId } from '#engine/bot/state.ts';
import type { AccountReport, VenueFill } from '#engine/ports/trading.ts';
import { InMemoryVenue } from '#engine/simulation/venue.ts';
import type { OrderChange, StoredOrder } from '#storage/orders/order-outbox.ts';
import { noRecords } from '../simulation/no-records.ts';
import { OrderRoom } from './order-room.ts';
import type { RoomBot } from './order-room.ts';
import type { OrderStore } from './order-store.ts';
import { orderTimes } from './order-times.ts';

const start = Date.UTC(2026, 0, 1);
const symbol = 'BTC/USDT';
const botId = 'b0000000-0000-4000-8000-000000000001';
const id = clientOrderId(botId, 1);

/** An account whose stream says only what a test lets it say, and whose list of fills can have more. */
class TalkingVenue extends InMemoryVenue {
  readonly lateFills: VenueFill[] = [];
  say: (report: AccountReport) => void = () => undefined;

  override watch(listener: (report: AccountReport) => void): () => void {
    this.say = listener;
    return () => undefined;
  }

  override async fillsSince(of: string, afterId: string | null): Promise<VenueFill[]> {
    return [...(await super.fillsSince(of, afterId)), ...this.lateFills];
  }
}

/** A bot at a limit order that stands below the price, its rows, and the room that follows it. */
async function aRoom(
  given: Partial<StoredOrder> = {},
  balances: Record<string, number> = { USDT: 1_000 },
  { onError = (error: unknown): void => expect.fail(String(error)) } = {},
) {
  const venue = new TalkingVenue({
    accountId: 'account',
    instruments: [anInstrument({ symbol })],
    balances,
    time: start,
    remembersIds: 'always',
    feeCurrency: 'quote',
  });
  venue.setPrices(symbol, { bid: 100, ask: 100.1 });
  let now = start;
  let offset = 0; // nobody sets the clock of the exchange
  const room = new OrderRoom({
    trading: venue,
    records: noRecords,
    times: orderTimes,
    now: () => now,
    onError,
  });
  const row: StoredOrder = { ...planned, ...given };
  const changes: OrderChange[] = [];
  const store: OrderStore = {
    orders: async () => [{ ...row }],
    async send() {
      row.state = 'sent';
      row.attempt += 1;
      row.expiresAt = now + 2_000;
      return { kind: 'sent', expiresInMs: 2_000 };
    },
    async change(_id, change) {
      changes.push(change);
      row.state = change.path.at(-1) ?? row.state;
      row.filled = change.filled ?? row.filled;
      return true;
    },
    entryRefusal: async () => null,
    fillBefore: async () => null,
  };
  const reports: OrderReport[] = [];
  const bot: RoomBot & { isCancelWanted: boolean } = {
    id: botId,
    claim: '1',
    onNumbersSeen: () => undefined,
    store,
    isCancelWanted: false,
    waiting: () => [{ id, isCancelWanted: bot.isCancelWanted }],
    booked: () => new Map(),
    onReport: (_order, report) => void reports.push(report),
    onFailure: (error) => expect.fail(String(error)),
    onRefused: (error) => expect.fail(String(error)),
  };
  const pass = (ms: number): void => venue.setTime((now += ms) + offset);
  const setBack = (ms: number): void => {
    now -= ms;
    offset += ms;
    room.setBack(ms);
  };
  await room.attach(bot);
  room.begin(botId);
  pass(orderTimes.expiry + orderTimes.margin); // then the account is searched
  await room.tick();
  await expect.poll(() => row.state).toBe(given.purpose === undefined ? 'open' : 'refused');
  return { venue, room, bot, reports, changes, row, pass, setBack };
}

const planned: StoredOrder = {
  botId,
  clientOrderId: id,
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

const aFill = (amount: number, price: number): VenueFill => ({
  id: `late ${amount}`,
  clientOrderId: id,
  symbol,
  side: 'buy',
  price,
  amount,
  fee: 0,
  feeCurrency: 'USDT',
  feeInQuote: 0,
  liquidity: 'maker',
  time: start + 1_000,
});

test('after a gap in the stream a standing order is asked about at once: what was filled meanwhile gets its stop', async () => {
  const { venue, room, reports } = await aRoom();
  venue.setPrices(symbol, { bid: 80, ask: 80.1 });
  await room.tick();
  expect(reports.at(-1)).toMatchObject({ state: 'open', filled: 0 }); // it is not due yet, and the stream has said nothing
  venue.say({ kind: 'gap' });
  await expect.poll(() => reports.at(-1)).toMatchObject({ state: 'filled', filled: 2 });
});

test('a bot that starts again beside its room receives its standing order at once', async () => {
  const { room, bot, reports } = await aRoom();
  expect(reports.at(-1)).toMatchObject({ state: 'open', filled: 0 });
  expect(room.isSettled(botId)).toBe(true);
  const received: OrderReport[] = [];
  await room.attach({ ...bot, onReport: (_order, report) => void received.push(report) });
  expect(received).toMatchObject([{ state: 'open', requested: 2, filled: 0 }]);
  expect(room.isSettled(botId)).toBe(false); // the process may have stood still: it is asked about first
  await room.tick();
  expect(room.isSettled(botId)).toBe(true);
});

test('a bot that starts again after its process stood still is settled once it has what was filled meanwhile', async () => {
  const { venue, room, bot, reports } = await aRoom();
  venue.setPrices(symbol, { bid: 89, ask: 89.5 }); // it is filled, and the stream says nothing
  await room.attach(bot);
  expect(room.isSettled(botId)).toBe(false);
  await room.tick();
  expect(reports.at(-1)).toMatchObject({ state: 'filled', filled: 2 });
  expect(room.isSettled(botId)).toBe(true);
});

test('OP-85 a bot that another process had meanwhile, or whose database has lost what was written, goes by what is on the disk', async () => {
  const { venue, room, bot, row, changes, pass } = await aRoom();
  const [places, before] = [vi.spyOn(venue, 'place'), changes.length];
  Object.assign(row, { state: 'planned', attempt: 0, expiresAt: null });
  await room.attach({ ...bot, claim: '2' });
  await room.tick();
  expect([room.isSettled(botId), changes.length, places.mock.calls]).toEqual([false, before, []]); // the account is searched first
  pass(orderTimes.expiry + orderTimes.margin);
  await room.tick();
  room.begin(botId);
  await expect.poll(() => row.state).toBe('open');
  expect(await venue.openOrders(symbol)).toHaveLength(1);
});

test.each([
  ['an exit', { purpose: 'exit', side: 'sell', price: 200 }],
  ['an entry', { purpose: 'entry' }],
] as const)(
  'OP-85 %s of before waits until its account was compared, also while its bot is changed, and no longer',
  async (_name, given) => {
    const { venue, room, bot, row, pass } = await aRoom();
    await venue.cancel(symbol, id);
    expect(room.hasBegun(botId)).toBe(true);
    Object.assign(row, { clientOrderId: clientOrderId(botId, 2), state: 'planned', ...given });
    const waiting = () => [{ id: row.clientOrderId, isCancelWanted: false }];
    const second = { ...bot, claim: '2', waiting };
    await room.attach(second);
    pass(orderTimes.expiry + orderTimes.margin);
    await room.tick();
    // Nobody waits for what waits for the comparison.
    expect([room.isSettled(botId), room.hasBegun(botId), row.state, room.dueAt]).toEqual([true, false, 'planned', Infinity]);
    room.detach(second);
    await room.tick();
    await room.attach(second);
    pass(1_000);
    await room.tick();
    expect([row.state, await venue.openOrders(symbol)]).toEqual(['planned', []]);
    room.begin(botId);
    await expect.poll(() => row.state).toBe(given.purpose === 'entry' ? 'open' : 'refused'); // there is nothing to be sold
  },
);

test('OP-85 a stop of before is sent before the account was compared: what limits a loss does not wait', async () => {
  const { venue, room, bot, row, pass } = await aRoom({}, { USDT: 1_000, BTC: 2 });
  await venue.cancel(symbol, id);
  const stop = { purpose: 'stop', side: 'sell', type: 'stop', price: null, stopPrice: 80, state: 'planned' } as const;
  Object.assign(row, { clientOrderId: clientOrderId(botId, 2), ...stop });
  await room.attach({ ...bot, claim: '2', waiting: () => [{ id: row.clientOrderId, isCancelWanted: false }] });
  pass(orderTimes.expiry + orderTimes.margin);
  await room.tick();
  await expect.poll(() => row.state).toBe('open');
  expect([room.hasBegun(botId), await venue.openOrders(symbol)]).toMatchObject([false, [{ type: 'stop' }]]);
});

test('OP-85 a late fill whose order could not be read counts as soon as the database answers', async () => {
  const { venue, room, reports, changes, say, pass } = await aLateFill();
  const before = changes.length;
  venue.say(say);
  await expect.poll(() => room.dueAt).toBeLessThan(Infinity);
  pass(orderTimes.retry);
  await room.tick();
  await expect.poll(() => reports.at(-1)).toMatchObject({ state: 'cancelled', filled: 0.5, fills: [{ id: 'late 0.5' }] });
  expect(changes.slice(before)).toMatchObject([{ filled: 0.5 }]);
  await room.tick();
  expect(room.dueAt).toBe(Infinity);
});

test('OP-85 it counts as soon where the clock is set back meanwhile', async () => {
  const { venue, room, reports, say, pass, setBack } = await aLateFill();
  venue.say(say);
  await expect.poll(() => room.dueAt).toBeLessThan(Infinity);
  setBack(hourMs);
  pass(orderTimes.retry);
  await room.tick();
  await expect.poll(() => reports.at(-1)).toMatchObject({ state: 'cancelled', filled: 0.5, fills: [{ id: 'late 0.5' }] });
});

test('OP-85 it counts also where the database was away for so long that the bot was lost, and is back', async () => {
  const { venue, room, bot, reports, say, pass } = await aLateFill();
  venue.say(say);
  await expect.poll(() => room.dueAt).toBeLessThan(Infinity);
  room.detach(bot);
  for (let seconds = 0; seconds < 60; seconds += 10) {
    pass(10_000);
    await room.tick();
  }
  await room.attach({ ...bot, waiting: () => [], booked: () => new Map([[id, 0]]), claim: '2' });
  pass(orderTimes.expiry + orderTimes.margin);
  await room.tick();
  await expect.poll(() => reports.at(-1)).toMatchObject({ state: 'cancelled', fills: [{ id: 'late 0.5' }] });
  pass(orderTimes.fillsComeFor);
  await room.tick();
  expect(room.dueAt).toBe(Infinity);
});

/** A cancelled order that is followed no longer, and the news that some of it was filled, which the database does not answer to once. */
async function aLateFill() {
  const made = await aRoom({}, { USDT: 1_000 }, { onError: () => undefined });
  const { venue, room, bot, row } = made;
  bot.isCancelWanted = true;
  room.decided(botId, []);
  await expect.poll(() => row.state).toBe('cancelled');
  await room.tick();
  expect(room.dueAt).toBe(Infinity);
  venue.lateFills.push(aFill(0.5, 90));
  const orders = bot.store.orders.bind(bot.store);
  bot.store.orders = async () => {
    bot.store.orders = orders;
    return await Promise.reject(new Error('The database is away.'));
  };
  const say = { kind: 'order' as const, order: { ...(await venue.order(symbol, id))!, filled: 0.5 }, fill: aFill(0.5, 90) };
  return { ...made, say };
}

test('OP-85 a late fill that could not be written before its bot was lost counts when the bot is back', async () => {
  const { venue, room, bot, row, reports, pass } = await aRoom();
  bot.isCancelWanted = true;
  room.decided(botId, []);
  await expect.poll(() => row.state).toBe('cancelled');
  await room.tick();
  const away = { ...bot.store, change: async () => await Promise.reject(new Error('The database is away.')) };
  const errors = vi.fn<(error: unknown) => void>();
  await room.attach({ ...bot, store: away, onFailure: errors });
  venue.say({ kind: 'order', order: { ...(await venue.order(symbol, id))!, filled: 0.5 }, fill: aFill(0.5, 90) });
  await expect.poll(() => errors.mock.calls.length).toBeGreaterThan(0);
  const booked = { waiting: () => [], booked: () => new Map([[id, 0]]) };
  await room.attach({ ...bot, ...booked, claim: '2' });
  pass(orderTimes.expiry + orderTimes.margin);
  await room.tick();
  await expect.poll(() => reports.at(-1)).toMatchObject({ state: 'cancelled', fills: [{ id: 'late 0.5' }] });
});

test('what is still under way for a bot of before another process had it does not concern the bot', async () => {
  const { venue, room, bot, row, pass } = await aRoom();
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<never>()];
  vi.spyOn(venue, 'cancel').mockImplementationOnce(async () => {
    asked.resolve();
    return await answer.promise;
  });
  bot.isCancelWanted = true;
  room.decided(botId, []);
  await asked.promise;
  await room.attach({ ...bot, claim: '2', store: { ...bot.store } }); // a failure of it would fail the test
  answer.reject(new Error('The bot is another process’s.'));
  pass(orderTimes.expiry + orderTimes.margin);
  await expect.poll(async () => [await room.tick(), row.state][1]).toBe('cancelled');
});

test('of an order in doubt nothing is certain before the exchange has answered a question of after that', async () => {
  const { venue, room } = await aRoom();
  expect([room.isCertainOf([]), room.isCertainOf([id]), room.isCertainOf([id, 'another'])]).toEqual([true, true, false]);
  const { promise, resolve } = Promise.withResolvers<void>();
  const ask = venue.order.bind(venue);
  let asked = 0;
  venue.order = async (...args) => {
    if (++asked === 1) await promise;
    return await ask(...args);
  };
  room.doubt('ETH/USDT');
  expect([asked, room.isCertainOf([id])]).toEqual([0, true]);
  room.doubt(symbol);
  await expect.poll(() => asked).toBe(1);
  room.doubt(symbol); // while the first question is on its way
  resolve();
  await expect.poll(() => room.isCertainOf([id])).toBe(true);
  expect(asked).toBe(2);
});

test('a fill that is reported after its order has ended is written and reported to the bot', async () => {
  const { venue, room, bot, reports, row, pass, changes } = await aRoom();
  bot.isCancelWanted = true;
  room.decided(botId, []);
  await expect.poll(() => row.state).toBe('cancelled');
  await room.tick();
  expect(reports.at(-1)).toMatchObject({ state: 'cancelled', filled: 0, fills: [] });
  expect(room.dueAt).toBe(Infinity); // it is followed no longer
  const before = reports.length;

  pass(1_000);
  const late = aFill(0.5, 90);
  venue.lateFills.push(late);
  const order = { ...(await venue.order(symbol, id))!, filled: 0.5 };
  venue.say({ kind: 'order', order, fill: late });
  await expect.poll(() => reports.length).toBe(before + 1);
  expect(reports.at(-1)).toMatchObject({ state: 'cancelled', filled: 0.5, fills: [{ id: 'late 0.5', amount: 0.5, price: 90 }] });
  expect(changes.at(-1)).toMatchObject({ path: [], filled: 0.5, averagePrice: 90 });

  venue.say({ kind: 'order', order, fill: late }); // streams repeat themselves
  venue.say({ kind: 'order', order: { ...order, clientOrderId: 'someone-else-7' }, fill: null });
  await room.tick();
  expect(reports).toHaveLength(before + 1);
  expect(room.dueAt).toBe(Infinity);
});

test('OP-85 a fill that is reported hours after its order has ended counts, though the list of fills lags behind', async () => {
  const { venue, room, bot, reports, row, pass } = await aRoom();
  bot.isCancelWanted = true;
  room.decided(botId, []);
  await expect.poll(() => row.state).toBe('cancelled');
  await room.tick();
  const before = reports.length;
  pass(2 * orderTimes.fillsComeFor);
  row.endedAt = start;
  venue.say({ kind: 'order', order: { ...(await venue.order(symbol, id))!, filled: 0.5 }, fill: aFill(0.5, 90) });
  await expect.poll(() => reports.length).toBeGreaterThan(before);
  expect(reports.at(-1)).toMatchObject({ state: 'cancelled', filled: 0.5, fills: [{ id: 'late 0.5' }] });
});

test('OP-85 all fills that are reported at once, after their order has ended, count', async () => {
  const { venue, room, bot, reports, row } = await aRoom();
  bot.isCancelWanted = true;
  room.decided(botId, []);
  await expect.poll(() => row.state).toBe('cancelled');
  await room.tick();
  const order = (await venue.order(symbol, id))!;
  venue.say({ kind: 'order', order: { ...order, filled: 0.5 }, fill: aFill(0.5, 90) });
  venue.say({ kind: 'order', order: { ...order, filled: 0.8 }, fill: aFill(0.3, 89) });
  venue.say({ kind: 'order', order: { ...order, filled: 0.9 }, fill: aFill(0.1, 88) });
  await expect.poll(() => reports.at(-1)?.filled).toBe(0.9);
  expect(reports.at(-1)?.fills.map((fill) => fill.id)).toEqual(['late 0.5', 'late 0.3', 'late 0.1']);
  await expect.poll(() => row.filled).toBe(0.9);
});

test('an order that its bot wants cancelled is cancelled at once, long before the next check', async () => {
  const { venue, room, bot, row } = await aRoom();
  const cancelled = Promise.withResolvers<string>();
  const cancel = venue.cancel.bind(venue);
  vi.spyOn(venue, 'cancel').mockImplementation(async (of, order) => {
    cancelled.resolve(order);
    return await cancel(of, order);
  });
  bot.isCancelWanted = true;
  room.decided(botId, []);
  expect(await cancelled.promise).toBe(id);
  await expect.poll(() => row.state).toBe('cancelled');
});

test('an order that is found filled is written with the average price of its fills', async () => {
  const { venue, room, row, changes, pass } = await aRoom();
  venue.setPrices(symbol, { bid: 89, ask: 89.5, askAmount: 0.5 });
  venue.setPrices(symbol, { bid: 89, ask: 89.5 });
  pass(orderTimes.checkOpen);
  await room.tick();
  expect(row.state).toBe('filled');
  expect(changes.at(-1)).toMatchObject({ filled: 2, averagePrice: 90 });
});

test.for([
  ['stop', { purpose: 'stop', type: 'stop', price: null, stopPrice: 80 }],
  ['exit', { purpose: 'exit', type: 'market', price: null }],
] as const)('a %s that is refused for want of coins is reported with what the account has free of them', async ([, given]) => {
  const { reports } = await aRoom({ ...given, side: 'sell' }, { USDT: 1_000, BTC: 1.9995 });
  expect(reports.at(-1)).toEqual({ state: 'refused', requested: 2, filled: 0, fills: [], freeCoins: 1.9995 });
});

test('an exit from a position, and an entry, are refused without a word about coins', async () => {
  const exit = await aRoom({ purpose: 'exit', side: 'sell', type: 'market', price: null, reduceOnly: true, amount: 2.00001 });
  expect(exit.reports.at(-1)).toEqual({ state: 'refused', requested: 2.00001, filled: 0, fills: [] });
  const entry = await aRoom({ purpose: 'entry', amount: 2_000 });
  expect(entry.reports.at(-1)).toEqual({ state: 'refused', requested: 2_000, filled: 0, fills: [] });
});

test('an order that stands is not taken for ended because it is not found by its id: the lists are asked, and it is cancelled when it has to be', async () => {
  const { venue, room, row, pass, bot } = await aRoom();
  const order = venue.order.bind(venue);
  venue.order = async () => null; // the exchange's look-ups lag behind its lists
  venue.say({ kind: 'gap' }); // the stream was cut, so all orders are asked about
  for (let i = 0; i < 16; i++) {
    await room.tick();
    pass(1_000);
  }
  expect([row.state, (await venue.openOrders(symbol)).map(({ clientOrderId }) => clientOrderId)]).toEqual(['open', [id]]);
  bot.isCancelWanted = true;
  room.decided(botId, []);
  for (let i = 0; i < 8; i++) {
    await room.tick();
    pass(1_000);
  }
  expect([row.state, await venue.openOrders(symbol)]).toEqual(['cancelled', []]);
  venue.order = order;
});
