import { noLiveAfterReset, otherMode } from '#contract/bots.ts';
import { texts } from '#contract/errors.ts';
import { minuteMs } from '#engine/market/durations.ts';
import { defaultExchanges } from '#exchange/default-exchanges.ts';
import { createMarketData } from '#exchange/market-data.ts';
import { exchangeKeyCheck } from '#feeds/exchange-keys.ts';
import { Markets } from '#feeds/markets.ts';
import { listAudit } from '#storage/audit/audit-log.ts';
import type { Database } from '#storage/database.ts';
import { aTradeRow, anOrderRow } from '#storage/testing/trade-rows.ts';
import type { TradeRow } from '#storage/trades/trade-writes.ts';
import { writeTrades } from '#storage/trades/trade-writes.ts';
import { updateUser } from '#storage/users/users.ts';
import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { untilWaiting } from '../../../test/support/lock-waits.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, password, startTestServer } from '../../../test/support/test-server.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';

// What a live bot trades with, and where. Each exchange of this file is a sandbox, so that real ones can be named.
const sandbox = await startSandbox();
afterAll(() => sandbox.close());
const openMarket = async (_: string, marketType: 'spot' | 'margin' | 'futures') =>
  createMarketData({ exchangeId: 'sandbox', marketType, sandboxUrl: sandbox.url, now: Date.now });
const server = await startTestServer({
  markets: new Markets(defaultExchanges, openMarket),
  checkKey: exchangeKeyCheck({ sandboxUrl: sandbox.url }),
});
const { db } = server.dependencies;
type Person = Awaited<ReturnType<typeof server.signedIn>>;
let owner: Person;
let bot: string;
let key: string;
beforeEach(async () => {
  server.dependencies.liveTrading = 'on';
  owner = await server.signedIn('trader');
  bot = await addTestBot(db, { strategy: 'RsiReversal', owner: owner.email });
  key = await storedKey(owner.userId);
  await sql`update bots set mode = 'live', status = 'active', api_key_id = ${key} where id = ${bot}`.execute(db);
});

const storedKey = async (userId: string, exchangeId = 'sandbox', createdAt = server.dependencies.now()): Promise<string> =>
  (
    await db
      .insertInto('apiKeys')
      .values({ userId, exchangeId, keyHint: 'wxyz', sealed: '{}', createdAt })
      .returning('id')
      .executeTakeFirstOrThrow()
  ).id;
const newKey = async () => {
  const answer = await fetch(`${sandbox.url}/sandbox/v1/keys?right=trade`, { method: 'POST' });
  const { apiKey, secretKey } = (await answer.json()) as { apiKey: string; secretKey: string };
  return { exchange_id: 'sandbox', key: apiKey, secret: secretKey };
};
const enter = async (trx: Database, given: Partial<TradeRow> = {}, order: 'open' | 'filled' = 'filled') => {
  const trade = aTradeRow(bot, { symbol: 'BTC/USDT', mode: 'testnet', ...given });
  const { clientOrderId } = anOrderRow(trade);
  await writeTrades(trx, [{ trade, orders: [anOrderRow(trade, { clientOrderId, status: order, filled: 5 })], fills: [] }]);
  return clientOrderId;
};
const row = async () =>
  (
    await sql<{
      api_key_id: string | null;
      status: string;
      mode: string;
      exchange_id: string;
      market_type: string;
    }>`select api_key_id, status, mode, exchange_id, market_type from bots where id = ${bot}`.execute(db)
  ).rows[0];
const update = (body: object, person = owner) => person.updateBot({ params: { id: bot }, body });
const detail = async (call: Promise<unknown>): Promise<string> => (await failure(call)).message;

/** Every call that would have the bot trade with another account, or not at all. */
const changes: [string, (person: Person) => Promise<unknown>][] = [
  ['a new key', async (person) => person.addApiKey({ body: { ...(await newKey()), bot_id: bot } })],
  ['a stored key', async (person) => update({ api_key_id: await storedKey(owner.userId) }, person)],
  ['another exchange', async (person) => update({ exchange_id: 'binance', api_key_id: await storedKey(owner.userId, 'binance') }, person)],
  ['another market', async (person) => update({ margin_mode: 'margin' }, person)],
  ['paper mode', async (person) => person.changeBotMode({ params: { id: bot }, query: { mode: 'paper' } })],
];

test('a bot that moves to another market has its exchange asked whether its key may trade there', async () => {
  const isAsked = async () =>
    (await db.selectFrom('apiKeys').select('checkAskedAt').where('id', '=', key).executeTakeFirstOrThrow()).checkAskedAt !== null;
  await update({ nickname: 'where it was' });
  expect(await isAsked()).toBe(false);
  await update({ margin_mode: 'margin' });
  expect(await isAsked()).toBe(true);
});

test('a bot that goes live has its exchange asked again whether its key may trade on its market', async () => {
  await sql`update bots set mode = 'paper' where id = ${bot}`.execute(db);
  const asked = () => db.selectFrom('apiKeys').select('id').where('checkAskedAt', 'is not', null).where('id', '=', key).execute();
  expect(await asked()).toEqual([]);
  await owner.changeBotMode({ params: { id: bot }, query: { mode: 'live' } });
  expect(await asked()).toEqual([{ id: key }]);
});

describe('OP-36 a live bot with open trades or orders keeps its account', () => {
  test.each(changes)('%s is refused while a trade is open', async (_, change) => {
    const before = await row();
    await enter(db);
    expect(await detail(change(owner))).toBe('409 Bot has open trades');
    expect(await row()).toEqual(before);
  });

  test.each(changes)('%s is refused while an order of a closed trade has not ended, and taken then', async (_, change) => {
    const before = await row();
    const order = await enter(db, { status: 'closed', closedAt: new Date(), profit: '1' }, 'open');
    expect(await detail(change(owner))).toBe('409 Bot has open trades');
    expect(await row()).toEqual(before);
    await sql`update orders set status = 'cancelled' where client_order_id = ${order}`.execute(db);
    await change(owner);
    expect(await row()).not.toEqual(before);
  });

  test.each(changes)('%s is refused when a step opens a trade in the same moment', async (_, change) => {
    const before = await row();
    let refused: Promise<string> = Promise.resolve('');
    await db.transaction().execute(async (trx) => {
      await sql`select from bots where id = ${bot} for no key update`.execute(trx); // as every step locks its bot
      refused = detail(change(owner));
      await untilWaiting(db, 1);
      await enter(trx);
    });
    expect(await refused).toBe('409 Bot has open trades');
    expect(await row()).toEqual(before);
  });

  test('an earlier version that trades elsewhere is not restored', async () => {
    await sql`update bots set status = 'paused' where id = ${bot}`.execute(db);
    await update({ margin_mode: 'margin' });
    await enter(db);
    expect(await detail(owner.restoreBotVersion({ params: { id: bot, version: 1 } }))).toBe('409 Bot has open trades');
  });

  test('the database refuses it too, whoever asks, and keeps the key', async () => {
    await enter(db);
    const refusal = /it keeps its exchange, market, key and mode/u;
    for (const change of [
      sql`update bots set api_key_id = null where id = ${bot}`,
      sql`update bots set exchange_id = 'binance' where id = ${bot}`,
      sql`update bots set market_type = 'margin' where id = ${bot}`,
      sql`update bots set mode = 'paper' where id = ${bot}`,
      sql`delete from api_keys where id = ${key}`,
    ])
      await expect(change.execute(db)).rejects.toThrow(refusal);
    await sql`update bots set status = 'paused', stake_amount = 5 where id = ${bot}`.execute(db); // nothing else is refused
    expect(await row()).toMatchObject({ apiKeyId: key, status: 'paused' });
  });

  test('the key of a paper bot with open trades may be another: no account knows of them', async () => {
    await sql`update bots set mode = 'paper' where id = ${bot}`.execute(db);
    await enter(db, { mode: 'paper' });
    const other = await storedKey(owner.userId);
    await update({ api_key_id: other });
    expect(await row()).toMatchObject({ apiKeyId: other, status: 'active' });
  });
});

describe('a live bot that is to trade with another account', () => {
  const elsewhere = changes.filter(([name]) => name !== 'paper mode');

  test.each(elsewhere)('%s takes the password', async (_, change) => {
    const before = await row();
    server.pass(11 * minuteMs);
    expect(await detail(change(owner))).toBe(`403 ${texts.passwordNeeded}`);
    expect(await row()).toEqual(before);
    await owner.confirmPassword({ body: { password } });
    await change(owner);
    expect(await row()).toMatchObject({ status: 'paused', mode: 'live' });
  });

  test.each(elsewhere)('%s is refused on the day after a reset of the password', async (name, change) => {
    const before = await row();
    await updateUser(db, owner.userId, { passwordResetAt: server.dependencies.now() });
    expect(await detail(change(owner))).toMatch(name === 'a new key' ? /^403 For 24 hours/u : `403 ${noLiveAfterReset}`);
    expect(await row()).toEqual(before);
  });

  test('does not go to a real exchange where live bots trade at the sandbox alone', async () => {
    server.dependencies.liveTrading = 'sandbox';
    const real = await storedKey(owner.userId, 'binance');
    expect(await detail(update({ exchange_id: 'binance', api_key_id: real }))).toBe(`403 ${texts.liveDisabled}`);
    server.dependencies.liveTrading = 'on';
    expect(await update({ exchange_id: 'binance', api_key_id: real })).toMatchObject({ exchange_id: 'binance', status: 'paused' });
    const { lines } = await listAudit(db, { action: 'change-bot' }, 1);
    expect(lines[0]?.detail).toMatchObject({ exchange_id: { from: 'sandbox', to: 'binance' }, api_key: { from: key, to: real } });
  });

  test('needs the key of the other exchange to be named, of its owner and for that exchange', async () => {
    const other = await server.signedIn('trader');
    await storedKey(owner.userId, 'binance');
    const before = await row();
    expect(await detail(update({ exchange_id: 'binance' }))).toBe(`400 ${texts.keyRequired}`);
    for (const named of [key, await storedKey(other.userId, 'binance'), bot])
      expect(await detail(update({ exchange_id: 'binance', api_key_id: named }))).toBe('404 API key not found');
    expect(await row()).toEqual(before);
  });

  test('does not go back to an earlier exchange by its versions without the password and a key', async () => {
    await update({ exchange_id: 'binance', api_key_id: await storedKey(owner.userId, 'binance') });
    server.pass(11 * minuteMs);
    const restore = () => owner.restoreBotVersion({ params: { id: bot, version: 1 } });
    expect(await detail(restore())).toBe(`400 ${texts.keyRequired}`);
    await update({ nickname: 'Still here' }); // what changes no account needs no password
    await owner.confirmPassword({ body: { password } });
    expect(await detail(restore())).toBe(`400 ${texts.keyRequired}`);
    expect(await row()).toMatchObject({ exchangeId: 'binance', status: 'paused' });
  });

  test('an earlier market comes back with the password, and the bot is paused', async () => {
    await update({ margin_mode: 'margin' });
    await owner.toggleBot({ params: { id: bot }, query: { status: 'active' } });
    server.pass(11 * minuteMs);
    const restore = () => owner.restoreBotVersion({ params: { id: bot, version: 1 } });
    expect(await detail(restore())).toBe(`403 ${texts.passwordNeeded}`);
    await owner.confirmPassword({ body: { password } });
    await restore();
    expect(await row()).toMatchObject({ marketType: 'spot', status: 'paused', apiKeyId: key });
  });
});

describe('what raises a limit of a live bot takes the password', () => {
  const raises = [
    { stake_amount: 101 },
    { max_open_trades: 4 },
    { leverage: 1.5 },
    { stake_currency: 'USDC', trading_pairs: ['BTC/USDC'] },
  ];
  const others = [{ stake_amount: 99 }, { max_open_trades: 2 }, { nickname: 'Other' }];
  beforeEach(() => server.pass(11 * minuteMs));

  test.each(raises)('%j', async (body) => {
    const { version } = await db.selectFrom('bots').select('version').where('id', '=', bot).executeTakeFirstOrThrow();
    expect(await detail(update(body))).toBe(`403 ${texts.passwordNeeded}`);
    expect(await db.selectFrom('bots').select('version').where('id', '=', bot).executeTakeFirstOrThrow()).toEqual({ version });
    await owner.confirmPassword({ body: { password } });
    expect(await update(body)).toMatchObject(body);
  });

  test.each(others)('%j does not', async (body) => {
    expect(await update(body)).toMatchObject(body);
  });

  test.each(raises)('%j does not on paper', async (body) => {
    await sql`update bots set mode = 'paper' where id = ${bot}`.execute(db);
    expect(await update(body)).toMatchObject(body);
  });

  test('cross margin in place of isolated does on perpetuals, where all of the account answers for a loss then; on spot and back it does not', async () => {
    await update({ leverage_mode: 'cross' });
    await update({ leverage_mode: 'isolated' });
    await sql`alter table bots disable trigger bots_account`.execute(db);
    await sql`update bots set market_type = 'futures', symbols = array['BTC/USDT:USDT'] where id = ${bot}`.execute(db);
    await sql`alter table bots enable trigger bots_account`.execute(db);
    expect(await detail(update({ leverage_mode: 'cross' }))).toBe(`403 ${texts.passwordNeeded}`);
    await owner.confirmPassword({ body: { password } });
    expect(await update({ leverage_mode: 'cross' })).toMatchObject({ leverage_mode: 'cross' });
    server.pass(11 * minuteMs);
    expect(await update({ leverage_mode: 'isolated' })).toMatchObject({ leverage_mode: 'isolated' });
  });

  test('an earlier version with a higher stake does; a higher stake below a limit that was set does not', async () => {
    await update({ stake_amount: 50 });
    const restore = () => owner.restoreBotVersion({ params: { id: bot, version: 1 } });
    expect(await detail(restore())).toBe(`403 ${texts.passwordNeeded}`);
    // Every limit that follows from the stake is set, for the bot and around it.
    for (const level of ['bot', 'user', 'server'] as const)
      for (const name of ['order-value', 'position-value', 'daily-loss'] as const)
        await sql`insert into limits (level, bot_id, user_id, name, currency, value) values (${level}, ${level === 'bot' ? bot : null},
          ${level === 'user' ? owner.userId : null}, ${name}, ${level === 'bot' ? '' : 'USDT'}, 10)`.execute(db);
    expect(await restore()).toMatchObject({ stake_amount: 100 });
    // On the day after a reset of the password nothing goes up.
    await sql`update users set password_reset_at = now() where id = ${owner.userId}`.execute(db);
    for (const more of [{ stake_amount: 101 }, { max_open_trades: 4 }])
      expect(await detail(update(more))).toBe(`403 ${texts.noRiskAfterReset}`);
    await update({ stake_amount: 99, max_open_trades: 2 });
    await sql`update users set password_reset_at = null where id = ${owner.userId}`.execute(db);
    await sql`delete from limits`.execute(db);
  });
});

describe('activating a live bot', () => {
  const activate = () => owner.toggleBot({ params: { id: bot }, query: { status: 'active' } });
  beforeEach(async () => {
    await sql`update bots set status = 'paused' where id = ${bot}`.execute(db);
    server.pass(11 * minuteMs);
  });

  test('takes the password where real orders are sent, by its owner and by an administrator', async () => {
    await sql`update bots set exchange_id = 'binance' where id = ${bot}`.execute(db);
    const admin = await server.signedIn('admin');
    const byAdmin = () => admin.setBotStatus({ params: { id: bot }, body: { status: 'active' } });
    await sql`update sessions set authenticated_at = authenticated_at - interval '11 minutes' where user_id = ${admin.userId}`.execute(db);
    for (const call of [activate, byAdmin]) expect(await detail(call())).toBe(`403 ${texts.passwordNeeded}`);
    await owner.toggleBot({ params: { id: bot }, query: { status: 'stopped' } });
    await owner.confirmPassword({ body: { password } });
    expect(await activate()).toMatchObject({ status: 'active' });
  });

  test('takes none at the sandbox', async () => {
    expect(await activate()).toMatchObject({ status: 'active' });
  });
});

describe('what somebody confirms is what they have seen', () => {
  const seen = (version: number) => ({ headers: { 'if-match': `"${version}"` } });
  const versionOf = async () => (await owner.getBot({ params: { id: bot } })).version;
  const set = (status: 'active' | 'paused' | 'stopped', version: number) =>
    owner.toggleBot({ params: { id: bot }, query: { status, mode: 'live' } }, seen(version));
  const goLive = (version: number) => owner.changeBotMode({ params: { id: bot }, query: { mode: 'live' } }, seen(version));

  test('API-35, API-26 whoever was asked about a simulated market starts no real orders at the exchange that the bot was moved to', async () => {
    await sql`update bots set status = 'paused' where id = ${bot}`.execute(db);
    const shown = await versionOf();
    expect(await update({ exchange_id: 'binance', api_key_id: await storedKey(owner.userId, 'binance') })).toMatchObject({
      mode: 'live',
      status: 'paused',
      version: shown + 1,
    });
    const admin = await server.signedIn('admin');
    for (const call of [
      () => set('active', shown),
      () => admin.setBotStatus({ params: { id: bot }, body: { status: 'active', mode: 'live' } }, seen(shown)),
    ])
      expect(await detail(call())).toBe(`409 ${texts.changedMeanwhile}`);
    const several = (version: number) =>
      owner.changeBots({ body: { bot_ids: [bot], action: 'activate', modes: { [bot]: 'live' }, versions: { [bot]: version } } });
    expect((await several(shown)).results).toMatchObject([{ outcome: 'failed', reason: texts.changedMeanwhile }]);
    expect((await row())?.status).toBe('paused');
    expect((await set('active', shown + 1)).status).toBe('active');
    await owner.toggleBot({ params: { id: bot }, query: { status: 'paused' } });
    expect((await several(shown + 1)).results).toMatchObject([{ outcome: 'done' }]);
  });

  test('API-36 with other settings than were shown no bot goes live, and nobody is asked for the password for it', async () => {
    await sql`update bots set mode = 'paper', status = 'paused' where id = ${bot}`.execute(db);
    const shown = await versionOf();
    await update({ stake_amount: 5000 });
    server.pass(11 * minuteMs);
    expect(await detail(goLive(shown))).toBe(`409 ${texts.changedMeanwhile}`);
    expect((await row())?.mode).toBe('paper');
    expect(await detail(goLive(shown + 1))).toBe(`403 ${texts.passwordNeeded}`);
    await owner.confirmPassword({ body: { password } });
    expect((await goLive(shown + 1)).mode).toBe('live');
    expect((await owner.changeBotMode({ params: { id: bot }, query: { mode: 'paper' } })).mode).toBe('paper');
    expect((await owner.changeBotMode({ params: { id: bot }, query: { mode: 'paper' } })).mode).toBe('paper'); // it is already
  });

  test('API-47 a bot that gets another key is not what was shown: it trades with another account', async () => {
    await sql`update bots set mode = 'paper', status = 'paused' where id = ${bot}`.execute(db);
    const shown = await versionOf();
    const addSeen = async (version: number) => owner.addApiKey({ body: { ...(await newKey()), bot_id: bot } }, seen(version));
    expect(await detail(addSeen(shown + 1))).toBe(`409 ${texts.changedMeanwhile}`);
    expect(await owner.listApiKeys({})).toHaveLength(1); // the one it has: nothing was stored
    const { bot_version } = await addSeen(shown);
    expect(await detail(goLive(shown))).toBe(`409 ${texts.changedMeanwhile}`);
    expect(bot_version).toBe(await versionOf());
    expect((await owner.listBotVersions({ params: { id: bot } }))[0]).toMatchObject({ version: bot_version, changes: [] });
    const { rows } = await sql<{ isAscending: boolean }>`
      select bool_and(changed_at >= before) as is_ascending
      from (select changed_at, lag(changed_at, 1, changed_at) over (order by version) as before from bot_versions where bot_id = ${bot}) v`.execute(
      db,
    );
    expect(rows).toEqual([{ isAscending: true }]);
    expect((await goLive(bot_version ?? 0)).mode).toBe('live');
    expect(await owner.addApiKey({ body: await newKey() })).not.toHaveProperty('bot_version');
  });

  test('API-34 whose form says paper changes no live bot, and restores no version of it', async () => {
    await sql`update bots set mode = 'paper', status = 'paused' where id = ${bot}`.execute(db);
    const { version } = await update({ stake_amount: 50 });
    await goLive(version);
    for (const body of [{ stake_amount: 60 }, { nickname: 'Other' }, { api_key_id: await storedKey(owner.userId) }])
      expect(await detail(owner.updateBot({ params: { id: bot }, query: { mode: 'paper' }, body }, seen(version)))).toBe(
        `409 ${otherMode}`,
      );
    const restore = (mode: 'paper' | 'live') =>
      owner.restoreBotVersion({ params: { id: bot, version: 1 }, query: { mode } }, seen(version));
    expect(await detail(restore('paper'))).toBe(`409 ${otherMode}`);
    expect(await versionOf()).toBe(version);
    expect(await restore('live')).toMatchObject({ stake_amount: 100, version: version + 1 });
    const inLive = await owner.updateBot({ params: { id: bot }, query: { mode: 'live' }, body: { stake_amount: 60 } }, seen(version + 1));
    expect(inLive.stake_amount).toBe(60);
    expect(await detail(owner.updateBot({ params: { id: bot }, query: { mode: 'real' as never }, body: { stake_amount: 1 } }))).toBe(
      '400 Mode must be paper or live',
    );
  });

  test('API-34 the mode is compared when the bot is locked: one that goes live while the form is being saved is not changed', async () => {
    await sql`update bots set mode = 'paper', status = 'paused' where id = ${bot}`.execute(db);
    const shown = await versionOf();
    let saved: Promise<string> | undefined;
    await db.transaction().execute(async (trx) => {
      await sql`select from bots where id = ${bot} for update`.execute(trx);
      saved = detail(owner.updateBot({ params: { id: bot }, query: { mode: 'paper' }, body: { stake_amount: 60 } }, seen(shown)));
      await untilWaiting(db, 1);
      await sql`update bots set mode = 'live' where id = ${bot}`.execute(trx);
    });
    expect(await saved).toBe(`409 ${otherMode}`);
    expect(await versionOf()).toBe(shown);
  });
});

describe('a stored key is used when it is named', () => {
  const aBot = (given: object) => ({
    body: {
      strategy_id: '',
      exchange_id: 'sandbox',
      margin_mode: 'spot' as const,
      stake_currency: 'USDT',
      stake_amount: 100,
      max_open_trades: 1,
      leverage: 1,
      trading_pairs: ['BTC/USDT'],
      user_email: owner.email,
      mode: 'paper' as const,
      leverage_mode: 'isolated' as const,
      ...given,
    },
  });
  const create = async (given: object, person = owner) => {
    const { rows } = await sql<{ id: string }>`select strategy_id as id from bots where id = ${bot}`.execute(db);
    return person.createBot(aBot({ strategy_id: rows[0]?.id, ...given }));
  };
  const keyOf = async (id: string) => (await db.selectFrom('bots').select('apiKeyId').where('id', '=', id).executeTakeFirst())?.apiKeyId;

  test('a new paper bot has none, and does not go live until it has one', async () => {
    const { id } = await create({});
    expect(await keyOf(id)).toBeNull();
    expect(await detail(owner.changeBotMode({ params: { id }, query: { mode: 'live' } }))).toBe(`400 ${texts.keyRequired}`);
    await owner.updateBot({ params: { id }, body: { api_key_id: key } });
    expect(await owner.changeBotMode({ params: { id }, query: { mode: 'live' } })).toMatchObject({ mode: 'live', status: 'paused' });
    expect(await keyOf(id)).toBe(key);
    expect(await keyOf((await create({ api_key_id: key })).id)).toBe(key);
  });

  test('OP-31 a new live bot without a named one has the only one there is, or the one just added; of several it takes none', async () => {
    expect(await keyOf((await create({ mode: 'live' })).id)).toBe(key);
    await sql`update api_keys set created_at = created_at - interval '2 days'`.execute(db);
    const older = await storedKey(owner.userId, 'sandbox', new Date(server.dependencies.now().getTime() - 11 * minuteMs));
    expect(await detail(create({ mode: 'live' }))).toBe(`400 ${texts.keyRequired}`);
    expect(await keyOf((await create({ mode: 'live', api_key_id: older })).id)).toBe(older);
    const justAdded = await storedKey(owner.userId);
    expect(await keyOf((await create({ mode: 'live' })).id)).toBe(justAdded);
    const stranger = await server.signedIn('trader');
    expect(await detail(create({ mode: 'live', api_key_id: await storedKey(stranger.userId) }))).toBe('404 API key not found');
  });

  test('OP-31 a live bot that an administrator makes for somebody has the key of its owner, and none of the administrator', async () => {
    const admin = await server.signedIn('admin');
    const ofAdmin = await storedKey(admin.userId);
    const { id } = await create({ mode: 'live' }, admin);
    const { userId } = await db.selectFrom('bots').select('userId').where('id', '=', id).executeTakeFirstOrThrow();
    expect([userId, await keyOf(id)]).toEqual([owner.userId, key]);
    expect(await detail(create({ mode: 'live', api_key_id: ofAdmin }, admin))).toBe('404 API key not found');
    await sql`update bots set mode = 'paper', api_key_id = null where user_id = ${owner.userId}`.execute(db);
    await owner.deleteApiKey({ params: { id: key } });
    expect(await detail(create({ mode: 'live' }, admin))).toBe(`400 ${texts.keyRequired}`);
  });

  test('a paper bot that goes to another exchange has no key there', async () => {
    await sql`update bots set mode = 'paper' where id = ${bot}`.execute(db);
    await storedKey(owner.userId, 'binance');
    await update({ exchange_id: 'binance' });
    expect(await row()).toMatchObject({ apiKeyId: null, status: 'active' });
  });
});

describe('a key that is deleted while a bot goes live with it', () => {
  const remove = () => owner.deleteApiKey({ params: { id: key } });
  const goLive = () => owner.changeBotMode({ params: { id: bot }, query: { mode: 'live' } });
  beforeEach(() => sql`update bots set mode = 'paper', status = 'paused' where id = ${bot}`.execute(db));

  test('is kept when the bot was live first', async () => {
    let refused: Promise<string> = Promise.resolve('');
    await db.transaction().execute(async (trx) => {
      await sql`select from api_keys where id = ${key} for share`.execute(trx); // whatever was asked about the bots before this is over
      refused = detail(remove());
      await untilWaiting(db, 1);
      await sql`update bots set mode = 'live' where id = ${bot}`.execute(trx);
    });
    expect(await refused).toMatch(/^409 A live bot trades with this key/u);
    expect(await row()).toMatchObject({ apiKeyId: key, mode: 'live' });
  });

  test('is gone when the deletion was first, and the bot stays on paper', async () => {
    let refused: Promise<string> = Promise.resolve('');
    await db.transaction().execute(async (trx) => {
      await sql`select from api_keys where id = ${key} for update`.execute(trx);
      await sql`select from bots where api_key_id = ${key} for update`.execute(trx);
      refused = detail(goLive());
      await untilWaiting(db, 1);
      await sql`delete from api_keys where id = ${key}`.execute(trx);
    });
    expect(await refused).toBe(`400 ${texts.keyRequired}`);
    expect(await row()).toMatchObject({ apiKeyId: null, mode: 'paper' });
  });

  test('is gone from the bots that name it in the same moment, and nobody waits for ever', async () => {
    const id = await addTestBot(db, { strategy: 'RsiReversal', owner: owner.email });
    const both = await Promise.allSettled([
      remove(),
      owner.updateBot({ params: { id }, body: { api_key_id: key } }),
      update({ nickname: 'a', api_key_id: key }),
    ]);
    expect(both[0]).toMatchObject({ status: 'fulfilled' });
    for (const each of both.slice(1)) if (each.status === 'rejected') expect((each.reason as Error).message).toBe('404 API key not found');
    expect(await row()).toMatchObject({ apiKeyId: null });
  });
});
