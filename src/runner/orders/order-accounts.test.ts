import { randomUUID } from 'node:crypto';
import type { MarketType } from '#engine/market/instrument.ts';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import { aTrade } from '#engine/account/testing/a-trade.ts';
import { anOrder } from '#engine/account/testing/an-order.ts';
import type { OrderReport } from '#engine/bot/event.ts';
import { botState, clientOrderId } from '#engine/bot/state.ts';
import { requireSettings } from '#engine/settings/normalise-settings.ts';
import { InMemoryVenue } from '#engine/simulation/venue.ts';
import { readLiveHealth } from '#storage/exchange-accounts/account-checks.ts';
import { openDifferences } from '#storage/differences/differences.ts';
import { anOrderRow, aTradeRow } from '#storage/testing/trade-rows.ts';
import { writeTrades } from '#storage/trades/trade-writes.ts';
import { sql } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { BotOrders } from './bot-orders.ts';
import { FeeValues } from './fee-values.ts';
import type { AccountName } from './order-accounts.ts';
import { OrderAccounts } from './order-accounts.ts';
import type { RoomBot } from './order-room.ts';
import type { TimesInForce } from './planned-orders.ts';
import type { OrderStore } from './order-store.ts';
import { aStoredOrder } from './testing/a-stored-order.ts';

const { db } = await freshDatabase();

const symbolOf = (marketType: MarketType): string => (marketType === 'spot' ? 'BTC/USDT' : 'BTC/USDT:USDT');

/** The accounts of a runner, and one of them with a key that is there. */
async function rig(refuses = false, marketType: MarketType = 'spot', now: () => number = Date.now) {
  const symbol = symbolOf(marketType);
  const botId = await addTestBot(db, { strategy: 'BuyAndHold', nickname: randomUUID(), marketType, symbols: [symbol] });
  const apiKeyId = randomUUID();
  await sql`insert into api_keys (id, user_id, exchange_id, label, key_hint, sealed, created_at)
    select ${apiKeyId}, user_id, 'sandbox', 'test', 'abcd', '{}', now() from bots where id = ${botId}`.execute(db);
  const opened: { isClosed: boolean; listeners: number }[] = [];
  const venues: InMemoryVenue[] = [];
  const exchange = { isAway: false };
  const accounts = new OrderAccounts(
    { db },
    async ({ marketType: wanted }) => {
      if (exchange.isAway) throw new ExchangeError('temporary', 'The exchange does not answer.');
      const venue = new InMemoryVenue({
        accountId: apiKeyId,
        instruments: [anInstrument({ symbol: symbolOf(wanted), marketType: wanted, maxLeverage: 10 })],
        balances: { USDT: 1_000_000 },
        time: Date.now(),
        remembersIds: 'always',
        feeCurrency: 'quote',
      });
      if (refuses) vi.spyOn(venue, 'openOrders').mockRejectedValue(new ExchangeError('unauthorised', 'The key is refused.'));
      const state = { isClosed: false, listeners: 0 };
      opened.push(state);
      venues.push(venue);
      vi.spyOn(venue, 'watch').mockImplementation(() => {
        state.listeners += 1;
        return () => void (state.listeners -= 1);
      });
      vi.spyOn(venue, 'close').mockImplementation(async () => void (state.isClosed = true));
      return venue;
    },
    now,
    () => undefined,
    0.01, // an expiry is over after 20 ms
  );
  onTestFinished(() => accounts.close());
  const account: AccountName = { apiKeyId, exchangeId: 'sandbox', marketType };
  const bot: RoomBot = {
    id: botId,
    claim: '1',
    store: accounts.store({ id: botId, epoch: '0', runnerId: randomUUID() }),
    waiting: () => [],
    booked: () => new Map(),
    onReport: () => undefined,
    onNumbersSeen: () => undefined,
    onFailure: () => undefined,
    onRefused: () => undefined,
  };
  return { accounts, account, bot, opened, venues, exchange, symbol };
}

test('a clock that is set back an hour does not hold up the search of an account', async () => {
  let ahead = 3_600_000;
  let looks = 0;
  const { accounts, account, bot } = await rig(false, 'spot', () => (looks++, Date.now() + ahead));
  const room = await accounts.room(account);
  const before = looks;
  await expect.poll(() => looks).toBeGreaterThan(before + 1); // the runner has seen the clock as it was
  await room.attach(bot);
  ahead = 0;
  await expect.poll(() => room.isSettled(bot.id)).toBe(true);
});

test('an account that no bot has used for a minute is closed with its user stream, and opened again when one comes', async () => {
  const { accounts, account, bot, opened } = await rig();
  const room = await accounts.room(account);
  await room.attach(bot);
  await accounts.tidy(0);
  await accounts.tidy(100_000);
  expect(opened).toEqual([{ isClosed: false, listeners: 1 }]);
  room.detach(bot);
  await accounts.tidy(110_000);
  await accounts.tidy(169_999);
  expect(opened[0]?.isClosed).toBe(false);
  await accounts.tidy(170_000);
  expect(opened).toEqual([{ isClosed: true, listeners: 0 }]);
  await expect(room.attach(bot)).rejects.toThrow('closed');
  await (await accounts.room(account)).attach(bot);
  expect(opened).toHaveLength(2);
});

test('an account that a bot comes back to within a minute stays open', async () => {
  const { accounts, account, bot, opened } = await rig();
  const room = await accounts.room(account);
  await accounts.tidy(0);
  await accounts.tidy(50_000);
  expect(await accounts.room(account)).toBe(room);
  await accounts.tidy(70_000);
  await room.attach(bot);
  await accounts.tidy(200_000);
  expect(opened).toEqual([{ isClosed: false, listeners: 1 }]);
});

test('an account whose key was deleted is closed at once, whoever uses it', async () => {
  const { accounts, account, bot, opened } = await rig();
  await (await accounts.room(account)).attach(bot);
  await sql`delete from api_keys where id = ${account.apiKeyId}`.execute(db);
  await accounts.tidy(0);
  expect(opened).toEqual([{ isClosed: true, listeners: 0 }]);
});

test('an account that is opened while the keys of others are looked for stays open', async () => {
  const { accounts, account, opened } = await rig();
  await accounts.room(account);
  const other = { ...account, apiKeyId: randomUUID() };
  const tidied = accounts.tidy(0);
  const room = await accounts.room(other);
  await tidied;
  expect(opened).toHaveLength(2);
  expect(opened[1]?.isClosed).toBe(false);
  expect(await accounts.room(other)).toBe(room);
});

test('an account that could not be opened while its exchange was away is opened for the next bot that needs it', async () => {
  const { accounts, account, bot, opened, exchange } = await rig();
  exchange.isAway = true;
  await expect(accounts.room(account)).rejects.toMatchObject({ kind: 'temporary' });
  exchange.isAway = false;
  await (await accounts.room(account)).attach(bot);
  expect(opened).toEqual([{ isClosed: false, listeners: 1 }]);
});

test('spot and perpetuals of one key are two accounts, and a bot has that of its market', async () => {
  const { accounts, account, bot, opened, venues } = await rig();
  const spot = await accounts.room(account);
  await spot.attach(bot);
  const perpetuals: AccountName = { ...account, marketType: 'futures' };
  expect(await accounts.room(perpetuals)).not.toBe(spot);
  expect(await accounts.room(account)).toBe(spot);
  expect(opened).toHaveLength(2);
  // Each knows the pairs of its own market.
  for (const [i, marketType] of (['spot', 'futures'] as const).entries())
    expect(() => venues[i]?.setPrices(symbolOf(marketType), { bid: 100, ask: 100 })).not.toThrow();
  await accounts.tidy(0);
  await accounts.tidy(60_000);
  expect(opened.map(({ isClosed }) => isClosed)).toEqual([false, true]); // the one that no bot uses
});

test('a bot does not wait for an account that is closed before its orders were searched for', async () => {
  const { accounts, account, bot } = await rig();
  const orders = newOrders(accounts, account, bot, []);
  const begins = orders.open();
  await sql`delete from api_keys where id = ${account.apiKeyId}`.execute(db);
  await accounts.room(account);
  await accounts.tidy(0);
  await expect(begins).rejects.toThrow('The account was just closed');
  orders.end();
});

test('a bot that is ended while it is attached is not followed, and its account is not compared for it', async () => {
  const { accounts, account, bot } = await rig();
  const room = await accounts.room(account);
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<Awaited<ReturnType<OrderStore['orders']>>>()];
  const store: OrderStore = {
    ...bot.store,
    orders: async () => {
      asked.resolve();
      return await answer.promise;
    },
  };
  const checked = vi.spyOn(accounts, 'checkNow');
  const orders = newOrders(accounts, account, { ...bot, store }, []);
  const begins = orders.open();
  await asked.promise;
  orders.end();
  answer.resolve([]);
  await begins;
  expect([room.hasBots, checked.mock.calls.length]).toEqual([false, 0]);
});

const settings = requireSettings({ stakeAmount: 10, maxOpenTrades: 1, startingBalance: 100, stoploss: -0.1, minimalRoi: {} });

/** The orders of a bot whose failures are gathered. */
function newOrders(
  accounts: OrderAccounts,
  account: AccountName,
  bot: RoomBot,
  errors: unknown[],
  timeInForce: TimesInForce = {},
): BotOrders {
  return new BotOrders(accounts, account, {
    id: bot.id,
    claim: '1',
    store: bot.store,
    timeInForce,
    feeValues: new FeeValues(
      async () => Promise.reject(new Error('no market')),
      () => undefined,
    ),
    state: () =>
      botState({
        botId: bot.id,
        timeframe: '1m',
        status: 'active',
        settings,
      }),
    onReport: () => undefined,
    onNumbersSeen: () => undefined,
    onError: (error) => errors.push(error),
    onFenced: () => undefined,
  });
}

test('an entry that its strategy wants filled at once or not at all is sent so', async () => {
  const { accounts, account, bot, venues, symbol } = await rig();
  const store: OrderStore = {
    ...bot.store,
    send: async () => ({ kind: 'sent', expiresInMs: 60_000 }),
    change: async () => true,
  };
  const orders = newOrders(accounts, account, { ...bot, store }, [], { entry: 'FOK' });
  onTestFinished(() => orders.end());
  await orders.open();
  const [venue] = venues;
  if (venue === undefined) throw new Error('The account was not opened');
  venue.setPrices(symbol, { bid: 99, ask: 100 });
  const placed = vi.spyOn(venue, 'place');
  const order = anOrder({ id: clientOrderId(bot.id, 1), state: 'planned', type: 'limit', price: 90, createdTime: Date.now() });
  const trade = aTrade({ symbol, orders: [order] });
  const state = { ...botState({ botId: bot.id, timeframe: '1m', status: 'active', settings }), trades: [trade] };
  orders.decided(state, [{ kind: 'order-created', time: Date.now(), tradeId: trade.id, symbol, order }]);
  await expect.poll(() => placed.mock.calls.length).toBe(1);
  expect(placed.mock.calls[0]?.[0]).toMatchObject({ clientOrderId: order.id, timeInForce: 'FOK' });
  expect(await venue.openOrders()).toEqual([]);
});

test('a bot whose key is refused does not begin, and whoever runs it learns why', async () => {
  const { accounts, account, bot } = await rig(true);
  const errors: unknown[] = [];
  await sql`update bots set mode = 'live', api_key_id = ${account.apiKeyId} where id = ${bot.id}`.execute(db);
  const orders = newOrders(accounts, account, bot, errors);
  await expect(orders.open()).rejects.toMatchObject({ kind: 'unauthorised' });
  orders.end();
  expect(errors).toMatchObject([{ kind: 'unauthorised' }]);
});

test.each([
  ['at once when its key is refused', 'unauthorised', 0],
  ['after a quarter of a minute when it is refused', 'rejected', 15_001],
  ['after a quarter of a minute when it is not answered', 'temporary', 15_001],
] as const)('a bot that waits for one order that cannot be asked about says why, %s', async (_name, kind, afterMs) => {
  const { accounts, account, bot, venues, symbol } = await rig();
  const room = await accounts.room(account);
  const [venue] = venues;
  if (venue === undefined) throw new Error('The account was not opened');
  vi.spyOn(venue, 'order').mockImplementation(async (_symbol, of) => Promise.reject(new ExchangeError(kind, `No order ${of}.`)));
  const failureOf = vi.spyOn(room, 'failureOf');
  const id = clientOrderId(bot.id, 1);
  const store: OrderStore = { ...bot.store, orders: async () => [aStoredOrder({ botId: bot.id, clientOrderId: id, symbol })] };
  const orders = newOrders(accounts, account, { ...bot, store }, []);
  onTestFinished(() => orders.end());
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const begins = orders.open();
  begins.catch(() => undefined);
  await expect.poll(() => failureOf.mock.results.some(({ value }) => value !== null)).toBe(true);
  vi.advanceTimersByTime(afterMs);
  await expect(begins).rejects.toMatchObject({ kind, message: `No order ${id}.` });
});

test.each([
  ['', null],
  [', also when its stop was reported ended a moment ago', { purpose: 'stop', type: 'stop', status: 'cancelled' }],
  [', also when that exit was planned before', { purpose: 'exit', type: 'market', status: 'planned' }],
] as const)(
  'a bot begins only when what its account lacks is noted: its first exit must not sell what another bot holds%s',
  async (_name, before) => {
    const { accounts, account, bot, venues, symbol } = await rig();
    await sql`update bots set mode = 'live', api_key_id = ${account.apiKeyId} where id = ${bot.id}`.execute(db);
    const engineState = JSON.stringify({ amountStep: 0.001, contractSize: 1 });
    const trade = aTradeRow(bot.id, { symbol, mode: 'testnet', amount: 1, engineState }); // its coins were sold by hand
    const at = new Date();
    const order = anOrderRow(trade, { clientOrderId: clientOrderId(bot.id, 7), side: 'sell', requested: 1, plannedAt: at, ...before });
    const ended = before?.status === 'cancelled' ? { sentAt: at, acknowledgedAt: at, closedAt: at } : {};
    await writeTrades(db, [{ trade, orders: before === null ? [] : [{ ...order, ...ended }], fills: [] }]);
    const orders = newOrders(accounts, account, bot, []);
    onTestFinished(async () => {
      orders.end();
      await sql`update orders set status = 'cancelled', closed_at = now() where bot_id = ${bot.id}`.execute(db);
      await sql`update trades set status = 'closed', closed_at = now() where bot_id = ${bot.id}`.execute(db);
      await sql`update bots set mode = 'paper' where id = ${bot.id}`.execute(db); // others ask when accounts were compared last
    });
    await accounts.room(account);
    const placed = vi.spyOn(venues[0] ?? expect.fail('The account was not opened'), 'place');
    await orders.open();
    expect(await openDifferences(db, account.apiKeyId)).toEqual([{ botId: bot.id, symbol, missing: 1 }]);
    await (await accounts.room(account)).tick();
    expect(placed.mock.calls).toEqual([]);
  },
);

test('ADD-differences what differs when its account has its turn is looked at again forty seconds later, and then counts', async () => {
  const { accounts, account, bot, venues, symbol } = await rig(false, 'futures');
  await sql`update bots set mode = 'live', api_key_id = ${account.apiKeyId} where id = ${bot.id}`.execute(db);
  await (await accounts.room(account)).attach(bot);
  const order = { clientOrderId: 'by hand', symbol, side: 'buy', type: 'market', amount: 2, price: null, stopPrice: null } as const;
  venues[0]?.setPrices(symbol, { bid: 100, ask: 100 });
  await venues[0]?.place({ ...order, reduceOnly: false, expiresAt: Date.now() + 60_000 });
  const found = async (): Promise<unknown[]> => await openDifferences(db, account.apiKeyId);
  const turn = performance.now() + 60_000;
  await accounts.compare(() => turn);
  await accounts.compare(() => turn + 39_999);
  expect(await found()).toEqual([]);
  await accounts.compare(() => turn + 40_000);
  expect(await found()).toEqual([{ botId: bot.id, symbol, missing: -2 }]);
  // Another second look is for what is found then: the next turn is a minute later.
  const checked = async () => (await readLiveHealth(db)).oldestCheckAt?.getTime();
  const before = await checked();
  await accounts.compare(() => turn + 99_999);
  expect(await checked()).toBe(before);
  await accounts.compare(() => turn + 100_000);
  expect(await checked()).toBeGreaterThan(before ?? Infinity);
});

test('OP-85 the open orders of an account are searched for some without a record whenever it has its turn', async () => {
  const { accounts, account, bot, venues, symbol } = await rig();
  await sql`update bots set mode = 'live', api_key_id = ${account.apiKeyId} where id = ${bot.id}`.execute(db);
  const room = await accounts.room(account);
  await room.attach(bot);
  await expect.poll(() => room.isSettled(bot.id)).toBe(true);
  const order = {
    clientOrderId: clientOrderId(bot.id, 9),
    symbol,
    side: 'buy',
    type: 'limit',
    amount: 1,
    price: 90,
    stopPrice: null,
  } as const;
  venues[0]?.setPrices(symbol, { bid: 100, ask: 100 });
  await venues[0]?.place({ ...order, reduceOnly: false, expiresAt: Date.now() + 60_000 });
  await accounts.compare(() => performance.now() + 60_000);
  await expect.poll(() => venues[0]?.openOrders()).toEqual([]);
});

test('a bot begins only when it has the fills of before with the value of their fees, however late the price of BNB comes', async () =>
  await beginsWithValuedFees('trades'));

test('a bot begins only when it has the late fills of a trade that has closed with the value of their fees', async () =>
  await beginsWithValuedFees('formerTrades'));

/** Has a bot begin that lacks a fill, with its fee in BNB, of one of these trades. */
async function beginsWithValuedFees(list: 'trades' | 'formerTrades'): Promise<void> {
  const { accounts, account, bot, venues, symbol } = await rig();
  const room = await accounts.room(account);
  const [venue] = venues;
  if (venue === undefined) throw new Error('The account was not opened');
  venue.setPrices(symbol, { bid: 100, ask: 100 });
  const id = clientOrderId(bot.id, 1);
  const request = { clientOrderId: id, symbol, side: 'buy', type: 'market', amount: 2, price: null, stopPrice: null } as const;
  await venue.place({ ...request, reduceOnly: false, expiresAt: Date.now() + 60_000 });
  const fills = await venue.fillsSince(symbol, null);
  vi.spyOn(venue, 'fillsSince').mockResolvedValue(fills.map((fill) => ({ ...fill, fee: 0.01, feeCurrency: 'BNB', feeInQuote: null })));
  // By a process that did not live to see the answer.
  const stored = aStoredOrder({ ...request, botId: bot.id, purpose: 'entry', state: 'sent' });
  const store: OrderStore = {
    orders: async () => [{ ...stored }],
    send: async () => await Promise.reject(new Error('It was sent before')),
    async change(_id, change) {
      Object.assign(stored, { state: change.path.at(-1) ?? stored.state, filled: change.filled ?? stored.filled });
      return true;
    },
    entryRefusal: async () => null,
    fillBefore: async () => null,
  };
  const trade = aTrade({ symbol, orders: [anOrder({ id, state: 'sent' })] });
  const state = { ...botState({ botId: bot.id, timeframe: '1m', status: 'active', settings }), [list]: [trade] };
  const price = Promise.withResolvers<void>();
  const reports: OrderReport[] = [];
  const orders = new BotOrders(accounts, account, {
    id: bot.id,
    claim: '1',
    store,
    timeInForce: {},
    feeValues: new FeeValues(
      async () => ({
        async candles(_symbol, _timeframe, from) {
          await price.promise;
          return [{ openTime: from, open: 600, high: 600, low: 600, close: 600, volume: 1 }];
        },
      }),
      (error) => expect(error).toBeNull(),
    ),
    state: () => state,
    onReport: (_order, report) => void reports.push(report),
    onNumbersSeen: () => undefined,
    onError: (error) => expect(error).toBeNull(),
    onFenced: () => undefined,
  });
  onTestFinished(() => orders.end());
  const isSettled = room.isSettled.bind(room);
  const settled = Promise.withResolvers<void>();
  vi.spyOn(room, 'isSettled').mockImplementation((of) => {
    const is = isSettled(of);
    if (is) settled.resolve();
    return is;
  });
  let hasBegun = false;
  const checked = vi.spyOn(accounts, 'checkNow');
  const begins = orders.open().then(() => (hasBegun = true));
  await settled.promise; // of all orders it is known what became of them
  await new Promise(setImmediate);
  expect([hasBegun, checked.mock.calls.length, reports.length]).toEqual([false, 0, 0]);
  price.resolve();
  await begins;
  expect(reports.at(-1)).toMatchObject({ state: 'filled', filled: 2, fills: [{ fee: 0.01, feeCurrency: 'BNB', feeInQuote: 6 }] });
}
