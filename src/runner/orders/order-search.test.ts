import { clientOrderId } from '#engine/bot/state.ts';
import { follows, isFinal } from '#engine/account/order-life.ts';
import { minuteMs } from '#engine/market/durations.ts';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import { anOrderRequest } from '#engine/ports/testing/an-order-request.ts';
import type { OrderRequest, Trading } from '#engine/ports/trading.ts';
import { InMemoryVenue } from '#engine/simulation/venue.ts';
import type { StoredOrder } from '#storage/orders/order-outbox.ts';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { RoomBot } from './order-room.ts';
import { OrderRoom } from './order-room.ts';
import type { OrderStore } from './order-store.ts';
import { orderTimes } from './order-times.ts';
import type { AccountRecords, OwnTrade, UnrecordedOrder } from './unrecorded-orders.ts';

const symbol = 'BTC/USDT';
const otherSymbol = 'ETH/USDT';
const botId = 'bot-1';
const hour = 3_600_000;
const start = 2 * hour;
const wait = orderTimes.expiry + orderTimes.margin;

/** A room over an exchange that forgets ids, the rows on its disk, and a bot that notes what is reported to it. */
function rig(
  rows: Partial<StoredOrder>[],
  replaced: Partial<Trading> = {},
  {
    ahead = 0,
    since = start,
    trades = [] as string[],
    others = new Map<string, string[]>(), // the trades of other bots
    own = null as Partial<OwnTrade> | null, // the only trade of the bot
    settled = [] as string[],
    unwanted = new Set<string>(), // orders that the bot wants cancelled
    passed = async (search: { isWhole: boolean }): Promise<unknown> => search,
  } = {},
) {
  let now = start;
  let offset = ahead; // the machine's clock of the exchange's, in ms
  const venue = new InMemoryVenue({
    accountId: 'a',
    instruments: [anInstrument({ symbol }), anInstrument({ symbol: otherSymbol, base: 'ETH' })],
    balances: { USDT: 10_000, BTC: 10, ETH: 10 },
    time: start - ahead,
    remembersIds: 'while-open',
    feeCurrency: 'quote',
  });
  for (const each of [symbol, otherSymbol]) venue.setPrices(each, { bid: 100, ask: 100 });
  const trading = new Proxy<Trading>(venue, {
    get(target, name) {
      const value: unknown = Reflect.get(replaced, name) ?? Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const disk = new Map<string, StoredOrder>();
  for (const row of rows) {
    const stored = {
      botId,
      symbol,
      purpose: 'entry',
      side: 'buy',
      type: 'market',
      amount: 1,
      price: null,
      stopPrice: null,
      reduceOnly: false,
    } as const;
    const life = {
      leverage: 1,
      marginMode: null,
      state: 'planned',
      attempt: 0,
      plannedAt: start,
      expiresAt: null,
      endedAt: null,
      filled: 0,
    } as const;
    const clientId = row.clientOrderId ?? clientOrderId(botId, 1);
    disk.set(clientId, { ...stored, ...life, clientOrderId: clientId, ...row });
  }
  const store: OrderStore = {
    orders: async (ids) =>
      [...disk.values()].filter(({ state, clientOrderId: id }) => !isFinal(state) || ids.includes(id)).map((row) => ({ ...row })),
    async send(id) {
      Object.assign(disk.get(id) ?? {}, { state: 'sent' });
      return { kind: 'sent', expiresInMs: orderTimes.expiry };
    },
    async change(id, { path, from, filled }) {
      const row = disk.get(id);
      if (row === undefined || row.state !== from) return false;
      for (const next of path) if (follows(row.state, next)) row.state = next;
      row.filled = Math.max(row.filled, filled ?? 0);
      return true;
    },
    entryRefusal: async () => null,
    fillBefore: async (_id, _symbol, time) => (await venue.fillsSince(symbol, null)).findLast((fill) => fill.time < time)?.id ?? null,
  };
  const noted: UnrecordedOrder[] = [];
  const claims = new Map<string, string>(); // as the store has them
  const database = {
    isAway: false,
    name: 'first',
    settled: new Set(settled),
    ended: new Set<string>(), // for more than a minute
    restart: () => {
      database.name = 'second';
      claims.clear();
    },
  };
  const tradesOf = (id: string, held: readonly string[]): OwnTrade[] =>
    id === botId && own !== null
      ? [{ symbol, direction: 'long', isEntered: true, ...own }]
      : held.map((each) => ({ symbol: each, direction: 'long', isEntered: true }));
  const records: AccountRecords = {
    bots: async () =>
      [[botId, trades] as const, ...others].map(([id, held]) => ({
        id,
        symbols: [symbol, otherSymbol],
        trades: tradesOf(id, held),
        since,
        noted: [],
        isRestored: false,
      })),
    claims: async () => new Map(claims),
    recorded: async (ids) => new Set(ids.filter((id) => disk.has(id))),
    ended: async (ids) => new Set(ids.filter((id) => database.ended.has(id))),
    fillBefore: async () => null,
    standing: async () => {
      const newest = new Map(noted.map(({ order }) => [order.clientOrderId, order.state]));
      const open = [...newest].flatMap(([id, state]) => (state === 'open' ? [id] : []));
      const ids = [...new Set([...settled, ...open])];
      return ids.map((id) => ({ botId, clientOrderId: id, symbol, isSettled: database.settled.has(id) }));
    },
    async note(orders, areAll) {
      for (const each of orders) {
        const { clientOrderId: id, state, filled } = each.order;
        const isNews = noted.every(({ order }) => order.clientOrderId !== id || order.state !== state || order.filled !== filled);
        if (isNews) noted.push(each);
      }
      // As the database does where nothing is left to decide.
      const newest = new Map(noted.map(({ order }) => [order.clientOrderId, order]));
      const left = [...newest.values()].reduce((sum, order) => sum + (order.side === 'buy' ? order.filled : -order.filled), 0);
      if (areAll && left === 0) for (const { order } of orders) database.settled.add(order.clientOrderId);
    },
    vanished: async () => undefined,
    async start() {
      if (database.isAway) throw new Error('The database does not answer.');
      return database.name;
    },
    passed: async (search) => void (await passed(search)),
    marginDiffers: async () => undefined,
  };
  const reported: string[] = [];
  const room = new OrderRoom({
    trading,
    records,
    times: orderTimes,
    now: () => now,
    onError: (error) => reported.push(`error ${String(error)}`),
  });
  onTestFinished(() => room.close());
  const attach = async (claim = '1', id = botId) => {
    claims.set(id, claim);
    const bot: RoomBot = {
      id,
      claim,
      store,
      waiting: () => [...disk.keys()].map((orderId) => ({ id: orderId, isCancelWanted: unwanted.has(orderId) })),
      booked: () => new Map(),
      onReport: (_id, { state }) => reported.push(state),
      onNumbersSeen: (highest) => reported.push(`numbers up to ${highest}`),
      onFailure: (error) => reported.push(`failure ${String(error)}`),
      onRefused: (error) => reported.push(`refused ${String(error)}`),
    };
    await room.attach(bot);
    room.begin(id);
    return bot;
  };
  /** Lets the room do what is due until a time after the start. */
  const until = async (ms: number): Promise<void> => {
    for (; now < start + ms; now += 100) {
      venue.setTime(now - offset);
      await room.tick();
    }
    await new Promise((resolve) => setImmediate(resolve));
  };
  const place = (number: number, order: Partial<OrderRequest> = {}) =>
    venue.place(anOrderRequest({ clientOrderId: clientOrderId(botId, number), symbol, expiresAt: Infinity, ...order }));
  const setBack = (ms: number): void => {
    now -= ms;
    offset -= ms;
    room.setBack(ms);
  };
  return {
    room,
    venue,
    disk,
    noted,
    reported,
    attach,
    until,
    setBack,
    place,
    database,
    open: async () => (await venue.openOrders()).map(({ clientOrderId: id }) => id).toSorted(),
    made: async () => (await venue.ordersSince(symbol, 0)).length,
  };
}

test('a planned order that an earlier process has sent arrives late and is not sent again', async () => {
  const { disk, attach, until, place, made, reported, room } = rig([{ state: 'planned' }], { watch: () => () => undefined });
  await attach();
  await until(1_900);
  await place(1); // the last moment at which it may
  await until(wait - 100);
  expect([await made(), disk.get(clientOrderId(botId, 1))?.state, reported, room.isSettled(botId)]).toEqual([1, 'planned', [], false]);
  await until(wait + 500);
  expect([await made(), disk.get(clientOrderId(botId, 1))?.state, reported]).toEqual([1, 'filled', ['numbers up to 1', 'filled']]);
  expect(room.isSettled(botId)).toBe(true);
});

test('an order that stands though it has ended on record for a while is cancelled, and no other', async () => {
  const ids = [1, 2, 3].map((number) => clientOrderId(botId, number));
  const { attach, until, place, open, database, room, venue } = rig([
    { clientOrderId: ids[0], state: 'cancelled', filled: 0 }, // it was not found, and stands
    { clientOrderId: ids[1], state: 'cancelled', filled: 0 }, // it was cancelled a moment ago, and the list is older
    { clientOrderId: ids[2], state: 'open', type: 'limit', price: 90 },
  ]);
  for (const number of [1, 2, 3]) await place(number, { type: 'limit', price: 90 });
  database.ended.add(ids[0] ?? '');
  await attach();
  await until(wait + 500);
  expect(await open()).toEqual([ids[1], ids[2]]);
  database.ended.add(ids[1] ?? '');
  const cancel = venue.cancel.bind(venue);
  venue.cancel = async () => await Promise.reject(new ExchangeError('rejected', 'Not now.'));
  room.searchSoon();
  await until(wait + 1_000);
  expect(await open()).toEqual([ids[1], ids[2]]);
  venue.cancel = cancel;
  room.searchSoon(); // as each minute
  await until(wait + 1_500);
  expect(await open()).toEqual([ids[2]]);
});

test('a planned order that was not sent is sent when that is certain', async () => {
  const { attach, until, made, reported } = rig([{ state: 'planned' }]);
  await attach();
  await until(wait);
  expect(await made()).toBe(0);
  await until(wait + 500);
  expect([await made(), reported.at(0)]).toEqual([1, 'numbers up to 0']);
});

test('OP-85 the search for one bot is none for another of the account that was taken up later', async () => {
  const other = 'bot-2';
  const { attach, until, made } = rig([{ botId: other, clientOrderId: clientOrderId(other, 1), state: 'planned' }]);
  await attach();
  await until(2_000);
  await attach('1', other);
  await until(wait + 500); // what its earlier process has sent may still arrive
  expect(await made()).toBe(0);
  await until(2_000 + wait + 500);
  expect(await made()).toBe(1);
});

test('an order of unknown fate of one bot keeps no other of the account from beginning', async () => {
  const order = async (): Promise<never> => {
    throw new ExchangeError('temporary', 'not now');
  };
  const { attach, until, room } = rig(
    [{ state: 'unknown', attempt: 1, expiresAt: start }],
    { order },
    { others: new Map([['bot-2', []]]) },
  );
  await attach();
  await attach('1', 'bot-2');
  await until(wait + 10_000);
  expect([room.isSettled(botId), room.isSettled('bot-2')]).toEqual([false, true]);
});

test('nothing is reported to a bot before the numbers of its orders', async () => {
  const { attach, until, place, reported, noted } = rig([{ state: 'sent', expiresAt: start + 500 }]);
  await place(1);
  await place(7, { type: 'limit', price: 90 });
  await attach();
  await until(wait);
  expect(reported).toEqual([]);
  await until(wait + 500);
  expect(reported.slice(0, 2)).toEqual(['numbers up to 7', 'filled']);
  expect(noted.map(({ order }) => order.state)).toEqual(['open', 'cancelled']);
});

test('of an order on its way the disk may not know the newest attempt: it is not given up before that has expired', async () => {
  const { disk, attach, until } = rig([{ state: 'unknown', expiresAt: start - 60_000 }]);
  await attach();
  await until(wait + 2 * orderTimes.lookUpEvery);
  expect(disk.get(clientOrderId(botId, 1))?.state).toBe('unknown');
  await until(wait + 3 * orderTimes.lookUpEvery);
  expect(disk.get(clientOrderId(botId, 1))?.state).not.toBe('unknown');
});

test('OP-85 an order on its way that has not arrived is not sent again before the account was searched', async () => {
  const row = { state: 'unknown', purpose: 'exit', side: 'sell', attempt: 1, expiresAt: start } as const;
  const { attach, until, made, venue } = rig([row]);
  const openOrders = venue.openOrders.bind(venue);
  venue.openOrders = async (of) => {
    if (of === undefined) throw new ExchangeError('temporary', 'not now');
    return await openOrders(of);
  };
  await attach();
  await until(wait + 10_000);
  expect(await made()).toBe(0);
  venue.openOrders = openOrders;
  await until(wait + 11_000);
  expect(await made()).toBe(1);
});

test('a bot that starts again in the same process is searched for once, one that comes back from another again', async () => {
  const { attach, until, reported, room, place } = rig([]);
  await place(6);
  await attach();
  await until(wait + 500);
  expect(reported).toEqual(['numbers up to 6']);
  await attach();
  expect(room.isSettled(botId)).toBe(true);
  expect(reported).toEqual(['numbers up to 6', 'numbers up to 6']); // it has not written what was reported
  await until(2 * wait);
  expect(reported).toHaveLength(2);
  await attach('2');
  expect(room.isSettled(botId)).toBe(false);
  await until(4 * wait);
  expect(reported).toHaveLength(3);
});

test('OP-85 a bot that comes back from another process in the middle of its search is searched for once more, and sends nothing before', async () => {
  let searches = 0;
  const { attach, until, made, reported, room } = rig([{ state: 'planned' }], {
    openOrders: async () => {
      if (searches++ === 0) await attach('2');
      return [];
    },
  });
  await attach('1');
  await until(wait + 500);
  expect([searches, await made(), room.isSettled(botId), reported]).toEqual([1, 0, false, []]);
  await until(2 * wait + 500);
  expect([searches, await made(), reported.at(0)]).toEqual([2, 1, 'numbers up to 0']);
});

test('a search that fails is reported to the bot that waits for it, and tried again', async () => {
  let failures = 2;
  const { attach, until, reported } = rig([], {
    openOrders: async () => {
      if (failures-- > 0) throw new ExchangeError('temporary', 'not now');
      return [];
    },
  });
  await attach();
  await until(wait + 2_000);
  expect(reported).toEqual(['failure ExchangeError: not now', 'failure ExchangeError: not now', 'numbers up to 0']);
});

test('a symbol that the exchange does not list any more holds up no other', async () => {
  const { attach, until, reported } = rig([], {
    ordersSince: async () => {
      throw new ExchangeError('rejected', 'There is no such symbol.');
    },
  });
  await attach();
  await until(wait + 500);
  expect(reported).toEqual(['numbers up to 0']);
});

test('a fill of an order without a record, reported by the user stream, is searched for at once', async () => {
  const { attach, until, place, noted, venue } = rig([]);
  await attach();
  await until(wait + 500);
  await place(9);
  await until(wait + 1_500);
  expect(noted).toMatchObject([{ botId, order: { clientOrderId: clientOrderId(botId, 9), filled: 1 }, fills: [{ amount: 1 }] }]);
  expect(await venue.openOrders()).toEqual([]);
});

test('OP-85 a fill of an order without a record is searched for until the account could be searched', async () => {
  let failures = 0;
  const { attach, until, place, noted } = rig([], {
    openOrders: async () => {
      if (failures-- > 0) throw new ExchangeError('temporary', 'not now');
      return [];
    },
  });
  await attach();
  await until(wait + 500);
  failures = 2;
  await place(9);
  await until(wait + 3_000);
  expect(failures).toBeLessThan(0);
  expect(noted).toMatchObject([{ botId, order: { clientOrderId: clientOrderId(botId, 9), filled: 1 }, fills: [{ amount: 1 }] }]);
});

test('open orders are searched when asked to', async () => {
  const { attach, until, place, noted, room, venue } = rig([]);
  await attach();
  await until(wait + 500);
  await place(9, { type: 'limit', price: 90 });
  await until(wait + 1_000);
  expect(noted).toEqual([]);
  room.searchSoon();
  await until(wait + 1_500);
  expect(noted.map(({ order }) => order.state)).toEqual(['open', 'cancelled']);
  expect(await venue.openOrders()).toEqual([]);
});

test('the number of an order without a record that is found while its bot runs is told to the bot, which gives it to no other', async () => {
  const { attach, until, place, reported, room } = rig([], unheard);
  await attach();
  await until(wait + 500);
  await place(9, { type: 'limit', price: 90 });
  room.searchSoon();
  await until(wait + 1_000);
  expect(reported).toEqual(['numbers up to 0', 'numbers up to 9']);
});

test('a key that is refused is not tried again at once', async () => {
  let asked = 0;
  const { attach, until } = rig([], {
    openOrders: async () => {
      asked += 1;
      throw new ExchangeError('unauthorised', 'no such key');
    },
  });
  await attach();
  await until(wait + 25_000);
  expect(asked).toBe(1);
  await until(wait + 35_000);
  expect(asked).toBe(2);
});

test('OP-85 a bot does not wait in silence for an order without a record that the exchange does not cancel', async () => {
  const cancel = async (): Promise<never> => {
    throw new ExchangeError('rejected', 'Trading in this instrument is halted.');
  };
  const { attach, until, place, reported, room } = rig([], { cancel });
  await place(7, { type: 'limit', price: 50, amount: 1 });
  await attach();
  await until(wait + 4_000);
  expect([room.isSettled(botId), reported]).toEqual([false, []]); // it may be gone in a moment
  await until(wait + 7_000);
  const refusal = 'failure ExchangeError: Trading in this instrument is halted.';
  expect(reported).toEqual([refusal]);
  await until(wait + 67_000);
  expect(reported).toEqual([refusal, refusal, refusal]); // asked as seldom as whatever is refused
});

test('OP-85 a bot does not wait in silence for one either where the clock is set back meanwhile', async () => {
  const { attach, until, place, setBack, reported, venue } = rig([]);
  halts(venue, clientOrderId(botId, 7));
  await place(7, { type: 'limit', price: 50 });
  await attach();
  await until(wait + 4_000);
  setBack(hour);
  await until(wait + 7_000 - hour);
  expect(reported).toEqual(['failure ExchangeError: Trading in this instrument is halted.']);
});

test('OP-85 a bot that was away while it was searched for is searched for again, and begins without its stop of before', async () => {
  const trades = [symbol];
  const { attach, until, place, room, venue } = rig([], {}, { trades });
  await place(6, { side: 'sell', type: 'stop', stopPrice: 90 });
  const bot = await attach();
  room.detach(bot);
  await until(wait + 1_000);
  expect(await venue.openOrders()).toHaveLength(1);
  await attach(); // under the same claim
  expect(room.isSettled(botId)).toBe(false);
  await until(2 * wait + 2_000);
  expect([await venue.openOrders(), room.isSettled(botId)]).toEqual([[], true]);
});

test('OP-85 a bot that comes back while it is searched for waits for a search of its own, and begins', async () => {
  let comesBack = async (): Promise<unknown> => undefined;
  const passed = async () => void (await comesBack());
  const { attach, until, place, room, venue } = rig([], {}, { trades: [symbol], passed });
  await place(6, { side: 'sell', type: 'stop', stopPrice: 90 });
  room.detach(await attach());
  comesBack = async () => {
    comesBack = async () => undefined;
    await attach(); // its stop was kept a moment ago
  };
  await until(wait + 1_000);
  expect([await venue.openOrders(), room.isSettled(botId)]).toMatchObject([[{ type: 'stop' }], false]);
  await until(2 * wait + 2_000);
  expect([await venue.openOrders(), room.isSettled(botId)]).toEqual([[], true]);
});

test('OP-85 a stop that is found while its bot starts again, after its search, is gone before it begins', async () => {
  const { attach, until, place, room, venue } = rig([], {}, { trades: [symbol] });
  const bot = await attach();
  await until(wait + 1_000);
  expect(room.isSettled(botId)).toBe(true);
  room.detach(bot);
  await place(6, { side: 'sell', type: 'stop', stopPrice: 90 });
  room.searchSoon();
  await until(wait + 2_000);
  expect(await venue.openOrders()).toHaveLength(1);
  await attach();
  expect(room.isSettled(botId)).toBe(false);
  await until(2 * wait + 4_000);
  expect([await venue.openOrders(), room.isSettled(botId)]).toEqual([[], true]);
});

test('OP-85 a stop stays while its bot waits for its own search, though another bot of the account is searched for', async () => {
  const { attach, until, place, venue } = rig([], {}, { trades: [symbol] });
  await attach('1', 'bot-2'); // of the same account
  await until(2_000);
  await place(6, { side: 'sell', type: 'stop', stopPrice: 90 });
  await attach();
  await until(wait + 1_000);
  expect(await venue.openOrders()).toHaveLength(1);
  await until(2_000 + wait + 2_000);
  expect(await venue.openOrders()).toEqual([]);
});

test('OP-85 a stop stays while its bot does not begin because something else cannot be cancelled', async () => {
  const { attach, until, place, venue } = rig([], {}, { trades: [symbol] });
  const cancel = venue.cancel.bind(venue);
  venue.cancel = async (of, id) => {
    if (id === clientOrderId(botId, 7)) throw new ExchangeError('rejected', 'Trading in this instrument is halted.');
    return await cancel(of, id);
  };
  await place(6, { side: 'sell', type: 'stop', stopPrice: 90 });
  await place(7, { type: 'limit', price: 50 });
  await attach();
  await until(wait + 5_000);
  expect(await venue.openOrders()).toHaveLength(2);
  venue.cancel = cancel;
  await until(wait + 40_000);
  expect(await venue.openOrders()).toEqual([]);
});

/** An exchange that refuses to cancel these orders, until it does not any more. */
function halts(venue: InMemoryVenue, ...ids: string[]) {
  const cancel = venue.cancel.bind(venue);
  const halted = { asked: 0, end: () => void (venue.cancel = cancel) };
  venue.cancel = async (of, id) => {
    if (!ids.includes(id)) return await cancel(of, id);
    halted.asked += 1;
    throw new ExchangeError('rejected', 'Trading in this instrument is halted.');
  };
  return halted;
}

const refusal = 'refused ExchangeError: Trading in this instrument is halted.';
/** What happens at the exchange is not reported: the user stream was away. */
const unheard: Partial<Trading> = { watch: () => () => undefined };

const aStop = { side: 'sell', type: 'stop', stopPrice: 90 } as const;

test('OP-85 beside a stop of before that the exchange does not cancel its bot begins, says so, and places no other for that trade', async () => {
  const stop = { state: 'planned', purpose: 'stop', side: 'sell', type: 'stop', stopPrice: 90, amount: 0.5 } as const;
  const rows = [
    { ...stop, clientOrderId: clientOrderId(botId, 8) },
    { ...stop, clientOrderId: clientOrderId(botId, 9), symbol: otherSymbol },
  ];
  const { attach, until, place, room, venue, reported, open } = rig(
    rows,
    {},
    { trades: [symbol, otherSymbol], others: new Map([['bot-2', [symbol]]]) },
  );
  const halted = halts(venue, clientOrderId(botId, 6));
  await place(6, aStop);
  await place(5, { ...aStop, symbol: otherSymbol });
  await place(7, { ...aStop, clientOrderId: clientOrderId('bot-2', 7) });
  await attach();
  await attach('1', 'bot-2');
  await until(wait + 4_000);
  expect([room.isSettled(botId), room.isSettled('bot-2')]).toEqual([true, true]);
  expect(await open()).toEqual([clientOrderId(botId, 6), clientOrderId(botId, 9)]); // 8 would be a second stop of its trade
  expect(reported).not.toContain(refusal); // the halt may be over in a moment
  await until(wait + 7_000);
  expect(reported.filter((each) => each === refusal)).toHaveLength(1);
  const before = halted.asked;
  await until(wait + 67_000);
  expect([reported.filter((each) => each === refusal).length, halted.asked - before]).toEqual([3, 2]); // asked as seldom as whatever is refused
  halted.end();
  await until(wait + 100_000);
  expect(await open()).toEqual([clientOrderId(botId, 8), clientOrderId(botId, 9)]);
});

test.each([
  ['another bot of the account has', { botId: 'bot-2', clientOrderId: clientOrderId('bot-2', 9) }],
  ['its bot has in another pair', { symbol: otherSymbol, clientOrderId: clientOrderId(botId, 9) }],
])(
  'OP-85 a stop of before that is not cancelled is one of its bot and its pair: the stop that %s goes out, and counts for no other',
  async (_, other) => {
    const stop = { state: 'planned', purpose: 'stop', side: 'sell', type: 'stop', stopPrice: 90, amount: 0.5 } as const;
    const { attach, until, place, venue, open } = rig(
      [
        { ...stop, clientOrderId: clientOrderId(botId, 8) },
        { ...stop, ...other },
      ],
      {},
      { trades: [symbol, otherSymbol], others: new Map([['bot-2', [symbol]]]) },
    );
    const halted = halts(venue, clientOrderId(botId, 6));
    await place(6, aStop);
    await attach();
    await attach('1', 'bot-2');
    await until(wait + 3_000);
    expect(await open()).toEqual([clientOrderId(botId, 6), other.clientOrderId]);
    const before = halted.asked;
    await until(wait + 70_000);
    expect(halted.asked).toBeGreaterThan(before); // it was searched for again
    expect(await open()).toEqual([clientOrderId(botId, 6), other.clientOrderId]);
  },
);

test('OP-85 a stop that its bot no longer wants is given up also beside one of before: its exit waits for it', async () => {
  const stop = { state: 'planned', purpose: 'stop', side: 'sell', type: 'stop', stopPrice: 90, amount: 0.5 } as const;
  const unwanted = new Set<string>();
  const { attach, until, place, room, venue, disk } = rig(
    [{ ...stop, clientOrderId: clientOrderId(botId, 8) }],
    {},
    { trades: [symbol], unwanted },
  );
  halts(venue, clientOrderId(botId, 6));
  await place(6, aStop);
  await attach();
  await until(wait + 1_000);
  expect(disk.get(clientOrderId(botId, 8))?.state).toBe('planned');
  unwanted.add(clientOrderId(botId, 8));
  room.decided(botId, []);
  await until(wait + 2_000);
  expect(disk.get(clientOrderId(botId, 8))?.state).toBe('cancelled');
});

test('OP-85 a clock that is set back does not hide that a stop of before is not cancelled', async () => {
  const { attach, until, place, setBack, reported, venue } = rig([], {}, { trades: [symbol] });
  halts(venue, clientOrderId(botId, 6));
  await place(6, aStop);
  await attach();
  await until(wait + 2_000);
  setBack(hour);
  await until(wait + 7_000 - hour);
  expect(reported).toEqual(['numbers up to 6', refusal]);
});

test('OP-85 a stop of before of a running bot is cancelled though an order of another bot cannot be', async () => {
  const { attach, until, place, room, venue, open } = rig([], {}, { trades: [symbol], others: new Map([['bot-2', []]]) });
  await attach();
  await until(wait + 1_000);
  halts(venue, clientOrderId('bot-2', 7));
  await place(7, { type: 'limit', price: 50, clientOrderId: clientOrderId('bot-2', 7) });
  await place(6, aStop);
  room.searchSoon();
  await until(wait + 4_000);
  expect(await open()).toEqual([clientOrderId('bot-2', 7)]);
});

test('OP-85 a bot whose stop was kept while something else could not be cancelled is searched for again when it is back', async () => {
  const { attach, until, place, room, venue, open } = rig([], {}, { trades: [symbol], others: new Map([['bot-2', []]]) });
  const bot = await attach();
  await until(wait + 1_000);
  room.detach(bot);
  const halted = halts(venue, clientOrderId('bot-2', 7));
  await place(7, { type: 'limit', price: 50, clientOrderId: clientOrderId('bot-2', 7) });
  await place(6, aStop);
  room.searchSoon();
  await until(wait + 2_500);
  await attach();
  expect(room.isSettled(botId)).toBe(false); // it would begin beside its stop of before
  halted.end();
  await until(2 * wait + 40_000);
  expect([room.isSettled(botId), await open()]).toEqual([true, []]);
});

describe('OP-85 where the database comes back without its last commits', () => {
  test('a search that was due meanwhile cancels no stop: whoever had its bot has it no more', async () => {
    const { attach, until, place, room, open, database } = rig([], {}, { trades: [symbol] });
    await attach();
    await until(wait + 1_000);
    database.isAway = true;
    await place(6, aStop); // its record is lost
    room.searchSoon();
    await until(wait + 3_000);
    database.restart();
    database.isAway = false;
    await until(wait + 5_000);
    expect(await open()).toEqual([clientOrderId(botId, 6)]);
    await attach('2'); // the heartbeat has noticed it
    await until(2 * wait + 7_000);
    expect([await open(), room.isSettled(botId)]).toEqual([[], true]);
  });

  test('a search of the open orders cancels no stop before what was lost with it is known', async () => {
    const { attach, until, place, room, noted, open } = rig([], unheard, {});
    await attach();
    await until(wait + 1_000);
    await place(6, {}); // filled at once; its record is lost, and that of its stop
    await place(7, aStop);
    room.searchSoon();
    await until(wait + 4_000);
    expect(noted.map(({ order }) => order.clientOrderId)).toContain(clientOrderId(botId, 6));
    expect(await open()).toEqual([clientOrderId(botId, 7)]);
  });
});

test('OP-85 a whole search follows one of the open orders also where that could not cancel an entry', async () => {
  const { attach, until, place, room, venue, noted, open } = rig([], unheard, {});
  await attach();
  await until(wait + 1_000);
  halts(venue, clientOrderId(botId, 8));
  await place(6, {}); // filled at once
  await place(7, aStop);
  await place(8, { type: 'limit', price: 50 });
  room.searchSoon();
  await until(wait + 4_000);
  expect(noted.map(({ order }) => order.clientOrderId)).toContain(clientOrderId(botId, 6));
  expect(await open()).toEqual([clientOrderId(botId, 7), clientOrderId(botId, 8)]);
});

test('OP-85 the stop of a bot that another process has had in the middle of its search stays until its own search', async () => {
  const { attach, until, place, room, venue, open } = rig([], {}, { trades: [symbol] });
  const openOrders = venue.openOrders.bind(venue);
  await place(6, aStop);
  const bot = await attach();
  await until(wait - 100);
  venue.openOrders = async (of) => {
    venue.openOrders = openOrders;
    room.detach(bot);
    await attach('2');
    return await openOrders(of);
  };
  await until(wait + 1_000);
  expect([await open(), room.isSettled(botId)]).toEqual([[clientOrderId(botId, 6)], false]);
  await until(2 * wait + 2_000);
  expect([await open(), room.isSettled(botId)]).toEqual([[], true]);
});

test('OP-85 the stop of a running bot that another process has had in the middle of a search stays until its own search', async () => {
  const { attach, until, place, room, venue, open } = rig([], {}, { trades: [symbol] });
  const openOrders = venue.openOrders.bind(venue);
  const bot = await attach();
  await until(wait + 1_000);
  await place(6, aStop);
  venue.openOrders = async (of) => {
    venue.openOrders = openOrders;
    room.detach(bot);
    await attach('2');
    return await openOrders(of);
  };
  room.searchSoon();
  await until(wait + 2_000);
  expect([await open(), room.isSettled(botId)]).toEqual([[clientOrderId(botId, 6)], false]);
  await until(2 * wait + 4_000);
  expect([await open(), room.isSettled(botId)]).toEqual([[], true]);
});

test.each(['without anything held', 'of the other direction'])(
  'OP-85 the stop of what a lost entry has bought stays beside a trade on record %s',
  async (what) => {
    const { attach, until, place, room, open } = rig(
      [],
      {},
      { own: what === 'without anything held' ? { isEntered: false } : { direction: 'short' } },
    );
    await place(6, {});
    await place(7, aStop);
    await attach();
    await until(wait + 2_000);
    expect([await open(), room.isSettled(botId)]).toEqual([[clientOrderId(botId, 7)], true]);
  },
);

test('OP-85 a stop that a person has decided about, and that the exchange does not cancel, keeps nobody waiting', async () => {
  const { attach, until, place, room, venue, open, reported } = rig(
    [],
    {},
    { trades: [symbol], others: new Map([['bot-9', []]]), settled: [clientOrderId('bot-9', 1)] },
  );
  halts(venue, clientOrderId('bot-9', 1));
  await place(6, aStop);
  await place(1, { ...aStop, clientOrderId: clientOrderId('bot-9', 1) });
  await attach();
  await until(wait + 4_000);
  expect([await open(), room.isSettled(botId)]).toEqual([[clientOrderId('bot-9', 1)], true]);
  await until(wait + 8_000);
  expect(reported).toContain('error ExchangeError: Trading in this instrument is halted.'); // its bot is not here
});

describe('OP-85 beside a stop of before that the exchange does not cancel', () => {
  const planned = { state: 'planned', purpose: 'stop', side: 'sell', type: 'stop', stopPrice: 90, amount: 0.5 } as const;
  const own = clientOrderId(botId, 8);
  const before = clientOrderId(botId, 6);
  const unwanted = new Set<string>();
  beforeEach(() => unwanted.clear());
  const anExit = (id: string, plannedAt: number, more: Pick<StoredOrder, 'type' | 'price'>): StoredOrder => ({
    ...({
      botId,
      symbol,
      reduceOnly: false,
      leverage: 1,
      marginMode: null,
      attempt: 0,
      expiresAt: null,
      endedAt: null,
      filled: 0,
    } as const),
    ...planned,
    ...more,
    clientOrderId: id,
    purpose: 'exit',
    stopPrice: null,
    plannedAt,
  });

  test('no other is placed when an order is found that nobody knew of', async () => {
    const { attach, until, place, venue, open } = rig(
      [{ ...planned, clientOrderId: own }],
      {},
      { trades: [symbol], others: new Map([['bot-2', []]]) },
    );
    halts(venue, before);
    await place(6, aStop);
    await attach();
    await attach('1', 'bot-2');
    await until(wait + 10_000);
    await place(7, { clientOrderId: clientOrderId('bot-2', 7) });
    await until(wait + 60_000);
    expect(await open()).toEqual([before]);
  });

  test('no other is placed when its bot starts again during a search', async () => {
    let comesBack = async (): Promise<unknown> => undefined;
    const passed = async () => void (await comesBack());
    const { attach, until, place, room, venue, open } = rig([{ ...planned, clientOrderId: own }], {}, { trades: [symbol], passed });
    halts(venue, before);
    await place(6, aStop);
    const bot = await attach();
    await until(wait + 10_000);
    room.detach(bot);
    comesBack = async () => {
      comesBack = async () => undefined;
      await attach(); // under the same claim, as after a change of its settings
    };
    room.searchSoon();
    await until(wait + 60_000);
    expect(await open()).toEqual([before]);
  });

  test.each(['open', 'planned'] as const)(
    'a stop that stood there already is replaced by a nearer one all the same (%s on record)',
    async (state) => {
      const standing = { ...planned, clientOrderId: own, state, attempt: 1, stopPrice: 98 } as const;
      const { attach, until, place, room, venue, open, disk } = rig([standing], {}, { trades: [symbol], unwanted });
      halts(venue, before);
      await place(8, { ...aStop, stopPrice: 98, amount: 0.5 });
      await place(6, { ...aStop, stopPrice: 50, amount: 0.1 });
      await attach();
      await until(wait + 10_000);
      expect(await open()).toEqual([before, own]);
      unwanted.add(own); // trailing: cancelled, then placed again nearer
      room.decided(botId, []);
      await until(wait + 12_000);
      const next = { ...disk.get(own), clientOrderId: clientOrderId(botId, 9), state: 'planned', attempt: 0, stopPrice: 99 } as StoredOrder;
      disk.set(next.clientOrderId, next);
      room.decided(botId, [{ ...next }]);
      await until(wait + 14_000);
      expect(await open()).toEqual([before, clientOrderId(botId, 9)]);
    },
  );

  test.for([
    ['', 0],
    [', also where the clock was set back', hour],
  ] as const)('an exit waits while that is tried once more, and then goes out%s', async ([, back]) => {
    const { attach, until, place, room, venue, open, disk, made, setBack } = rig([], {}, { trades: [symbol] });
    const halted = halts(venue, before);
    await place(6, aStop);
    await attach();
    await until(wait + 40_000);
    const asked = halted.asked;
    let askedBefore = 0; // when the exit was made
    const placed = venue.place.bind(venue);
    venue.place = async (order) => {
      askedBefore = halted.asked;
      return await placed({ ...order, expiresAt: order.expiresAt + back }); // by the clock of the exchange
    };
    setBack(back);
    const exit = anExit(own, start + wait + 40_000 - back, { type: 'market', price: null });
    disk.set(exit.clientOrderId, exit);
    room.decided(botId, [{ ...exit }]);
    await until(wait + 40_200 - back);
    expect([askedBefore, await open(), await made()]).toEqual([asked + 1, [before], 2]); // not before it was tried, and not long after
  });

  test('an exit that follows the price stands at the exchange nearly all the time', async () => {
    const { attach, until, place, room, venue, open, disk } = rig([], {}, { trades: [symbol], unwanted });
    halts(venue, before);
    await place(6, aStop);
    await attach();
    await until(wait + 40_000);
    let stood = 0;
    for (let n = 0; n < 6; n++) {
      const plannedAt = start + wait + 40_000 + n * 5_000;
      const id = clientOrderId(botId, 20 + n);
      const exit = anExit(id, plannedAt, { type: 'limit', price: 110 + n });
      unwanted.add(clientOrderId(botId, 19 + n));
      disk.set(id, exit);
      room.decided(botId, [{ ...exit }]);
      await until(wait + 40_000 + n * 5_000 + 2_000);
      if ((await open()).includes(id)) stood += 1;
      await until(wait + 45_000 + n * 5_000);
    }
    expect(stood).toBe(6);
  });

  /** An exchange that lists no orders of an account for some time. */
  const listsNothing = (venue: InMemoryVenue) => {
    const openOrders = venue.openOrders.bind(venue);
    venue.openOrders = async () => {
      throw new ExchangeError('temporary', 'not now');
    };
    return () => void (venue.openOrders = openOrders);
  };

  test('an exit that follows the price stands there also while the account cannot be searched, once one has waited', async () => {
    const { attach, until, place, room, venue, disk } = rig([], {}, { trades: [symbol], unwanted });
    halts(venue, before);
    await place(6, aStop);
    await attach();
    await until(wait + 39_000);
    listsNothing(venue);
    await until(wait + 40_000);
    const stood: boolean[] = [];
    for (let n = 0; n < 6; n++) {
      const id = clientOrderId(botId, 20 + n);
      const exit = anExit(id, start + wait + 40_000 + n * 5_000, { type: 'limit', price: 110 + n });
      unwanted.add(clientOrderId(botId, 19 + n));
      disk.set(id, exit);
      room.decided(botId, [{ ...exit }]);
      await until(wait + 42_000 + n * 5_000);
      stood.push((await venue.order(symbol, id)) !== null);
      await until(wait + 45_000 + n * 5_000);
    }
    expect(stood).toEqual([false, true, true, true, true, true]);
  });

  test('an exit does not go out before it is known what that has left, however long the account cannot be searched', async () => {
    const { attach, until, place, room, venue, disk, noted } = rig([], {}, { trades: [symbol] });
    const halted = halts(venue, before);
    await place(6, aStop);
    await attach();
    await until(wait + 40_000);
    const lists = listsNothing(venue);
    venue.setPrices(symbol, { bid: 89, ask: 89 }); // it is filled, and the user stream says so
    await until(wait + 41_000);
    const exit = anExit(own, start + wait + 41_000, { type: 'market', price: null });
    disk.set(exit.clientOrderId, exit);
    room.decided(botId, [{ ...exit }]);
    await until(wait + 71_000);
    expect([disk.get(own)?.state, noted.map(({ order }) => order.state)]).toEqual(['planned', ['open']]);
    const placed = venue.place.bind(venue);
    let notedBefore: string[] = []; // when the exit was made
    venue.place = async (order) => {
      notedBefore = noted.map(({ order: each }) => each.state);
      return await placed(order);
    };
    halted.end();
    lists();
    await until(wait + 75_000);
    expect([notedBefore, disk.get(own)?.state]).toEqual([['open', 'filled'], 'filled']);
  });

  test('what was filled on the other side, or elsewhere, or was found, keeps no exit waiting', async () => {
    const { attach, until, place, room, venue, disk } = rig([], {}, { others: new Map([['bot-2', []]]) });
    await attach();
    await attach('1', 'bot-2');
    await until(wait + 1_000);
    const lists = listsNothing(venue);
    await place(6, {});
    await place(7, { symbol: otherSymbol, side: 'sell' });
    await place(8, { clientOrderId: clientOrderId('bot-2', 8), side: 'sell' });
    const made = async (id: string, ms: number): Promise<string | undefined> => {
      const exit = anExit(id, start + ms, { type: 'market', price: null });
      disk.set(id, exit);
      room.decided(botId, [{ ...exit }]);
      await until(ms + 1_000);
      return disk.get(id)?.state;
    };
    expect(await made(clientOrderId(botId, 10), wait + 1_000)).toBe('filled');
    await place(9, { side: 'sell' });
    expect(await made(clientOrderId(botId, 11), wait + 2_000)).toBe('planned');
    lists();
    halts(venue, clientOrderId('bot-2', 12)); // the search is not over
    await place(12, { clientOrderId: clientOrderId('bot-2', 12), type: 'limit', price: 50 });
    await until(wait + 6_000);
    expect(disk.get(clientOrderId(botId, 11))?.state).toBe('filled');
  });

  test('an exit waits for what the exchange reports and does not find yet, until a whole search has ended', async () => {
    const { attach, until, place, room, venue, disk, noted } = rig([]);
    await attach();
    await until(wait + 1_000);
    const lost = clientOrderId(botId, 9);
    const [order, ordersSince] = [venue.order.bind(venue), venue.ordersSince.bind(venue)];
    venue.order = async (of, id) => (id === lost ? null : await order(of, id));
    venue.ordersSince = async () => {
      throw new ExchangeError('temporary', 'not now');
    };
    const lists = listsNothing(venue);
    await place(9, { side: 'sell' });
    const exit = anExit(own, start + wait + 1_000, { type: 'market', price: null });
    disk.set(own, exit);
    room.decided(botId, [{ ...exit }]);
    await until(wait + 5_000);
    lists(); // a search of the open orders ends, so late that no list can lag behind any more
    await until(wait + 7_000);
    expect(disk.get(own)?.state).toBe('planned');
    venue.ordersSince = ordersSince;
    await until(wait + 9_000);
    expect([disk.get(own)?.state, noted.map(({ order: each }) => each.clientOrderId)]).toEqual(['filled', [lost]]);
  });

  test.each(['before its bot begins', 'while it runs'])(
    'an exit waits for what the exchange does not list for two seconds, reported %s, and the search counts for nothing until then',
    async (when) => {
      let passes = 0;
      const { attach, until, place, room, venue, disk, noted } = rig([], {}, { passed: async () => void (passes += 1) });
      const lost = clientOrderId(botId, 9);
      const [order, ordersSince] = [venue.order.bind(venue), venue.ordersSince.bind(venue)];
      const begins = when === 'while it runs' ? wait + 1_000 : wait - 200;
      await attach();
      await until(begins);
      venue.order = async (of, id) => (id === lost ? null : await order(of, id));
      venue.ordersSince = async (of, since) => (await ordersSince(of, since)).filter(({ clientOrderId: id }) => id !== lost);
      const before = passes;
      await place(9, { side: 'sell' });
      const exit = anExit(own, start + begins, { type: 'market', price: null });
      disk.set(own, exit);
      room.decided(botId, [{ ...exit }]);
      await until(begins + 2_000);
      expect([disk.get(own)?.state, passes - before]).toEqual(['planned', 0]);
      Object.assign(venue, { order, ordersSince });
      await until(begins + 4_000);
      expect([noted.map(({ order: each }) => each.clientOrderId), disk.get(own)?.state]).toEqual([[lost], 'filled']);
      expect(passes).toBeGreaterThan(before);
    },
  );

  test('an exit does not wait for what the exchange lists nowhere, and the account counts as searched, also after a start of the database', async () => {
    const passes: boolean[] = []; // whole ones
    const passed = async ({ isWhole }: { isWhole: boolean }) => void passes.push(isWhole);
    const { attach, until, place, room, venue, disk, database } = rig([], {}, { passed });
    await attach();
    await until(wait + 1_000);
    database.name = 'second'; // it was started again, and lost nothing
    const before = passes.length;
    const lost = clientOrderId(botId, 9);
    const [order, ordersSince] = [venue.order.bind(venue), venue.ordersSince.bind(venue)];
    venue.order = async (of, id) => (id === lost ? null : await order(of, id));
    venue.ordersSince = async (of, since) => (await ordersSince(of, since)).filter(({ clientOrderId: id }) => id !== lost);
    await place(9, { side: 'sell' });
    const exit = anExit(own, start + wait + 1_000, { type: 'market', price: null });
    disk.set(own, exit);
    room.decided(botId, [{ ...exit }]);
    await until(wait + 8_000);
    expect([disk.get(own)?.state, passes.slice(before).includes(true)]).toEqual(['filled', true]);
  });

  test.each([
    ['', 0],
    [', also by a clock that is set back', 3 * hour],
  ])('exits wait for what is reported and not found, all together an hour at most%s, and their bot says why', async (_, back) => {
    const { attach, until, place, room, venue, disk, reported, setBack } = rig([], {}, { unwanted });
    await attach();
    await until(wait + 1_000);
    listsNothing(venue);
    await place(9, { side: 'sell' });
    await until(wait + 2_000);
    expect(reported).not.toContain('refused ExchangeError: not now'); // nothing waits for it
    setBack(back);
    const waited: boolean[] = [];
    for (let n = 0; n < 3; n++) {
      const ms = wait + 2_000 + n * 30 * minuteMs - back;
      const exit = anExit(clientOrderId(botId, 20 + n), start + ms, { type: 'limit', price: 110 });
      unwanted.add(clientOrderId(botId, 19 + n));
      disk.set(exit.clientOrderId, exit);
      room.decided(botId, [{ ...exit }]);
      await until(ms + 30 * minuteMs - 5_000);
      waited.push(disk.get(exit.clientOrderId)?.state === 'planned');
    }
    expect(waited).toEqual([true, true, false]);
    expect(reported).toContain('refused ExchangeError: not now');
  });

  test.each(['a trade on record', 'a trade that is over'])('an entry is not made, and is given up in time: %s', async (what) => {
    const trades = [symbol];
    const { attach, until, place, room, venue, open, disk } = rig([], {}, { trades });
    const halted = halts(venue, before);
    await place(6, aStop);
    await attach();
    await until(wait + 10_000);
    if (what === 'a trade that is over') trades.length = 0; // left at market; a person has decided about the stop
    room.searchSoon();
    await until(wait + 40_000);
    const entry = (id: string, ms: number, of: string): StoredOrder => ({
      ...anExit(id, start + ms, { type: 'market', price: null }),
      symbol: of,
      purpose: 'entry',
      side: 'buy',
    });
    const decide = (order: StoredOrder): void => {
      disk.set(order.clientOrderId, order);
      room.decided(botId, [{ ...order }]);
    };
    decide(entry(own, wait + 40_000, symbol));
    decide(entry(clientOrderId(botId, 9), wait + 40_000, otherSymbol));
    await until(wait + 90_000);
    expect([disk.get(own)?.state, disk.get(clientOrderId(botId, 9))?.state, await open()]).toEqual(['planned', 'filled', [before]]);
    await until(wait + 102_000);
    expect([disk.get(own)?.state, room.isSettled(botId)]).toEqual(['cancelled', true]);
    halted.end();
    await until(wait + 140_000);
    decide(entry(clientOrderId(botId, 10), wait + 140_000, symbol));
    await until(wait + 142_000);
    expect(disk.get(clientOrderId(botId, 10))?.state).toBe('filled');
  });

  test('a stop that was on its way and has never arrived did not stand beside it: it is not placed', async () => {
    const row = { ...planned, clientOrderId: own, state: 'unknown', attempt: 1, expiresAt: start } as const;
    const { attach, until, place, venue, open } = rig([row], {}, { trades: [symbol] });
    const halted = halts(venue, before);
    await place(6, aStop);
    await attach();
    await until(wait + 20_000);
    expect(await open()).toEqual([before]);
    halted.end();
    await until(wait + 60_000);
    expect(await open()).toEqual([own]);
  });

  test('the stop that waits for it is placed as soon as a person has cancelled it', async () => {
    const { attach, until, place, venue, open } = rig([{ ...planned, clientOrderId: own }], {}, { trades: [symbol] });
    const halted = halts(venue, before);
    await place(6, aStop);
    await attach();
    await until(wait + 40_000);
    expect(await open()).toEqual([before]);
    halted.end();
    await venue.cancel(symbol, before);
    await until(wait + 41_000);
    expect(await open()).toEqual([own]);
  });

  test('a clock that is set back while it is found does not have it tried each half second', async () => {
    const { attach, until, place, venue, setBack, reported } = rig([], {}, { trades: [symbol] });
    const halted = halts(venue, before);
    await place(6, aStop);
    const cancel = venue.cancel.bind(venue); // refused
    venue.cancel = async (of, id) => {
      venue.cancel = cancel;
      setBack(60_000);
      return await cancel(of, id);
    };
    await attach();
    await until(wait + 7_000);
    expect([halted.asked < 20, reported.filter((each) => each === refusal).length]).toEqual([true, 3]);
  });

  test('the stop of a trade on the other side does not wait for it', async () => {
    const { attach, until, place, venue, open } = rig(
      [{ ...planned, side: 'buy', stopPrice: 110, clientOrderId: own }],
      {},
      { own: { direction: 'short' }, settled: [before] },
    );
    halts(venue, before);
    await place(6, aStop); // of a long; a person has decided about it
    await attach();
    await until(wait + 2_000);
    expect(await open()).toEqual([before, own]);
  });

  test('a stop that stood there already is replaced also where another bot was searched for first', async () => {
    const standing = { ...planned, clientOrderId: own, state: 'open', attempt: 1, stopPrice: 98 } as const;
    const { attach, until, place, room, venue, open, disk } = rig(
      [standing],
      {},
      { trades: [symbol], unwanted, others: new Map([['bot-2', []]]) },
    );
    halts(venue, before);
    await place(8, { ...aStop, stopPrice: 98, amount: 0.5 });
    await place(6, { ...aStop, stopPrice: 50, amount: 0.1 });
    await attach('1', 'bot-2');
    await until(wait + 1_000);
    await attach();
    await until(2 * wait + 10_000);
    unwanted.add(own);
    room.decided(botId, []);
    await until(2 * wait + 12_000);
    const next = { ...disk.get(own), clientOrderId: clientOrderId(botId, 9), state: 'planned', attempt: 0, stopPrice: 99 } as StoredOrder;
    disk.set(next.clientOrderId, next);
    room.decided(botId, [{ ...next }]);
    await until(2 * wait + 14_000);
    expect(await open()).toEqual([before, clientOrderId(botId, 9)]);
  });

  test('one whose trade is over keeps no other bot waiting', async () => {
    const trades = [symbol];
    const { attach, until, place, room, venue } = rig([], {}, { trades, others: new Map([['bot-2', []]]) });
    halts(venue, before);
    await place(6, aStop);
    await attach();
    await until(wait + 10_000);
    trades.length = 0; // left at market; nothing else stands
    room.searchSoon();
    await until(wait + 20_000);
    await attach('1', 'bot-2');
    await until(2 * wait + 25_000);
    expect(room.isSettled('bot-2')).toBe(true);
  });
});

test.each([true, false])(
  'OP-85 the stop of a lost entry stays where the database loses both in the middle of a whole search (a trade on record: %s)',
  async (hasTrade) => {
    const { attach, until, place, venue, noted, open, database } = rig([], unheard, {
      trades: hasTrade ? [symbol] : [],
      others: new Map([['bot-2', []]]),
    });
    await attach();
    await until(wait + 1_000);
    await attach('1', 'bot-2');
    const openOrders = venue.openOrders.bind(venue);
    await until(wait + 3_000);
    venue.openOrders = async (of) => {
      if (of !== undefined) return await openOrders(of);
      venue.openOrders = openOrders;
      await place(6, {}); // an entry, filled at once
      await place(7, aStop);
      database.restart();
      return await openOrders(of);
    };
    await until(2 * wait + 5_000);
    expect(await open()).toEqual([clientOrderId(botId, 7)]);
    expect(noted.map(({ order }) => order.clientOrderId)).toContain(clientOrderId(botId, 6));
  },
);

describe('OP-85 a machine whose clock is ten seconds ahead of the exchange', () => {
  test('finds an order that was lost two seconds after the newest one on record', async () => {
    const { attach, until, place, reported, noted } = rig([], {}, { ahead: 10_000, since: start - 2_000 });
    await place(1);
    await attach();
    await until(wait + 2_000);
    expect(noted.map(({ order }) => order.clientOrderId)).toEqual([clientOrderId(botId, 1)]);
    expect(reported).toEqual(['numbers up to 1']);
  });

  test('knows an entry that was filled in part', async () => {
    const row = { state: 'open', type: 'limit', price: 100, filled: 0.4, attempt: 1, plannedAt: start - 200 } as const;
    const { attach, until, place, room, venue } = rig([row], {}, { ahead: 10_000 });
    venue.setPrices(symbol, { bid: 99, ask: 100, askAmount: 0.4 });
    await place(1, { type: 'limit', price: 100 });
    await attach();
    await until(wait + 2_000);
    expect(room.isSettled(botId)).toBe(true);
  });

  test('sends no order again whose answer was lost, where the exchange lists it and does not find it by its id', async () => {
    const { attach, until, made, venue } = rig([{ state: 'planned' }], { order: async () => null, ...unheard }, { ahead: 10_000 });
    const placed = venue.place.bind(venue);
    venue.place = async (order) => {
      await placed(order);
      throw new ExchangeError('unknown', 'No answer came.');
    };
    await attach();
    await until(wait + 20_000);
    expect(await made()).toBe(1);
  });
});
