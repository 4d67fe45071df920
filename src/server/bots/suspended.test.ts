import { texts } from '#contract/errors.ts';
import { Markets } from '#feeds/markets.ts';
import { noteDifference } from '#storage/differences/differences.ts';
import type { Database } from '#storage/database.ts';
import { aTradeRow } from '#storage/testing/trade-rows.ts';
import type { TradeRow } from '#storage/trades/trade-writes.ts';
import { writeTrades } from '#storage/trades/trade-writes.ts';
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { goLive } from '../../../test/support/go-live.ts';
import { untilWaiting } from '../../../test/support/lock-waits.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, password, startTestServer } from '../../../test/support/test-server.ts';

// Who is suspended reads, stops things and makes them smaller, and nothing else. The changes of a bot one by one, at each place: by the
// standing "suspended" of test/attack/live-changes.ts.

const server = await startTestServer({
  markets: new Markets([{ id: 'sandbox', name: 'Sandbox' }], () => Promise.reject(new Error('no market'))),
});
const { db } = server.dependencies;
type Person = Awaited<ReturnType<typeof server.signedIn>>;
let admin: Person;
let owner: Person;
let botId = '';

const symbols = ['BTC/USDT', 'ETH/USDT'];
const entry = { symbol: 'ETH/USDT', direction: 'long', stake: 25, stop_price: null } as const;
const about = () => ({ params: { id: botId } });
const enter = (person: Person) => person.enterByHand({ ...about(), body: entry });
const refused = async (call: Promise<unknown>) => (await failure(call)).message;
const notVerified = `403 ${texts.notVerified}`;
const trading = async (given: Partial<TradeRow> = {}): Promise<{ params: { id: string } }> => {
  const trade = aTradeRow(botId, { symbol: 'BTC/USDT', ...given });
  await writeTrades(db, [{ trade, orders: [], fills: [] }]);
  return { params: { id: trade.id } };
};
const statusOf = async () => (await owner.getBot(about())).status;

/** Suspends the owner, as an admin does it. */
const suspend = () => admin.verifyUser({ params: { id: owner.userId }, body: { verified: false, email_verified: true } });
const signInAgain = () => owner.login({ body: { email: owner.email, password } });

beforeAll(async () => {
  admin = await server.signedIn('admin');
});
beforeEach(async () => {
  owner = await server.signedIn('trader');
  botId = await addTestBot(db, { strategy: 'RsiReversal', owner: owner.email, symbols, stoploss: -0.05 });
});

describe.each([['paper'], ['live']] as const)('OP-16 whoever signs in again after a suspension, with a bot on %s,', (mode) => {
  let trade: { params: { id: string } };
  beforeEach(async () => {
    if (mode === 'live') await goLive(db, botId);
    trade = await trading({ mode: mode === 'live' ? 'testnet' : 'paper', stopPrice: 90 });
    await suspend();
    expect(await refused(enter(owner))).toBe(`401 ${texts.notAuthenticated}`);
    expect(await signInAgain()).toMatchObject({ verified: false });
  });

  test('enters nothing, enlarges nothing and gives no trade more room', async () => {
    expect(await refused(enter(owner))).toBe(notVerified);
    expect(await refused(owner.addToTrade({ ...trade, body: { stake: 5 } }))).toBe(notVerified);
    for (const price of [80, null]) expect(await refused(owner.moveStop({ ...trade, body: { price } })), String(price)).toBe(notVerified);
    expect((await owner.manualActions(about())).actions).toEqual([]);
  });

  test('leaves trades, moves stops nearer, tightens, pauses and stops', async () => {
    await owner.moveStop({ ...trade, body: { price: 95 } });
    await sql`truncate manual_actions`.execute(db);
    await owner.takeOutOfTrade({ ...trade, body: { share: 0.5 } });
    await owner.closeTrade(trade);
    expect(
      (await owner.updateBot({ ...about(), query: {}, body: { own_settings: { stoploss: -0.01 }, stake_amount: 50 } })).stake_amount,
    ).toBe(50);
    await owner.changeLimits({ body: { level: 'bot', id: botId, changes: [{ name: 'open-orders', currency: null, value: 5 }] } });
    await owner.addPairLock({ ...about(), body: { level: 'bot', pair: 'DOGE', direction: null, reason: 'too wild', ends_at: null } });
    await owner.stopTrading({ body: { level: 'bot', id: botId, state: 'halted' } });
    for (const status of ['paused', 'stopped'] as const) {
      await owner.toggleBot({ ...about(), query: { status } });
      expect(await statusOf()).toBe(status);
    }
  });

  test('lifts nothing: no limit, no lock of a pair, no stop of entries, no Stop of a bot', async () => {
    const changes = [{ name: 'open-orders' as const, currency: null, value: 500 }];
    expect(await refused(owner.changeLimits({ body: { level: 'bot', id: botId, changes } }))).toBe(notVerified);
    const { lock_id } = await owner.addPairLock({
      ...about(),
      body: { level: 'bot', pair: 'DOGE', direction: null, reason: 'too wild', ends_at: null },
    });
    expect(await refused(owner.endPairLock({ params: { id: lock_id } }))).toBe(notVerified);
    await owner.stopTrading({ body: { level: 'bot', id: botId, state: 'halted' } });
    for (const state of ['reducing', 'active'] as const)
      expect(await refused(owner.reArmTrading({ body: { level: 'bot', id: botId, state } })), state).toBe(notVerified);
    await owner.toggleBot({ ...about(), query: { status: 'stopped' } });
    for (const status of ['paused', 'active'] as const)
      expect(await refused(owner.toggleBot({ ...about(), query: { status } })), status).toBe(notVerified);
    expect(await refused(owner.changeBots({ body: { bot_ids: [botId], action: 'activate' } }))).toBe(notVerified);
    expect(await statusOf()).toBe('stopped');
  });

  test('does all of it again once verified', async () => {
    await admin.verifyUser({ params: { id: owner.userId }, body: { verified: true, email_verified: true } });
    await enter(owner);
    await owner.addToTrade({ ...trade, body: { stake: 5 } });
  });
});

test.each([
  ['long', 95, false],
  ['long', 101, true],
  ['short', 105, false],
  ['short', 99, true],
] as const)('OP-16 who is suspended may move the stop of a %s from 100 to %d: %s', async (direction, price, may) => {
  const trade = await trading({ direction, stopPrice: 100 });
  await suspend();
  await signInAgain();
  const answer = owner.moveStop({ ...trade, body: { price } });
  if (may) expect(await answer).toMatchObject({ action_id: expect.any(String) as unknown });
  else expect(await refused(answer)).toBe(notVerified);
});

describe('OP-16 nobody else', () => {
  test('enters for a person who is suspended, adds to their trades, or has their bots trade', async () => {
    const trade = await trading();
    await suspend();
    expect(await refused(enter(admin))).toBe(notVerified);
    expect(await refused(admin.addToTrade({ ...trade, body: { stake: 5 } }))).toBe(notVerified);
    await admin.toggleBot({ ...about(), query: { status: 'stopped' } });
    expect(await refused(admin.toggleBot({ ...about(), query: { status: 'active' } }))).toBe(notVerified);
    await sql`insert into api_keys (user_id, exchange_id, key_hint, sealed) values (${owner.userId}, 'sandbox', 'wxyz', '{}')`.execute(db);
    await sql`delete from trades where id = ${trade.params.id}`.execute(db);
    await sql`update bots set api_key_id = (select id from api_keys where user_id = ${owner.userId}) where id = ${botId}`.execute(db);
    expect(await refused(admin.changeBotMode({ ...about(), query: { mode: 'live' } }))).toBe(notVerified);
  });

  test('may be suspended: such an admin has no bot of anybody go live, start or enter', async () => {
    const other = await server.signedIn('admin');
    await sql`update users set verified = false where id = ${other.userId}`.execute(db); // who was suspended before the role was given
    expect(await refused(enter(other))).toBe(notVerified);
    await owner.toggleBot({ ...about(), query: { status: 'paused' } });
    expect(await refused(other.toggleBot({ ...about(), query: { status: 'active' } }))).toBe(notVerified);
    await goLive(db, botId);
    await sql`update bots set mode = 'paper' where id = ${botId}`.execute(db);
    expect(await refused(other.changeBotMode({ ...about(), query: { mode: 'live' } }))).toBe(notVerified);
    expect(await refused(other.updateBot({ ...about(), query: {}, body: { stake_amount: 200 } }))).toBe(notVerified);
  });

  test('is kept from changing what such a person has: an admin does', async () => {
    const trade = await trading({ stopPrice: 90 });
    await suspend();
    await admin.moveStop({ ...trade, body: { price: null } });
    await admin.updateBot({ ...about(), query: {}, body: { stake_amount: 200 } });
    await admin.toggleBot({ ...about(), query: { status: 'stopped' } });
    await admin.toggleBot({ ...about(), query: { status: 'paused' } });
    expect((await admin.getBot(about())).status).toBe('paused');
  });
});

test('OP-16 who is suspended makes no bot, brings none back, rehearses none and adds no key', async () => {
  await owner.toggleBot({ ...about(), query: { status: 'stopped' } });
  await owner.archiveBot(about());
  await suspend();
  await signInAgain();
  expect(await refused(owner.bringBackBot(about()))).toBe(notVerified);
  expect(await refused(owner.addApiKey({ body: { exchange_id: 'sandbox', key: 'a key', secret: 'a secret' } }))).toBe(notVerified);
  await sql`update bots set archived_at = null where id = ${botId}`.execute(db);
  expect(await refused(owner.runDrill(about()))).toBe(notVerified);
  await owner.archiveBot(about());
});

test.each([
  ['adopt', 2, 1.5, false],
  ['ignore', 2, 2.5, false],
  ['close', 2, 1.5, true],
] as const)('OP-16 who is suspended may %s a difference of %d and %d: %s', async (how, expected, actual, may) => {
  const symbol = 'BTC/USDT:USDT';
  botId = await addTestBot(db, { strategy: 'RsiReversal', owner: owner.email, marketType: 'futures', symbols: [symbol] });
  await goLive(db, botId);
  await trading({ symbol, mode: 'live', amount: 2, engineState: JSON.stringify({ amountStep: 0.001, contractSize: 1 }) });
  await noteDifference(db, { botId, symbol, expected, actual });
  await suspend();
  await signInAgain();
  const found = (await owner.listDifferences({})).open.find((each) => each.bot_id === botId);
  const answer = owner.resolveDifference({ params: { id: found?.id ?? '' }, body: { how, expected, actual } });
  if (may) expect(await answer).toMatchObject({ outcome: expect.anything() as unknown });
  else expect(await refused(answer)).toBe(notVerified);
});

describe('OP-16 a suspension, or the end of a session, that is under way', () => {
  /** Lets a call run into it before it is committed; gives the answer. */
  const meanwhile = async (call: () => Promise<unknown>, change: (trx: Database) => Promise<unknown>) => {
    const answer = await db.transaction().execute(async (trx) => {
      await sql`select from users where id = ${owner.userId} for no key update`.execute(trx);
      const begun = refused(call());
      await untilWaiting(db, 1);
      await change(trx);
      return { begun };
    });
    return answer.begun;
  };
  const suspended = (trx: Database) => sql`update users set verified = false where id = ${owner.userId}`.execute(trx);
  const ended = (trx: Database) => sql`update sessions set revoked_at = now() where user_id = ${owner.userId}`.execute(trx);

  test.each([
    ['an entry by hand', async () => () => enter(owner)],
    [
      'an order for a trade',
      async () => {
        const trade = await trading();
        return () => owner.addToTrade({ ...trade, body: { stake: 5 } });
      },
    ],
    [
      'the end of a lock',
      async () => {
        const body = { level: 'bot', pair: 'DOGE', direction: null, reason: 'too wild', ends_at: null } as const;
        const { lock_id } = await owner.addPairLock({ ...about(), body });
        return () => owner.endPairLock({ params: { id: lock_id } });
      },
    ],
    [
      'a decision about a difference',
      async () => {
        await goLive(db, botId);
        await noteDifference(db, { botId, symbol: 'BTC/USDT', expected: 0, actual: 2 });
        const id = (await owner.listDifferences({})).open.find((each) => each.bot_id === botId)?.id ?? '';
        return () => owner.resolveDifference({ params: { id }, body: { how: 'ignore', expected: 0, actual: 2 } });
      },
    ],
    [
      'the lifting of a switch',
      async () => {
        await owner.stopTrading({ body: { level: 'bot', id: botId, state: 'halted' } });
        return () => owner.reArmTrading({ body: { level: 'bot', id: botId, state: 'active' } });
      },
    ],
    [
      'a higher limit',
      async () => {
        const changes = [{ name: 'open-orders' as const, currency: null, value: 500 }];
        return () => owner.changeLimits({ body: { level: 'bot', id: botId, changes } });
      },
    ],
  ] as const)('is waited for by %s, and refuses it', async (_, prepare) => {
    const call = await prepare();
    expect(await meanwhile(call, suspended)).toBe(notVerified);
    await sql`update users set verified = true where id = ${owner.userId}`.execute(db);
    expect(await meanwhile(call, ended)).toBe(`401 ${texts.notAuthenticated}`);
    await signInAgain();
    expect((await owner.manualActions(about())).actions).toEqual([]);
  });

  test('of whoever owns the bot is waited for by an admin, too', async () => {
    expect(await meanwhile(() => enter(admin), suspended)).toBe(notVerified);
  });
});
