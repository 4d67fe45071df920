import { currenciesOf } from '#engine/account/fill.ts';
import { clientOrderId } from '#engine/bot/state.ts';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import { anOrderRequest } from '#engine/ports/testing/an-order-request.ts';
import type { OrderRequest, Trading } from '#engine/ports/trading.ts';
import { InMemoryVenue } from '#engine/simulation/venue.ts';
import { askHeldElsewhere } from '#storage/differences/held-elsewhere.ts';
import { ignoreDifference, listDifferences } from '#storage/differences/found-differences.ts';
import { listAudit } from '#storage/audit/audit-log.ts';
import { renewLease } from '#storage/bots/runners.ts';
import { settleUnrecorded } from '#storage/differences/settle-unrecorded.ts';
import { removeFact, writeFact } from '#storage/installation/facts.ts';
import { isOpenAtExchange } from '#storage/trades/open-at-exchange.ts';
import { readTradingState } from '#storage/trading/trading-states.ts';
import { writeTrades } from '#storage/trades/trade-writes.ts';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test, vi } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { goLive } from '../../../test/support/go-live.ts';
import { patienceMs } from '../../../test/support/patience.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { anOrderRow, aTradeRow } from '../../storage/testing/trade-rows.ts';
import { AccountCheck } from './account-check.ts';
import { databaseRecords } from './account-records.ts';
import { orderTimes } from './order-times.ts';
import { UnrecordedOrders } from './unrecorded-orders.ts';

const { db } = await freshDatabase();
let made = 0;
let looks = 0;

/** Every bot is of a runner that lives. */
const runnerId = randomUUID();
const claim = `${runnerId} 1`;
const all = { begin: new Map<string, string>(), run: new Map<string, string>() };

beforeAll(async () => {
  await renewLease(db, { id: runnerId, host: 'test', exchanges: ['sandbox'] }, 3_600_000, true);
  // Searches count a moment after the start of the server, which may have been started for this file.
  const records = databaseRecords(db, { apiKeyId: randomUUID(), marketType: 'spot' });
  await vi.waitUntil(async () => (await records.start()) !== '', { timeout: patienceMs, interval: 100 });
});

/** The search of an account of perpetuals by a process that has all its bots. */
const searchOf = (trading: Trading, apiKeyId: string, now = Date.now) =>
  new UnrecordedOrders(trading, databaseRecords(db, { apiKeyId, marketType: 'futures' }), orderTimes, now, () => claim);

/** A live bot with a key of its own, and its account, where orders can be made without a record. */
async function rig(marketType: 'spot' | 'futures', held = 0, { paysInBnb = false, coin = 'BTC' } = {}) {
  const [symbol, unlisted] = marketType === 'spot' ? [`${coin}/USDT`, 'ETH/USDT'] : [`${coin}/USDT:USDT`, 'ETH/USDT:USDT'];
  const id = await addTestBot(db, { strategy: 'BuyAndHold', nickname: `bot ${made++}`, marketType, symbols: [symbol] });
  const apiKeyId = await goLive(db, id);
  await sql`update bots set runner_id = ${runnerId}, epoch = 1 where id = ${id}`.execute(db);
  all.begin.set(id, claim);
  const trade = aTradeRow(id, {
    symbol,
    mode: 'testnet',
    amount: held,
    engineState: JSON.stringify({ amountStep: 0.001, contractSize: 1 }),
  });
  if (held > 0) await writeTrades(db, [{ trade, orders: [], fills: [] }]);
  const venue = new InMemoryVenue({
    accountId: apiKeyId,
    instruments: [symbol, unlisted].map((each) =>
      anInstrument({ symbol: each, base: currenciesOf(each).base, marketType, maxLeverage: 10, takerFee: 0.001 }),
    ),
    balances: { USDT: 1_000_000, BNB: 10, ...(marketType === 'spot' ? { BTC: held + 10 } : {}) },
    time: Date.now() + 1_000,
    remembersIds: 'while-open',
    feeCurrency: 'quote',
    ...(paysInBnb ? { feeDiscount: { currency: 'BNB', price: 600 } } : {}),
  });
  for (const each of [symbol, unlisted]) venue.setPrices(each, { bid: 100, ask: 100 });
  const place = async (clientId: number | string, order: Partial<OrderRequest>) =>
    await venue.place(
      anOrderRequest({
        clientOrderId: typeof clientId === 'string' ? clientId : clientOrderId(id, clientId),
        symbol,
        expiresAt: Infinity,
        ...order,
      }),
    );
  let isHere = true;
  const orders = new UnrecordedOrders(venue, databaseRecords(db, { apiKeyId, marketType }), orderTimes, Date.now, () =>
    isHere ? claim : null,
  );
  const difference = async () => (await listDifferences(db, null)).open.find(({ botId }) => botId === id);
  const alarms = async () =>
    (
      await sql<{
        kind: string;
        facts: unknown;
      }>`select kind, facts from alarms where bot_id = ${id} and ended_at is null order by kind`.execute(db)
    ).rows;
  const rest = async () => {
    await sql`update unrecorded_orders set changed_at = now() - interval '1 minute' where bot_id = ${id}`.execute(db);
  };
  const open = async () => (await venue.openOrders()).map(({ clientOrderId: each }) => each);
  return {
    id,
    apiKeyId,
    symbol,
    unlisted, // that the bot does not trade
    venue,
    trade,
    place,
    orders,
    difference,
    alarms,
    rest,
    open,
    setHere: (is: boolean) => void (isHere = is),
    check: new AccountCheck(db, venue, marketType, { doubt: () => undefined, isCertainOf: () => true }, () => (looks += 1_000)),
  };
}

test('an open entry without a record is cancelled; what it bought is a difference at once, an alarm, and stops the entries', async () => {
  const { id, symbol, venue, place, orders, difference, alarms, open } = await rig('futures');
  venue.setPrices(symbol, { bid: 99, ask: 100, askAmount: 0.4 });
  await place(7, { type: 'limit', price: 100 });
  await place('by-hand', { type: 'limit', price: 90 });
  const found = await orders.search(true, all);
  expect(found).toMatchObject({ isOver: true });
  expect(found.highest.get(id)).toBe(7);
  expect(await open()).toEqual(['by-hand']);
  expect(await difference()).toMatchObject({ symbol, expected: 0, actual: 0.4, unrecorded: [{ net: 0.4, price: 100, fee: 0.04 }] });
  expect(await alarms()).toMatchObject([
    { kind: 'difference' },
    { kind: 'unrecorded-order', facts: { order: clientOrderId(id, 7), symbol, side: 'buy', amount: 1, filled: 0.4, price: 100 } },
  ]);
  expect(await readTradingState(db, id)).toBe('reducing');
  expect((await listAudit(db, { action: 'find-order' }, 10)).lines.filter(({ target }) => target === `bot ${id}`)).toMatchObject([
    { actorId: null, detail: { order: clientOrderId(id, 7), symbol, amount: 1, filled: 0.4 } },
  ]);
  await orders.search(false, all); // found twice is once
  expect(await alarms()).toHaveLength(2);
  expect((await listAudit(db, { action: 'find-order' }, 10)).lines.filter(({ target }) => target === `bot ${id}`)).toHaveLength(1);
  // What was noted counts as seen, also when it is listed no more.
  await venue.cancel(symbol, 'by-hand');
  expect((await orders.search(false, all)).highest.get(id)).toBe(7);
});

test('a fee in a third coin, which has no value here, is not known: it is not none', async () => {
  const { place, orders, difference } = await rig('spot', 0, { paysInBnb: true });
  await place(7, {});
  await orders.search(true, all);
  expect(await difference()).toMatchObject({ actual: 1, unrecorded: [{ net: 1, fee: null }] });
});

test('a fee in BNB is not taken out of what was bought of a perpetual of BNB', async () => {
  const { place, orders, difference } = await rig('futures', 0, { paysInBnb: true, coin: 'BNB' });
  await place(7, {});
  await orders.search(true, all);
  expect(await difference()).toMatchObject({ actual: 1, unrecorded: [{ net: 1 }] });
});

test('OP-85 what an order without a record has bought a moment ago is not forgotten because positions are listed later', async () => {
  const { venue, place, orders, difference, rest, check } = await rig('futures');
  await place(7, { amount: 0.4 });
  await orders.search(true, all);
  venue.positions = async () => [];
  await check.run();
  expect(await difference()).toMatchObject({ actual: 0.4, unrecorded: [{ net: 0.4 }] });
  await rest();
  await check.run();
  expect(await difference()).toBeUndefined();
});

test('a search of a bot that begins may wait for minutes, a smaller one may not', async () => {
  const { venue, orders } = await rig('futures');
  let patient = 0;
  venue.patiently = async (questions) => {
    patient += 1;
    return await questions();
  };
  await orders.search(false, all);
  expect(patient).toBe(0);
  await orders.search(true, all);
  expect(patient).toBe(1);
});

test('an order that is on record is left alone, and one of which nothing was filled leaves no difference', async () => {
  const { id, trade, place, orders, difference, open, alarms } = await rig('futures', 1);
  await writeTrades(db, [{ trade, orders: [anOrderRow(trade, { clientOrderId: clientOrderId(id, 3), status: 'open' })], fills: [] }]);
  await place(3, { type: 'limit', price: 90 });
  await place(4, { type: 'limit', price: 90 });
  await orders.search(true, all);
  expect(await open()).toEqual([clientOrderId(id, 3)]);
  expect(await difference()).toBeUndefined();
  expect((await alarms()).map(({ kind }) => kind)).toEqual(['unrecorded-order']);
  expect(await readTradingState(db, id)).toBe('active');
});

test('a stop without a record is cancelled where the bot has a trade, else it stays until a person has decided', async () => {
  const stop = { side: 'sell', type: 'stop', stopPrice: 90, reduceOnly: true } as const;
  const known = await rig('futures', 1);
  await known.place('by-hand', {});
  await known.place(5, stop);
  await known.orders.search(true, all);
  expect(await known.open()).toEqual([]);

  // Also where a difference is left to decide: the stop of the trade takes its place.
  const sold = await rig('futures', 2);
  await sold.place('by-hand', { amount: 2 });
  await sold.place(5, { side: 'sell', amount: 0.5 });
  await sold.place(6, stop);
  await sold.orders.search(true, all);
  expect([await sold.open(), (await sold.difference())?.actual]).toEqual([[], 1.5]);

  const { id, symbol, place, orders, open, difference } = await rig('futures');
  await place(5, {});
  await place(6, stop);
  for (let i = 0; i < 2; i++) expect(await orders.search(true, all)).toMatchObject({ isOver: true });
  expect(await open()).toEqual([clientOrderId(id, 6)]);
  expect(await difference()).toMatchObject({ expected: 0, actual: 1 });
  await settleUnrecorded(db, id, symbol);
  await orders.search(false, all);
  expect(await open()).toEqual([]);
});

test('OP-85 a stop without a record stays where its bot has not begun: nobody would place another', async () => {
  const { id, place, orders, open, setHere } = await rig('futures', 2);
  await place(6, { side: 'sell', type: 'stop', stopPrice: 90 });
  setHere(false);
  expect(await orders.search(true, all)).toMatchObject({ isOver: true });
  await orders.search(false, all);
  expect(await open()).toEqual([clientOrderId(id, 6)]);
  setHere(true);
  await orders.search(true, all);
  expect(await open()).toEqual([]);
});

test('a stop that protects nothing is cancelled', async () => {
  const { place, orders, open } = await rig('spot');
  await place(6, { side: 'sell', type: 'stop', stopPrice: 90 });
  await orders.search(true, all);
  expect(await open()).toEqual([]);
});

test.each(['spot', 'futures'] as const)(
  'OP-85 what a bot holds on %s in a pair that it has got since a backup is a difference once that is restored, and keeps its stop',
  async (marketType) => {
    const { id, unlisted, place, orders, difference, open } = await rig(marketType);
    await place(7, { symbol: unlisted, type: 'market' });
    await place(8, { symbol: unlisted, side: 'sell', type: 'stop', stopPrice: 90, reduceOnly: marketType === 'futures' });
    for (const isWhole of [true, false]) {
      expect(await orders.search(isWhole, all)).toMatchObject({ isOver: true });
      expect(await open()).toEqual([clientOrderId(id, 8)]);
      expect(await difference()).toMatchObject({ symbol: unlisted, expected: 0, actual: 1, unrecorded: [{ net: 1, price: 100 }] });
    }
  },
);

test.each(['spot', 'futures'] as const)(
  'OP-85 what a bot holds on %s without any order in a pair that it has got since a backup is looked for once that is restored, until a search has ended',
  async (marketType) => {
    const { id, unlisted, venue, place, orders, difference } = await rig(marketType);
    const asked: string[] = [];
    const ordersSince = venue.ordersSince.bind(venue);
    venue.ordersSince = async (symbol, since) => {
      asked.push(symbol);
      return await ordersSince(symbol, since);
    };
    await place(7, { symbol: unlisted, type: 'market' });
    await writeFact(db, 'restored_at', new Date(0).toISOString());
    await orders.search(true, all);
    expect([asked.includes(unlisted), await difference()]).toEqual([false, undefined]); // not since that restore
    await writeFact(db, 'restored_at', new Date().toISOString());
    await orders.search(true, all);
    expect(await difference()).toMatchObject({ symbol: unlisted, expected: 0, actual: 1, unrecorded: [{ net: 1, price: 100 }] });
    await sql`delete from unrecorded_orders where bot_id = ${id}`.execute(db); // a pair of it would be searched with each
    await sql`update differences set ended_at = now(), outcome = 'gone' where bot_id = ${id}`.execute(db);
    await sql`update order_searches set searched_at = now() + interval '1 second'`.execute(db);
    asked.length = 0;
    await orders.search(true, all);
    expect(asked.includes(unlisted)).toBe(false);
    await removeFact(db, 'restored_at');
  },
);

test('OP-85 after a restore coins are looked for also where somebody else has put all of them up for sale', async () => {
  const { unlisted, place, orders, difference } = await rig('spot');
  await place(7, { symbol: unlisted, type: 'market' });
  await place('by-hand', { symbol: unlisted, side: 'sell', type: 'limit', price: 200 });
  await writeFact(db, 'restored_at', new Date().toISOString());
  await orders.search(true, all);
  await removeFact(db, 'restored_at');
  expect(await difference()).toMatchObject({ symbol: unlisted, expected: 0, actual: 1, unrecorded: [{ net: 1, price: 100 }] });
});

test('what a stop sells later is noted too', async () => {
  const { symbol, venue, place, orders, difference } = await rig('futures');
  await place(5, { amount: 2 });
  await place(6, { side: 'sell', type: 'stop', stopPrice: 90, amount: 1.5, reduceOnly: true });
  await orders.search(true, all);
  venue.setPrices(symbol, { bid: 89, ask: 89 });
  await orders.search(false, all);
  expect(await difference()).toMatchObject({ expected: 0, actual: 0.5 });
});

test('on spot coins that orders without a record have bought are a difference, until they are gone; other coins are none', async () => {
  const { place, orders, difference, check, rest } = await rig('spot');
  await check.run();
  await check.run();
  expect(await difference()).toBeUndefined();
  await place(5, { amount: 2 });
  await orders.search(true, all);
  await rest();
  for (let i = 0; i < 2; i++) await check.run();
  expect((await difference())?.actual).toBe(2);
  // Of 12 coins the owner sells 11: one of those bought at the least is gone.
  await place('by-hand', { side: 'sell', amount: 11 });
  await check.run();
  await check.run();
  expect(await difference()).toMatchObject({ expected: 0, actual: 1 });
  await place('by-hand', { side: 'sell', amount: 1 });
  await check.run();
  await check.run();
  expect(await difference()).toBeUndefined();
  await place('by-hand', { amount: 5 });
  await check.run();
  await check.run();
  expect(await difference()).toBeUndefined(); // what was gone does not come again
});

test('on spot coins that orders without a record have sold are missing, also where its owner has more of them', async () => {
  const { place, orders, difference, check, trade, rest } = await rig('spot', 2);
  await place(5, { side: 'sell', amount: 0.5 });
  await orders.search(true, all);
  await rest();
  for (let i = 0; i < 2; i++) await check.run();
  expect(await difference()).toMatchObject({ expected: 2, actual: 1.5 });
  expect(await askHeldElsewhere(db, trade.id, 0.5, new Date())).toBe(true);
});

test("coins that are ignored on spot are their owner's: he may sell them", async () => {
  const { id, place, orders, difference, check, rest } = await rig('spot');
  await place(5, { amount: 2 });
  await orders.search(true, all);
  const found = await difference();
  if (found === undefined) throw new Error('no difference was found');
  await ignoreDifference(db, found);
  await place('by-hand', { side: 'sell', amount: 12 });
  await rest();
  for (let i = 0; i < 2; i++) await check.run();
  expect(await difference()).toBeUndefined();
  expect(
    (await sql`select 1 from ignored_holdings i join bots b on b.api_key_id = i.api_key_id where b.id = ${id}`.execute(db)).rows,
  ).toEqual([]);
});

test('a round trip without a record leaves nothing to decide', async () => {
  const { place, orders, difference, id } = await rig('spot');
  await place(5, { amount: 2 });
  await place(6, { amount: 1.999, side: 'sell' });
  await orders.search(true, all);
  expect(await difference()).toBeUndefined();
  expect((await sql`select 1 from unrecorded_orders where bot_id = ${id} and settled_at is not null`.execute(db)).rows).toHaveLength(2);
});

test('what is below a step of the symbol is nothing to decide', async () => {
  const { trade, place, orders, difference } = await rig('spot', 1);
  await sql`update trades set engine_state = '{"amountStep": 0.1, "contractSize": 1}' where id = ${trade.id}`.execute(db);
  await place(5, { amount: 2 });
  await place(6, { amount: 1.95, side: 'sell' });
  await orders.search(true, all);
  expect(await difference()).toBeUndefined();
});

test('what has ended before the last search is not asked for again, a planned order is', async () => {
  const { id, venue, trade } = await rig('futures', 1);
  const asked: number[] = [];
  const spied = new Proxy(venue, {
    get(target, name) {
      if (name === 'ordersSince')
        return async (each: string, since: number) => {
          asked.push(since);
          return await target.ordersSince(each, since);
        };
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const apiKeyId = venue.accountId;
  let now = Date.UTC(2030, 0, 1);
  const search = searchOf(spied, apiKeyId, () => now);
  await search.search(true, all);
  now += 60_000;
  await search.search(true, all);
  const slack = orderTimes.expiry + orderTimes.clockOff;
  expect(asked.at(-1)).toBe(now - 60_000 - slack);
  const plannedAt = new Date(Date.UTC(2029, 11, 31));
  await writeTrades(db, [
    { trade, orders: [anOrderRow(trade, { clientOrderId: clientOrderId(id, 9), status: 'planned', plannedAt, sentAt: null })], fills: [] },
  ]);
  await search.search(true, all);
  expect(asked.at(-1)).toBe(plannedAt.getTime() - slack);
});

test('OP-85 what an order without a record has bought while a search ran for minutes is found by the next one', async () => {
  let now = Date.now();
  const { apiKeyId, venue, place, difference } = await rig('futures');
  const openOrders = venue.openOrders.bind(venue);
  let isFirst = true;
  venue.openOrders = async (symbol) => {
    const listed = await openOrders(symbol);
    if (isFirst) await place(7, {}); // the orders that have ended were listed before
    isFirst = false;
    now += 5 * 60_000;
    return listed;
  };
  const orders = searchOf(venue, apiKeyId, () => now);
  await orders.search(true, all);
  expect(await difference()).toBeUndefined();
  await orders.search(true, all);
  expect(await difference()).toMatchObject({ expected: 0, actual: 1, unrecorded: [{ net: 1, price: 100 }] });
});

test('OP-85 of a symbol that several bots trade all is asked for since the one of which the least is on record', async () => {
  const { id, symbol, venue, apiKeyId } = await rig('futures');
  const asked: number[] = [];
  const spied = new Proxy(venue, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]): unknown => {
        if (name === 'ordersSince') asked.push(Number(given[1]));
        return Reflect.apply(value, target, given);
      };
    },
  });
  const slack = orderTimes.expiry + orderTimes.clockOff;
  for (const sinces of [
    [1_000_000, 2_000_000],
    [2_000_000, 1_000_000],
  ]) {
    const bots = async () =>
      sinces.map((since, i) => ({ id: `${id}${i}`, symbols: [symbol], trades: [], since, noted: [], isRestored: false }));
    const records = { ...databaseRecords(db, { apiKeyId, marketType: 'futures' }), bots };
    await new UnrecordedOrders(spied, records, orderTimes, Date.now, () => claim).search(true, all);
  }
  expect(asked).toEqual([1_000_000 - slack, 1_000_000 - slack]);
});

test('OP-85 after a restore all of a pair that none of several bots trades is asked for since the one of which the least is on record', async () => {
  const { id, symbol, unlisted, venue, apiKeyId, place } = await rig('futures');
  await place('by-hand', { symbol: unlisted }); // something is held there
  const asked: number[] = [];
  const ordersSince = venue.ordersSince.bind(venue);
  venue.ordersSince = async (of, since) => {
    if (of === unlisted) asked.push(since);
    return await ordersSince(of, since);
  };
  for (const sinces of [
    [1_000_000, 2_000_000],
    [2_000_000, 1_000_000],
  ]) {
    const bots = async () =>
      sinces.map((since, i) => ({ id: `${id}${i}`, symbols: [symbol], trades: [], since, noted: [], isRestored: true }));
    const records = { ...databaseRecords(db, { apiKeyId, marketType: 'futures' }), bots };
    await new UnrecordedOrders(venue, records, orderTimes, Date.now, () => claim).search(true, all);
  }
  const slack = orderTimes.expiry + orderTimes.clockOff;
  expect(asked).toEqual([1_000_000 - slack, 1_000_000 - slack]);
});

test('a search is not over before a cancelling is confirmed', async () => {
  const { apiKeyId, venue, place, open } = await rig('futures');
  let isSlow = true;
  const slow = new Proxy(venue, {
    get(target, name) {
      if (name === 'cancel' && isSlow) return async (symbol: string, id: string) => await target.order(symbol, id);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const orders = searchOf(slow, apiKeyId);
  await place(7, { type: 'limit', price: 90 });
  expect((await orders.search(true, all)).isOver).toBe(false);
  expect((await sql`select 1 from order_searches where api_key_id = ${apiKeyId}`.execute(db)).rows).toEqual([]);
  isSlow = false;
  expect((await orders.search(true, all)).isOver).toBe(true);
  expect(await open()).toEqual([]);
});

test('OP-85 an order without a record that the exchange does not know any more stands no more: what waits for its end continues', async () => {
  const { id, venue, place, orders } = await rig('futures');
  await place(5, {});
  await place(6, { side: 'sell', type: 'stop', stopPrice: 90, reduceOnly: true });
  await orders.search(true, all);
  const forgets = { openOrders: async () => [], ordersSince: async () => [], order: async () => null };
  const forgetful = new Proxy<Trading>(venue, {
    get(target, name) {
      const value: unknown = Reflect.get(forgets, name) ?? Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const { apiKeyId } = await db.selectFrom('bots').select('apiKeyId').where('id', '=', id).executeTakeFirstOrThrow();
  const later = searchOf(forgetful, apiKeyId ?? '');
  const states = async () =>
    (await sql<{ state: string }>`select state from unrecorded_orders where bot_id = ${id} order by client_order_id`.execute(db)).rows.map(
      ({ state }) => state,
    );
  await later.search(false, all); // the list of the open orders alone may lag behind
  expect(await states()).toEqual(['filled', 'open']);
  await later.search(true, all);
  expect(await states()).toEqual(['filled', 'cancelled']);
});

test('OP-85 a bot that orders without a record have left something of keeps its account until a person has decided', async () => {
  const { id, symbol, place, orders } = await rig('futures');
  await place(5, {});
  expect(await isOpenAtExchange(db, id)).toBe(false);
  await orders.search(true, all);
  expect(await isOpenAtExchange(db, id)).toBe(true);
  await settleUnrecorded(db, id, symbol);
  expect(await isOpenAtExchange(db, id)).toBe(false);
});

test('an order that stands though it has ended on record for more than a minute is cancelled; one that has just ended there, or is open, is not', async () => {
  const { id, symbol, trade, place, orders, open } = await rig('futures', 1);
  const ids = [1, 2, 3].map((number) => clientOrderId(id, number));
  const rows = ids.map((each, i) =>
    anOrderRow(trade, { clientOrderId: each, purpose: 'stop', side: 'sell', type: 'stop', status: i === 2 ? 'open' : 'cancelled' }),
  );
  await writeTrades(db, [{ trade, orders: rows, fills: [] }]);
  await sql`update orders set closed_at = case client_order_id when ${ids[0]} then now() - interval '2 minutes' when ${ids[1]} then now() end
    where client_order_id = any(${ids}::text[])`.execute(db);
  await place('bought', {});
  for (const each of ids) await place(each, { side: 'sell', type: 'stop', price: null, stopPrice: 80, reduceOnly: true, symbol });
  await orders.search(false, all);
  expect((await open()).toSorted()).toEqual([ids[1], ids[2]]);
});
