import type { ControlledTransaction } from 'kysely';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { acknowledgeAlarms, listAlarms } from './alarms.ts';
import { listBotsWithoutRunner, renewLease } from '../bots/runners.ts';
import { keepStandingAlarms } from './standing-alarms.ts';
import type { Schema } from '../schema.ts';
import { aFillRow, anOrderRow, aTradeRow } from '../testing/trade-rows.ts';
import type { OrderRow } from '../trades/trade-writes.ts';
import { writeTrades } from '../trades/trade-writes.ts';
import { listUnprotected, unprotectedTrade } from '../trades/unprotected-trades.ts';

const fresh = await freshDatabase();
const botId = await addTestBot(fresh.db, { strategy: 'BuyAndHold' });

// Each test is one transaction, in which the time of the database stands still: a millisecond to either side of a limit counts.
let db: ControlledTransaction<Schema>;
let now = 0;
const ago = (seconds: number): Date => new Date(now - Math.round(seconds * 1_000));

beforeEach(async () => {
  db = await fresh.db.startTransaction().execute();
  const { rows } = await sql<{ now: Date }>`select now()`.execute(db);
  now = rows[0]?.now.getTime() ?? 0;
});
afterEach(async () => {
  await db.rollback().execute();
});

async function alarms(): Promise<unknown[]> {
  await keepStandingAlarms(db);
  const { rows } = await sql<{ kind: string; symbol: string }>`
    select kind, facts ->> 'symbol' as symbol from alarms where ended_at is null and kind in ('unknown-order', 'unprotected-position') order by 1, 2`.execute(
    db,
  );
  return rows.map(({ kind, symbol }) => `${kind} ${symbol}`);
}
const setState = (order: OrderRow, status: string, seconds: number) =>
  sql`with o as (update orders set status = ${status} where client_order_id = ${order.clientOrderId} returning id)
    insert into order_events (order_id, state, at) select id, ${status}, ${ago(seconds)} from o`.execute(db);

test('an order that is sent, unknown or being cancelled for a minute is an alarm, until it is known what became of it', async () => {
  const trade = aTradeRow(botId, { mode: 'testnet', symbol: 'BTC/USDT' });
  const order = anOrderRow(trade, { status: 'planned' });
  await writeTrades(db, [{ trade, orders: [order], fills: [] }]);
  await setState(order, 'sent', 59.999);
  expect(await alarms()).toEqual([]);
  await setState(order, 'unknown', 50);
  await sql`update order_events set at = at - interval '2 milliseconds'`.execute(db);
  expect(await alarms()).toEqual(['unknown-order BTC/USDT']);
  await setState(order, 'open', 0);
  expect(await alarms()).toEqual([]);
  await setState(order, 'cancel-pending', 10); // long known, and asked to be cancelled a moment ago
  expect(await alarms()).toEqual([]);
  await setState(order, 'cancelled', 0);
  await sql`update trades set status = 'cancelled' where id = ${trade.id}`.execute(db);
  expect(await alarms()).toEqual([]);
});

test.each([
  ['sent', ['sent']],
  ['unknown', ['sent', 'unknown']],
  ['cancel-pending', ['sent', 'open', 'cancel-pending']],
])('an order that has been %s for a minute is an alarm', async (_, states) => {
  const trade = aTradeRow(botId, { mode: 'testnet', symbol: 'BTC/USDT' });
  const order = anOrderRow(trade, { status: 'planned' });
  await writeTrades(db, [{ trade, orders: [order], fills: [] }]);
  for (const state of states) await setState(order, state, 60.001);
  expect(await alarms()).toEqual(['unknown-order BTC/USDT']);
});

test('what has been held for ten seconds without a stop at the exchange is an alarm, unless it is being left', async () => {
  const held = async (symbol: string, seconds: number, mode: 'testnet' | 'paper', ...orders: Partial<OrderRow>[]): Promise<OrderRow[]> => {
    const trade = aTradeRow(botId, { mode, symbol });
    const entry = anOrderRow(trade, { status: 'filled', filled: 5 });
    const others = orders.map((given) => anOrderRow(trade, { purpose: 'stop', side: 'sell', plannedAt: ago(60), ...given }));
    await writeTrades(db, [{ trade, orders: [entry, ...others], fills: [aFillRow(entry, { filledAt: ago(seconds) })] }]);
    return others;
  };
  await held('PAPER/USDT', 60, 'paper');
  await held('YOUNG/USDT', 9.999, 'testnet');
  const [stop] = await held('STOPPED/USDT', 60, 'testnet', { status: 'open', exchangeOrderId: '8' });
  await held('LEAVING/USDT', 60, 'testnet', { purpose: 'exit', status: 'sent', plannedAt: ago(9.999) });
  await held('REPLACED/USDT', 60, 'testnet', { status: 'cancelled', exchangeOrderId: '7', closedAt: ago(9.999) });
  await held('REFUSED/USDT', 60, 'testnet', { status: 'refused', closedAt: ago(20) });
  await held('BARE/USDT', 10.001, 'testnet');
  await held('ON ITS WAY/USDT', 60, 'testnet', { status: 'sent', plannedAt: ago(2) }); // and never confirmed before
  expect(await alarms()).toEqual([
    'unprotected-position BARE/USDT',
    'unprotected-position ON ITS WAY/USDT',
    'unprotected-position REFUSED/USDT',
  ]);
  await sql`update orders set status = 'cancelled', closed_at = ${ago(10.001)} where client_order_id = ${stop?.clientOrderId ?? ''}`.execute(
    db,
  );
  expect(await alarms()).toContain('unprotected-position STOPPED/USDT');
});

test('a position with another leverage or margin mode than its trade was opened with is one alarm with the newest values, until they are the same', async () => {
  const trade = aTradeRow(botId, { mode: 'testnet', symbol: 'LEVERED/USDT:USDT', leverage: 3 });
  await writeTrades(db, [{ trade, orders: [], fills: [] }]);
  const open = async () => {
    await keepStandingAlarms(db);
    return (
      await sql<{ facts: unknown }>`select facts from alarms where ended_at is null and kind = 'position-margin'`.execute(db)
    ).rows.map(({ facts }) => facts);
  };
  expect(await open()).toEqual([]);
  const facts = { symbol: trade.symbol, leverage: 20, margin: 'isolated', wantedLeverage: 3, wantedMargin: 'isolated' };
  await sql`insert into position_margins (trade_id, leverage, margin_mode) values (${trade.id}, 20, 'isolated')`.execute(db);
  expect(await open()).toEqual([facts]);
  const id = (await listAlarms(db, null)).find(({ kind }) => kind === 'position-margin')?.id ?? '';
  const { userId } = await db.selectFrom('bots').select('userId').where('id', '=', botId).executeTakeFirstOrThrow();
  await acknowledgeAlarms(db, [id], { id: userId, seesAll: false });
  await sql`update position_margins set leverage = 2.5, margin_mode = 'cross'`.execute(db);
  expect(await open()).toEqual([{ ...facts, leverage: 2.5, margin: 'cross' }]);
  expect((await listAlarms(db, null)).filter(({ kind }) => kind === 'position-margin').map((each) => each.id)).toEqual([id]);
  await sql`update position_margins set leverage = 3, margin_mode = 'isolated'`.execute(db);
  expect(await open()).toEqual([]);
});

test('a stop that is refused again and again is one alarm, since the position has none', async () => {
  const trade = aTradeRow(botId, { mode: 'testnet', symbol: 'AGAIN/USDT' });
  const entry = anOrderRow(trade, { status: 'filled', filled: 5 });
  const refused = (seconds: number) =>
    anOrderRow(trade, { purpose: 'stop', side: 'sell', status: 'refused', plannedAt: ago(seconds), closedAt: ago(seconds) });
  const filledAt = ago(90);
  await writeTrades(db, [{ trade, orders: [entry, refused(80)], fills: [aFillRow(entry, { filledAt })] }]);
  const open = async () => {
    await keepStandingAlarms(db);
    return (await sql<{ id: string }>`select id from alarms where ended_at is null and facts ->> 'symbol' = 'AGAIN/USDT'`.execute(db)).rows;
  };
  const first = await open();
  expect(first).toHaveLength(1);
  await writeTrades(db, [{ trade, orders: [refused(1)], fills: [] }]);
  expect(await open()).toEqual(first);
  expect((await listUnprotected(db, null)).find(({ symbol }) => symbol === 'AGAIN/USDT')?.since).toEqual(filledAt);
});

/** An open trade at an exchange that has held something for so many seconds, with its entry. */
async function heldTrade(symbol: string, seconds: number) {
  const trade = aTradeRow(botId, { mode: 'testnet', symbol });
  const entry = anOrderRow(trade, { status: 'filled', filled: 5 });
  await writeTrades(db, [{ trade, orders: [entry], fills: [aFillRow(entry, { filledAt: ago(seconds) })] }]);
  const add = async (given: Partial<OrderRow>): Promise<OrderRow> => {
    const order = anOrderRow(trade, { purpose: 'stop', side: 'sell', status: 'sent', plannedAt: ago(1), ...given });
    await writeTrades(db, [{ trade, orders: [order], fills: [] }]);
    return order;
  };
  const refuse = (order: OrderRow, text: string) =>
    sql`update orders set status = 'refused', refusal = ${text}, closed_at = now() where client_order_id = ${order.clientOrderId}`.execute(
      db,
    );
  const alarm = async () => {
    await keepStandingAlarms(db);
    return (
      await sql<{ id: string; isOpen: boolean; facts: Record<string, unknown> }>`
        select id, ended_at is null as is_open, facts from alarms where facts ->> 'symbol' = ${symbol} order by raised_at`.execute(db)
    ).rows;
  };
  return { trade, add, refuse, alarm };
}

test('the alarm of a position without a stop is one until a stop has stood again, also while exits are tried and refused', async () => {
  const { trade, add, refuse, alarm } = await heldTrade('FLAPPING/USDT', 60);
  await refuse(await add({ plannedAt: ago(50) }), 'Too many stops.');
  const [first] = await alarm();
  expect(first).toMatchObject({ isOpen: true, facts: { refusal: 'Too many stops.', tooSmall: null } });
  for (let i = 0; i < 3; i++) {
    const exit = await add({ purpose: 'exit', status: 'sent' });
    expect(await unprotectedTrade(db, trade.id)).toBeNull(); // it is being left
    expect(await alarm()).toEqual([first]);
    await refuse(exit, 'No.');
    expect(await alarm()).toEqual([first]);
  }
  const stop = await add({ status: 'open', exchangeOrderId: '9' });
  expect((await alarm()).map(({ isOpen }) => isOpen)).toEqual([false]);
  await sql`update orders set status = 'cancelled', closed_at = ${ago(10.001)} where client_order_id = ${stop.clientOrderId}`.execute(db);
  expect((await alarm()).map(({ isOpen, facts }) => [isOpen, facts['refusal']])).toEqual([
    [false, 'Too many stops.'],
    [true, null], // the refusal was before a stop that has stood
  ]);
  await sql`update trades set status = 'closed', closed_at = now(), exit_price = 1, profit = 0, profit_ratio = 0 where id = ${trade.id}`.execute(
    db,
  );
  expect((await alarm()).map(({ isOpen }) => isOpen)).toEqual([false, false]);
});

test('a stop that is taken and ended at once again and again is one alarm, since the position has none', async () => {
  const { trade, add, alarm } = await heldTrade('BLINKING/USDT', 60);
  const expire = (order: OrderRow, standsSeconds: number, secondsAgo: number) =>
    sql`update orders set status = 'expired', acknowledged_at = ${ago(secondsAgo + standsSeconds)}, closed_at = ${ago(secondsAgo)}
      where client_order_id = ${order.clientOrderId}`.execute(db);
  const filledAt = (await unprotectedTrade(db, trade.id))?.since;
  await expire(await add({ status: 'open', exchangeOrderId: '1' }), 9.999, 2);
  expect((await unprotectedTrade(db, trade.id))?.since).toEqual(filledAt);
  const [first] = await alarm();
  expect(first?.isOpen).toBe(true);
  const stop = await add({ status: 'open', exchangeOrderId: '2', acknowledgedAt: ago(9.999) });
  expect(await unprotectedTrade(db, trade.id)).toBeNull();
  expect(await alarm()).toEqual([first]); // it has not stood yet
  await sql`update orders set acknowledged_at = ${ago(10.001)} where client_order_id = ${stop.clientOrderId}`.execute(db);
  expect((await alarm()).map(({ isOpen }) => isOpen)).toEqual([false]);
  await expire(stop, 10.001, 9.999);
  expect(await unprotectedTrade(db, trade.id)).toBeNull(); // it has protected the position until a moment ago
});

test('a stop that the bot cancels soon has protected its position', async () => {
  const { trade, add } = await heldTrade('CANCELLED/USDT', 60);
  const stop = await add({ status: 'open', exchangeOrderId: '1', acknowledgedAt: ago(19.998) });
  await sql`update orders set status = 'cancel-pending' where client_order_id = ${stop.clientOrderId}`.execute(db);
  await setState(stop, 'cancelled', 9.999);
  await sql`update orders set closed_at = ${ago(9.999)} where client_order_id = ${stop.clientOrderId}`.execute(db);
  expect(await unprotectedTrade(db, trade.id)).not.toBeNull(); // nobody has asked for that
  await sql`insert into order_events (order_id, state) select id, 'cancel-pending' from orders where client_order_id = ${stop.clientOrderId}`.execute(
    db,
  );
  expect(await unprotectedTrade(db, trade.id)).toBeNull();
});

test('an alarm says the newest refusal, and that a position is too small, without being raised again', async () => {
  const { trade, add, refuse, alarm } = await heldTrade('SMALL/USDT', 60);
  const [first] = await alarm();
  expect(first?.facts).toMatchObject({ refusal: null, tooSmall: null });
  await refuse(await add({ plannedAt: ago(3) }), 'One.');
  await refuse(await add({ plannedAt: ago(2) }), 'Two.');
  expect(await alarm()).toEqual([{ ...first, facts: { ...first?.facts, refusal: 'Two.' } }]);
  await sql`update trades set engine_state = jsonb_set(engine_state, '{tooSmall}', '"to-sell"') where id = ${trade.id}`.execute(db);
  expect(await alarm()).toEqual([{ ...first, facts: { ...first?.facts, refusal: 'Two.', tooSmall: 'to-sell' } }]);
  expect(await unprotectedTrade(db, trade.id)).toMatchObject({ refusal: 'Two.', tooSmall: 'to-sell' });
});

test('without a runner the owner of an active bot has an alarm to acknowledge, and admins have one for the server', async () => {
  const ownerId = (await db.selectFrom('bots').select('userId').where('id', '=', botId).executeTakeFirstOrThrow()).userId;
  const ofOwner = async () => (await listAlarms(db, ownerId)).filter(({ kind }) => kind === 'no-runner');
  const lost = () => listBotsWithoutRunner(db, 'on');
  const ofAdmins = async () => (await listAlarms(db, null)).filter(({ kind }) => kind === 'no-runner').map(({ level }) => level);
  await sql`update bots set status = 'active' where id = ${botId}`.execute(db);
  await keepStandingAlarms(db, await lost());
  await keepStandingAlarms(db, await lost());
  expect((await ofOwner()).map(({ level, targetId }) => [level, targetId])).toEqual([['user', ownerId]]);
  expect(await ofAdmins()).toEqual(['server']);
  const [alarm] = await ofOwner();
  await acknowledgeAlarms(db, [alarm?.id ?? ''], { id: ownerId, seesAll: false });
  expect((await ofOwner()).every(({ acknowledgedAt }) => acknowledgedAt !== null)).toBe(true);
  expect((await listAlarms(db, null)).find(({ kind }) => kind === 'no-runner')?.acknowledgedAt).toBe(null);
  await sql`update bots set status = 'paused' where id = ${botId}`.execute(db);
  await keepStandingAlarms(db, await lost());
  expect([await ofOwner(), await ofAdmins()]).toEqual([[], []]);
  await sql`update bots set status = 'active' where id = ${botId}`.execute(db);
  await keepStandingAlarms(db, await lost());
  await sql`update users set role = 'admin' where id = ${ownerId}`.execute(db);
  await keepStandingAlarms(db, await lost());
  expect(await ofAdmins()).toEqual(['server']);
  await keepStandingAlarms(db);
  expect([await ofOwner(), await ofAdmins()]).toEqual([[], []]);
});

test('beside a runner an alarm names the bots that have none, the first ten of many, and follows them', async () => {
  const facts = async (level: string) =>
    (await listAlarms(db, null)).find((alarm) => alarm.kind === 'no-runner' && alarm.level === level)?.facts;
  const ownerId = (await db.selectFrom('bots').select('userId').where('id', '=', botId).executeTakeFirstOrThrow()).userId;
  const bots = Array.from({ length: 12 }, (_, i) => ({ nickname: `b${i}`, userId: ownerId }));
  await keepStandingAlarms(db, bots);
  expect(await facts('server')).toEqual({});
  await renewLease(db, { id: botId, host: 'test', exchanges: [] }, 60_000, true);
  await keepStandingAlarms(db, bots);
  expect(await facts('server')).toEqual({ bots: 12, names: 'b0, b1, b2, b3, b4, b5, b6, b7, b8, b9 and 2 more' });
  const other = { nickname: 'other', userId: '00000000-0000-4000-8000-00000000dead' };
  await keepStandingAlarms(db, [...bots.slice(0, 1), other]);
  expect(await facts('server')).toEqual({ bots: 2, names: 'b0, other' });
  const [ofOwner] = (await listAlarms(db, ownerId)).filter(({ kind }) => kind === 'no-runner');
  expect(ofOwner?.facts).toEqual({ for: 'owner', bots: 1, names: 'b0' });
});

test('a bot that fails is an alarm as long as it trades or holds a trade, also when it is stopped to close it', async () => {
  const runner = '00000000-0000-4000-8000-0000000000aa';
  await renewLease(db, { id: runner, host: 'test', exchanges: ['sandbox'] }, 60_000, true);
  const trade = aTradeRow(botId, { mode: 'testnet' });
  await writeTrades(db, [{ trade, orders: [], fills: [] }]);
  await sql`update bots set given_up_by = ${runner} where id = ${botId}`.execute(db);
  await sql`insert into bot_vitals (bot_id, last_tick_at, open_trades, unrealized_pnl, last_error, strategy_rest)
    values (${botId}, now(), 1, 0, 'The key is refused', 'It was too slow')`.execute(db);
  const open = async (status: string) => {
    await sql`update bots set status = ${status} where id = ${botId}`.execute(db);
    await keepStandingAlarms(db);
    return (await listAlarms(db, null)).map(({ kind }) => kind).filter((kind) => kind === 'bot-failing' || kind === 'strategy-rests');
  };
  const both = expect.arrayContaining(['bot-failing', 'strategy-rests']);
  for (const status of ['active', 'paused', 'stopped']) expect(await open(status), status).toEqual(both);
  await sql`update trades set status = 'closed', closed_at = now(), exit_price = 1, profit = 0, profit_ratio = 0`.execute(db);
  expect(await open('active')).toEqual(both);
  expect(await open('paused')).toEqual(['bot-failing']);
  expect(await open('stopped')).toEqual([]);
});

test('two strategies of one name that rest are two alarms of the person whose bots they are', async () => {
  const { userId, strategyId } = await db
    .selectFrom('bots')
    .select(['userId', 'strategyId'])
    .where('id', '=', botId)
    .executeTakeFirstOrThrow();
  const { rows } = await sql<{ id: string }>`
    insert into strategies
    select (jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid(), 'class_name', 'Rules2', 'kind', 'rules', 'owner_id', ${userId}::text))).*
    from strategies s where s.id = ${strategyId} returning id`.execute(db);
  const other = await addTestBot(db, { strategy: 'BuyAndHold', nickname: 'second' });
  await sql`update bots set strategy_id = ${rows[0]?.id} where id = ${other}`.execute(db);
  for (const [id, fault] of [
    [botId, 'It was too slow'],
    [other, 'It threw'],
  ])
    await sql`insert into bot_vitals (bot_id, last_tick_at, open_trades, unrealized_pnl, strategy_rest) values (${id}, now(), 0, 0, ${fault})`.execute(
      db,
    );
  const resting = async () => {
    await keepStandingAlarms(db);
    return (await listAlarms(db, userId)).filter(({ kind }) => kind === 'strategy-rests');
  };
  const both = await resting();
  const inOrder = both.toSorted((a, b) => String(b.facts['fault']).localeCompare(String(a.facts['fault'])));
  expect(inOrder.map(({ facts }) => [facts['strategy'], facts['names'], facts['fault']])).toEqual([
    ['Buy and hold', expect.any(String), 'It was too slow'],
    ['Buy and hold', 'second', 'It threw'],
  ]);
  await sql`update bot_vitals set strategy_rest = null where bot_id = ${other}`.execute(db);
  expect((await resting()).map(({ facts }) => facts['fault'])).toEqual(['It was too slow']);
});

test('bots that fail for a reason whose first 200 characters end in the middle of an emoji are one alarm, and it stays one', async () => {
  const other = await addTestBot(db, { strategy: 'BuyAndHold', nickname: 'other' });
  const runner = '00000000-0000-4000-8000-0000000000ab';
  await renewLease(db, { id: runner, host: 'test', exchanges: ['sandbox'] }, 60_000, true);
  const error = `${'x'.repeat(199)}\u{1F600} and more`;
  for (const id of [botId, other]) {
    await sql`update bots set given_up_by = ${runner} where id = ${id}`.execute(db);
    await sql`insert into bot_vitals (bot_id, last_tick_at, open_trades, unrealized_pnl, last_error) values (${id}, now(), 0, 0, ${error})`.execute(
      db,
    );
  }
  const failing = async () => {
    await keepStandingAlarms(db);
    return (await listAlarms(db, null)).filter(({ kind }) => kind === 'bot-failing');
  };
  const first = await failing();
  expect(first).toMatchObject([{ level: 'user', facts: { bots: 2, error, reason: `${'x'.repeat(199)}\uFFFD` } }]);
  expect(await failing()).toEqual(first);
  await sql`update bots set given_up_by = null where id = ${other}`.execute(db);
  await sql`update bot_vitals set last_error = null where bot_id = ${other}`.execute(db);
  expect(await failing()).toMatchObject([{ id: first[0]?.id, facts: { bots: 1 } }]);
});

test('a bot that a runner had given up which is gone is no alarm at its first error with the next', async () => {
  const gone = '00000000-0000-4000-8000-0000000000ac';
  await sql`update bots set given_up_by = ${gone}, status = 'active' where id = ${botId}`.execute(db);
  await sql`insert into bot_vitals (bot_id, last_tick_at, open_trades, unrealized_pnl, last_error) values (${botId}, now(), 0, 0, 'The exchange is away')`.execute(
    db,
  );
  const failing = async () => {
    await keepStandingAlarms(db);
    return (await listAlarms(db, null)).filter(({ kind }) => kind === 'bot-failing').length;
  };
  expect(await failing()).toBe(0);
  await renewLease(db, { id: gone, host: 'test', exchanges: ['sandbox'] }, 60_000, true);
  expect(await failing()).toBe(1);
});
