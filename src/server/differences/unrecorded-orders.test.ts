import { randomUUID } from 'node:crypto';
import { adoptNeedsBot, adoptNeedsLess } from '#contract/differences.ts';
import { holdingsToAdopt, noteAdopted } from '#storage/differences/adopted-holdings.ts';
import { expectedHoldings } from '#storage/differences/differences.ts';
import { aFillRow, anOrderRow, aTradeRow } from '#storage/testing/trade-rows.ts';
import { isOpenAtExchange } from '#storage/trades/open-at-exchange.ts';
import { writeTrades } from '#storage/trades/trade-writes.ts';
import { noteOrderSearch, noteUnrecorded, standingUnrecorded } from '#storage/differences/unrecorded-orders.ts';
import { readServerStart } from '#storage/server-start.ts';
import { readTradingState } from '#storage/trading/trading-states.ts';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { goLive } from '../../../test/support/go-live.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';

const server = await startTestServer();
const { db } = server.dependencies;
let owner: Awaited<ReturnType<typeof server.signedIn>>;
let made = 0;
const begunAt = await readServerStart(db);
const symbol = 'BTC/USDT';

interface Given {
  side?: 'buy' | 'sell';
  amount: number;
  price?: number;
  fee?: string | null;
  state?: string;
  number?: number; // of an order that was noted before
  of?: string; // symbol
}

/** A live bot on spot, of which these orders were found without a record. */
async function found(orders: readonly Given[], held = 0) {
  const nickname = `found ${made++}`;
  const botId = await addTestBot(db, { strategy: 'RsiReversal', owner: owner.email, nickname, symbols: [symbol] });
  const apiKeyId = await goLive(db, botId);
  const runnerId = randomUUID();
  await sql`insert into runners (id, host, expires_at) values (${runnerId}, 'here', now() + interval '1 hour')`.execute(db);
  await sql`update bots set runner_id = ${runnerId} where id = ${botId}`.execute(db);
  const trade = aTradeRow(botId, {
    symbol,
    mode: 'testnet',
    amount: held,
    engineState: JSON.stringify({ amountStep: 0.001, contractSize: 1 }),
  });
  if (held > 0) await writeTrades(db, [{ trade, orders: [], fills: [] }]);
  const account = { apiKeyId, marketType: 'spot' };
  let count = 0;
  const note = async (some: readonly Given[]) => {
    const rows = some.map(({ side = 'buy', amount, price = 100, fee = '0.1', state = 'filled', number, of = symbol }) => {
      const n = number ?? count++;
      return {
        botId,
        clientOrderId: `fl-${botId}-${n}`,
        exchangeOrderId: String(n),
        symbol: of,
        side,
        type: 'limit' as const,
        state,
        requested: amount,
        filled: amount,
        price,
        net: String(side === 'buy' ? amount : -amount),
        averagePrice: String(price),
        feeQuote: fee,
        madeAt: new Date(Date.UTC(2026, 0, 1, 0, n)),
      };
    });
    await noteUnrecorded(db, account, rows);
  };
  await note(orders);
  const find = async () => (await owner.listDifferences({})).open.find((each) => each.bot_id === botId);
  const difference = await find();
  const resolve = (how: 'adopt' | 'ignore' | 'close') =>
    owner.resolveDifference({
      params: { id: difference?.id ?? '' },
      body: { how, expected: difference?.expected ?? 0, actual: difference?.actual ?? 0 },
    });
  const choice = (how: string) => difference?.choices.find((each) => each.how === how);
  return { botId, account, trade, note, difference, find, resolve, choice, wishes: () => holdingsToAdopt(db, runnerId) };
}

/** What has been decided about a bot, newest first, and whether the bot has carried it out. */
async function decided(botId: string) {
  const { ended } = await owner.listDifferences({});
  return ended.filter((each) => each.bot_id === botId).map(({ outcome, is_done }) => ({ outcome, is_done }));
}

beforeAll(async () => {
  owner = await server.signedIn('trader');
});

test('ADD-resolve-difference what orders without a record have bought may become a trade at their average price and fees', async () => {
  const { difference, choice, resolve, wishes, find, botId, account } = await found([{ amount: 1 }, { amount: 3, price: 104, fee: '0.3' }]);
  expect(difference).toMatchObject({ expected: 0, actual: 4, trade: null });
  expect(choice('adopt')).toEqual({
    how: 'adopt',
    may: true,
    text: '4 BTC that orders of the bot have bought without a record, at 103 on average, become a trade of the bot with a stop. Nothing else is ordered at the exchange.',
  });
  expect(await resolve('adopt')).toEqual({ outcome: 'adopted' });
  expect(await resolve('adopt')).toEqual({ outcome: 'adopted' }); // asked twice is once
  expect(await wishes()).toMatchObject([
    { botId, symbol, holding: { direction: 'long', amount: 4, price: 103, fee: 0.4 }, tradeId: null, isBlocked: false },
  ]);
  expect(await find()).toBeUndefined();
  expect(await decided(botId)).toEqual([{ outcome: 'adopted', is_done: false }]);
  expect(await expectedHoldings(db, account.apiKeyId, 'spot')).toMatchObject([{ expected: 0, unrecorded: 0, isMoving: true }]);
  // They are in this account: until then the bot stays with it.
  expect(await isOpenAtExchange(db, botId)).toBe(true);
  await passed(botId, '1 day 14 minutes'); // nothing comes between the end of the wish and its being given back
  expect(await isOpenAtExchange(db, botId)).toBe(true);
  await passed(botId, '1 minute');
  expect(await isOpenAtExchange(db, botId)).toBe(false);
});

test('a bot that is stopped takes nothing over: it is said, and only ignoring is possible', async () => {
  const { botId, find, resolve, wishes } = await found([{ amount: 1 }]);
  await sql`update bots set status = 'stopped' where id = ${botId}`.execute(db);
  expect((await find())?.choices.map(({ how, may, text }) => [how, may, text === adoptNeedsBot])).toEqual([
    ['adopt', false, true],
    ['ignore', true, false],
    ['close', false, true],
  ]);
  for (const how of ['adopt', 'close'] as const) expect((await failure(resolve(how))).message).toBe(`400 ${adoptNeedsBot}`);
  expect([await wishes(), (await find())?.actual]).toEqual([[], 1]);
  expect(await resolve('ignore')).toEqual({ outcome: 'ignored' });
});

test('coins that are ignored on spot are their owner’s to sell: nothing is taken off what lies there for the trades', async () => {
  const { account, resolve, difference, find } = await found([{ amount: 1 }], 2);
  expect(difference).toMatchObject({ expected: 2, actual: 3 });
  expect(await resolve('ignore')).toEqual({ outcome: 'ignored' });
  expect(await find()).toBeUndefined();
  expect(await expectedHoldings(db, account.apiKeyId, 'spot')).toMatchObject([{ symbol, expected: 2, ignored: 0 }]);
});

test('a small position after many round trips without a record is not what these have left: it is decided about', async () => {
  const roundTrips = Array.from({ length: 30 }, (): Given[] => [{ amount: 1 }, { amount: 1, side: 'sell' }]).flat();
  const { difference, choice } = await found([...roundTrips, { amount: 0.1, price: 110 }]);
  expect(difference).toMatchObject({ expected: 0, actual: 0.1 });
  expect(choice('adopt')?.text).toMatch(/^0\.1 BTC .* at 110 on average/u);
  expect((await found([...roundTrips, { amount: 0.0015 }])).difference).toBeUndefined();
});

test.each([0, 10])(
  'several round trips leave a part of a step each on spot, which is not a position; beside a trade of %s',
  async (held) => {
    // Bought 0.333 and paid the fee in coins, sold what is whole steps of it.
    const roundTrip: Given[] = [{ amount: 0.332667 }, { amount: 0.332, side: 'sell' }];
    for (const times of [1, 2, 5]) {
      const { difference } = await found(Array.from({ length: times }, () => roundTrip).flat(), held);
      expect(difference, `${times} times`).toBeUndefined();
    }
    expect((await found([...roundTrip, { amount: 0.007 }], held)).difference?.actual).toBeCloseTo(held + 0.007667, 9);
  },
);

test('what has been bought since nothing was left counts, and what was sold of it does not', async () => {
  const { choice, resolve, wishes } = await found([
    { amount: 1, price: 50 },
    { amount: 1, price: 60, side: 'sell' },
    { amount: 2, price: 100, fee: '0.2' },
    { amount: 0.5, price: 110, side: 'sell' },
  ]);
  expect(choice('adopt')?.text).toMatch(/^1\.5 BTC .* at 100 on average/u);
  await resolve('adopt');
  expect(await wishes()).toMatchObject([{ holding: { amount: 1.5, price: 100, fee: 0.15 } }]);
});

test.each([
  ['spot', 'BTC/USDT', undefined],
  ['futures', 'BTC/USDT:USDT', 0.001],
] as const)(
  'what a round trip without a record has left, less than a fee on %s, is dust on spot and a position on perpetuals',
  async (marketType, pair, left) => {
    const botId = await addTestBot(db, { strategy: 'RsiReversal', owner: owner.email, nickname: marketType, marketType, symbols: [pair] });
    const apiKeyId = await goLive(db, botId);
    const order = { botId, symbol: pair, type: 'market', state: 'filled', price: null, averagePrice: '100', feeQuote: '0.1' } as const;
    await noteUnrecorded(db, { apiKeyId, marketType }, [
      {
        ...order,
        clientOrderId: `fl-${botId}-1`,
        exchangeOrderId: '1',
        side: 'buy',
        requested: 1,
        filled: 1,
        net: '1',
        madeAt: new Date(1),
      },
      {
        ...order,
        clientOrderId: `fl-${botId}-2`,
        exchangeOrderId: '2',
        side: 'sell',
        requested: 0.999,
        filled: 0.999,
        net: '-0.999',
        madeAt: new Date(2),
      },
    ]);
    expect((await owner.listDifferences({})).open.find((each) => each.bot_id === botId)?.actual).toBe(left);
  },
);

test('a sale of more than the record-less orders have bought cannot be adopted as a trade; a fee without a value stays so', async () => {
  const sold = await found([{ amount: 1, side: 'sell' }], 2);
  expect(sold.difference).toMatchObject({ expected: 2, actual: 1 });
  expect(sold.choice('adopt')?.text).toMatch(/^1 BTC of the trade are booked as sold outside/u);
  const more = await found([{ amount: 1 }], 2);
  expect(more.difference).toMatchObject({ expected: 2, actual: 3 });
  expect(await failure(more.resolve('adopt'))).toMatchObject({ status: 400, detail: adoptNeedsLess });
  const { resolve, wishes } = await found([{ amount: 1, fee: null }, { amount: 1 }]);
  await resolve('adopt');
  expect(await wishes()).toMatchObject([{ holding: { amount: 2, fee: null } }]);
});

test('a sale of what an entry on record may still turn out to have bought is not forgotten', async () => {
  const { botId, account, trade, note, find } = await found([]);
  const entry = anOrderRow({ ...trade, botId, entryPrice: null }, { requested: 2, status: 'sent' });
  await writeTrades(db, [{ trade: { ...trade, amount: 0, entryPrice: null }, orders: [entry], fills: [] }]);
  await note([{ amount: 2, side: 'sell' }]);
  expect(await find()).toBeUndefined();
  expect(await expectedHoldings(db, account.apiKeyId, 'spot')).toMatchObject([{ expected: 0, unrecorded: -2 }]);
  // Now it is known that the entry was filled: its coins are gone, whatever its owner has besides.
  const filled = { ...entry, status: 'filled', filled: 2 } as const;
  await writeTrades(db, [{ trade: { ...trade, amount: 2 }, orders: [filled], fills: [aFillRow(entry, { amount: 2 })] }]);
  expect(await expectedHoldings(db, account.apiKeyId, 'spot')).toMatchObject([{ expected: 2, unrecorded: -2 }]);
});

test.each([
  ['has not been sent as far as is known', 'planned'],
  ['is on its way', 'sent'],
  ['may have arrived, although no answer came', 'unknown'],
  ['stands at the exchange', 'open'],
  ['is being cancelled: it may have been filled first', 'cancel-pending'],
] as const)('a sale of what an entry has bought is not forgotten while the entry %s', async (_, status) => {
  const { botId, account, trade, note, find } = await found([]);
  const entry = anOrderRow({ ...trade, botId, entryPrice: null }, { requested: 2, status });
  await writeTrades(db, [{ trade: { ...trade, amount: 0, entryPrice: null }, orders: [entry], fills: [] }]);
  await note([{ amount: 2, side: 'sell' }]);
  await noteOrderSearch(db, account, { time: Date.now(), begunAt });
  expect(await find()).toBeUndefined();
  expect(await expectedHoldings(db, account.apiKeyId, 'spot')).toMatchObject([{ expected: 0, unrecorded: -2 }]);
});

test('a sale of what an entry on record may have bought is not forgotten when another account is searched', async () => {
  const { botId, account, trade, note } = await found([]);
  const other = await found([]);
  const entry = anOrderRow({ ...trade, botId, entryPrice: null }, { requested: 2, status: 'sent' });
  await writeTrades(db, [{ trade: { ...trade, amount: 0, entryPrice: null }, orders: [entry], fills: [] }]);
  await note([{ amount: 2, side: 'sell' }]);
  await noteOrderSearch(db, other.account, { time: Date.now(), begunAt });
  expect(await expectedHoldings(db, account.apiKeyId, 'spot')).toMatchObject([{ expected: 0, unrecorded: -2 }]);
});

test('a decision about what orders without a record have bought in one pair leaves another pair to be decided about', async () => {
  const pair = 'ETH/USDT';
  const { botId, account, note, resolve, wishes } = await found([{ amount: 2 }]);
  await note([{ amount: 1, price: 50, of: pair }]);
  await resolve('ignore');
  const holdings = await expectedHoldings(db, account.apiKeyId, 'spot');
  expect(holdings.find((each) => each.symbol === pair)).toMatchObject({ expected: 0, unrecorded: 1 });
  const { open } = await owner.listDifferences({});
  const left = open.filter((each) => each.bot_id === botId);
  expect(left).toMatchObject([{ symbol: pair, expected: 0, actual: 1 }]);
  await owner.resolveDifference({ params: { id: left[0]?.id ?? '' }, body: { how: 'adopt', expected: 0, actual: 1 } });
  expect(await wishes()).toMatchObject([{ symbol: pair, holding: { amount: 1, price: 50 } }]);
});

test('a sale of what an entry has bought is not forgotten while the fills of the entry are still fetched', async () => {
  const { botId, account, trade, note, find } = await found([]);
  const entry = anOrderRow({ ...trade, botId, entryPrice: null }, { requested: 2, status: 'filled', filled: 2 });
  await writeTrades(db, [{ trade: { ...trade, amount: 0, entryPrice: null }, orders: [entry], fills: [] }]);
  await note([{ amount: 2, side: 'sell' }]);
  await noteOrderSearch(db, account, { time: Date.now(), begunAt });
  expect(await find()).toBeUndefined();
  await writeTrades(db, [{ trade: { ...trade, amount: 2 }, orders: [entry], fills: [aFillRow(entry, { amount: 2 })] }]);
  expect(await expectedHoldings(db, account.apiKeyId, 'spot')).toMatchObject([{ expected: 2, unrecorded: -2 }]);
  await noteOrderSearch(db, account, { time: Date.now(), begunAt });
  expect(await find()).toMatchObject({ expected: 2, actual: 0 });
});

test('a sale that waited for an entry which was never filled is nothing to decide', async () => {
  const { botId, account, trade, note, find } = await found([]);
  const entry = anOrderRow({ ...trade, botId, entryPrice: null }, { requested: 2, status: 'open' });
  await writeTrades(db, [{ trade: { ...trade, amount: 0, entryPrice: null }, orders: [entry], fills: [] }]);
  await note([{ amount: 2, side: 'sell' }]);
  await noteOrderSearch(db, account, { time: Date.now(), begunAt });
  expect(await expectedHoldings(db, account.apiKeyId, 'spot')).toMatchObject([{ unrecorded: -2 }]);
  const ended = { status: 'cancelled', closedAt: new Date(0) } as const;
  await sql`update orders set status = 'cancelled', closed_at = now() where client_order_id = ${entry.clientOrderId}`.execute(db);
  await writeTrades(db, [{ trade: { ...trade, ...ended, amount: 0, entryPrice: null }, orders: [], fills: [] }]);
  await noteOrderSearch(db, account, { time: Date.now(), begunAt });
  expect(await expectedHoldings(db, account.apiKeyId, 'spot')).toMatchObject([{ expected: 0, unrecorded: 0 }]);
  expect(await find()).toBeUndefined();
});

test('a search leaves what a difference shows as the comparison has found it', async () => {
  const { account, difference, find } = await found([{ amount: 4 }]);
  await sql`update differences set actual = 5 where id = ${difference?.id}`.execute(db);
  await noteOrderSearch(db, account, { time: Date.now(), begunAt });
  expect(await find()).toMatchObject({ expected: 0, actual: 5 });
});

test('a sale beside no entry that may be filled is nothing to decide', async () => {
  const { botId, account, trade, note } = await found([]);
  const cancelled = anOrderRow({ ...trade, botId }, { requested: 2, status: 'cancelled', closedAt: new Date(0) });
  await writeTrades(db, [
    { trade: { ...trade, amount: 0, status: 'cancelled', entryPrice: null, closedAt: new Date(0) }, orders: [cancelled], fills: [] },
  ]);
  await note([{ amount: 2, side: 'sell' }]);
  expect(await expectedHoldings(db, account.apiKeyId, 'spot')).toMatchObject([{ expected: 0, unrecorded: 0 }]);
});

test('closing has it become a trade first, which is then closed', async () => {
  const { botId, trade, resolve, wishes, choice } = await found([{ amount: 2 }]);
  expect(choice('close')).toMatchObject({ may: true, text: '2 BTC become a trade of the bot and are sold at market.' });
  expect(await resolve('close')).toEqual({ outcome: 'closed' });
  expect(await decided(botId)).toEqual([{ outcome: 'closed', is_done: false }]);
  const [wish] = await wishes();
  await writeTrades(db, [{ trade: { ...trade, botId, amount: 2 }, orders: [], fills: [] }]);
  await noteAdopted(db, wish?.id ?? '', trade.id, new Date());
  await noteAdopted(db, wish?.id ?? '', trade.id, new Date());
  expect(await wishes()).toEqual([]);
  expect((await sql`select 1 from trades where id = ${trade.id} and close_asked_at is not null`.execute(db)).rows).toHaveLength(1);
  expect(await decided(botId)).toEqual([{ outcome: 'closed', is_done: false }]);
  await sql`update trades set status = 'closed' where id = ${trade.id}`.execute(db);
  expect(await decided(botId)).toEqual([{ outcome: 'closed', is_done: true }]);
});

test('a stop that stands in the symbol is cancelled before its coins become a trade', async () => {
  const { account, resolve, wishes } = await found([{ amount: 2 }, { amount: 0, side: 'sell', state: 'open' }]);
  expect(await standingUnrecorded(db, account)).toMatchObject([{ isSettled: false }]);
  await resolve('adopt');
  expect(await wishes()).toMatchObject([{ isBlocked: true }]);
  expect(await standingUnrecorded(db, account)).toMatchObject([{ isSettled: true }]);
});

test('a stop that stands in another symbol stays, and is waited for by nobody: it protects what is still to be decided about', async () => {
  const { account, note, resolve, wishes } = await found([{ amount: 2 }]);
  await resolve('adopt');
  const of = 'ETH/USDT';
  await note([
    { amount: 1, of },
    { amount: 0, side: 'sell', state: 'open', of },
  ]);
  expect(await standingUnrecorded(db, account)).toMatchObject([{ symbol: of, isSettled: false }]);
  expect(await wishes()).toMatchObject([{ symbol, isBlocked: false }]);
});

test('one that is found after a person has decided to adopt is cancelled too, and until then only', async () => {
  const { botId, account, trade, note, resolve, wishes } = await found([{ amount: 2 }]);
  await resolve('adopt');
  // As when the bot has adopted, and its disk has lost that with the record of an order that has traded a part.
  await note([{ amount: 0.5, state: 'open' }]);
  const [wish] = await wishes();
  expect(wish).toMatchObject({ isBlocked: true });
  expect(await standingUnrecorded(db, account)).toMatchObject([{ isSettled: true }]);
  await writeTrades(db, [{ trade: { ...trade, botId, amount: 2 }, orders: [], fills: [] }]);
  await noteAdopted(db, wish?.id ?? '', trade.id, new Date());
  expect(await standingUnrecorded(db, account)).toMatchObject([{ isSettled: false }]);
});

/** The bot has not been able to carry out what a person has decided, for so long. */
async function passed(botId: string, time: string): Promise<void> {
  await sql`update adopted_holdings set asked_at = asked_at - ${time}::interval where bot_id = ${botId}`.execute(db);
  await sql`update unrecorded_orders set settled_at = settled_at - ${time}::interval where bot_id = ${botId}`.execute(db);
}

test.each(['adopt', 'close'] as const)('what nobody could %s within a day is to be decided about again', async (how) => {
  const { botId, account, note, difference, find, resolve, wishes } = await found([{ amount: 1, price: 50 }]);
  await resolve('ignore'); // an earlier decision stays one
  await passed(botId, '1 hour');
  await note([{ amount: 2 }]);
  const second = await find();
  const decide = async () => {
    const of = (await find()) ?? { id: '', expected: 0, actual: 0 };
    return await owner.resolveDifference({ params: { id: of.id }, body: { how, expected: of.expected, actual: of.actual } });
  };
  await decide();
  await passed(botId, '1 day');
  await noteOrderSearch(db, account, { time: Date.now(), begunAt });
  expect([await wishes(), await find()]).toEqual([[], undefined]); // the bot may be about to do it
  expect(await readTradingState(db, botId)).toBe('reducing'); // and enters nothing beside it
  expect(await expectedHoldings(db, account.apiKeyId, 'spot')).toMatchObject([{ isMoving: true }]);
  await passed(botId, '10 minutes');
  await Promise.all([
    noteOrderSearch(db, account, { time: Date.now(), begunAt }),
    noteOrderSearch(db, account, { time: Date.now(), begunAt }),
  ]);
  expect(await find()).toMatchObject({ expected: 0, actual: 2 });
  expect((await find())?.id).not.toBe(second?.id);
  expect(difference?.id).not.toBe(second?.id);
  await decide();
  expect(await wishes()).toMatchObject([{ holding: { amount: 2, price: 100 } }]);
  await noteOrderSearch(db, account, { time: Date.now(), begunAt });
  expect(await find()).toBeUndefined();
});

test('what nobody could adopt within a day is to be decided about again, also where another account was searched first', async () => {
  const { botId, account, find, resolve } = await found([{ amount: 2 }]);
  const other = await found([]);
  await resolve('adopt');
  await passed(botId, '1 day 10 minutes');
  for (const searched of [other.account, account]) await noteOrderSearch(db, searched, { time: Date.now(), begunAt });
  expect(await find()).toMatchObject({ symbol, expected: 0, actual: 2 });
});

test('what is given back counts at once, also where another difference of the symbol waits for a person', async () => {
  const { botId, account, note, find, resolve } = await found([{ amount: 1 }]);
  await resolve('adopt');
  await note([{ amount: 2 }]);
  expect(await find()).toMatchObject({ actual: 2 });
  await sql`update adopted_holdings set asked_at = asked_at - interval '1 day 10 minutes' where bot_id = ${botId}`.execute(db);
  await noteOrderSearch(db, account, { time: Date.now(), begunAt });
  expect(await find()).toMatchObject({ actual: 3 });
});

test('what is given back is of its own symbol: what a person has decided about another one since stays decided', async () => {
  const { botId, account, note, find, resolve } = await found([{ amount: 1 }]);
  await resolve('adopt');
  await note([{ amount: 3, of: 'ETH/USDT' }]);
  const { id = '', expected = 0, actual = 0 } = (await find()) ?? {};
  await owner.resolveDifference({ params: { id }, body: { how: 'ignore', expected, actual } });
  await passed(botId, '1 day 10 minutes');
  await noteOrderSearch(db, account, { time: Date.now(), begunAt });
  const { open } = await owner.listDifferences({});
  expect(open.filter((each) => each.bot_id === botId)).toMatchObject([{ symbol, actual: 1 }]);
});

test('an order that was filled after it was found open is given back, too', async () => {
  const { botId, account, note, find } = await found([{ amount: 0, state: 'open' }]);
  await sql`update unrecorded_orders set settled_at = settled_at - interval '1 hour' where bot_id = ${botId}`.execute(db);
  await note([{ amount: 2, number: 0 }]);
  const { id = '', expected = 0, actual = 0 } = (await find()) ?? {};
  await owner.resolveDifference({ params: { id }, body: { how: 'adopt', expected, actual } });
  await passed(botId, '1 day 10 minutes');
  await noteOrderSearch(db, account, { time: Date.now(), begunAt });
  expect(await find()).toMatchObject({ actual: 2 });
});

test.each([
  [2, undefined],
  [0.5, { expected: 0, actual: 1.5 }],
])('coins of which %d were sold before they are adopted are not adopted: what is left is to be decided about', async (amount, left) => {
  const { botId, account, note, find, resolve, wishes } = await found([{ amount: 2 }, { amount: 0, side: 'sell', state: 'open' }]);
  await resolve('close');
  expect(await wishes()).toHaveLength(1);
  await note([{ amount, side: 'sell', number: 1 }]);
  await noteOrderSearch(db, account, { time: Date.now(), begunAt });
  expect(await wishes()).toEqual([]);
  if (left === undefined) expect(await find()).toBeUndefined();
  else expect(await find()).toMatchObject(left);
  const [holding] = await expectedHoldings(db, account.apiKeyId, 'spot');
  expect(holding).toMatchObject({ botId, unrecorded: left?.actual ?? 0 });
});

test('what was adopted is not to be decided about again, although that was not noted for a day', async () => {
  const { botId, account, trade, find, resolve, wishes } = await found([{ amount: 2 }]);
  await resolve('close');
  await passed(botId, '1 day 10 minutes');
  const { rows } = await sql<{ id: string }>`
    select 'outside-' || floor(extract(epoch from asked_at) * 1000)::bigint as id from adopted_holdings where bot_id = ${botId}`.execute(
    db,
  );
  const held = { ...trade, amount: 2 };
  const order = anOrderRow(held, { filled: 2, status: 'filled' });
  await writeTrades(db, [{ trade: held, orders: [order], fills: [aFillRow(order, { exchangeFillId: rows[0]?.id ?? '', amount: 2 })] }]);
  await noteOrderSearch(db, account, { time: Date.now(), begunAt });
  expect(await find()).toBeUndefined();
  expect(await wishes()).toMatchObject([{ tradeId: trade.id }]); // the trade is still to be closed
});
