import { noLiveAfterReset } from '#contract/bots.ts';
import { texts } from '#contract/errors.ts';
import { minuteMs } from '#engine/market/durations.ts';
import { enterBuiltInStrategies } from '#runner/built-in-strategies.ts';
import { listAudit } from '#storage/audit/audit-log.ts';
import { listStrategies } from '#storage/strategies/strategies.ts';
import { aTradeRow } from '#storage/testing/trade-rows.ts';
import { updateUser } from '#storage/users/users.ts';
import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { connectMarkets } from '../../../test/support/connect-markets.ts';
import { failure, password, startTestServer } from '../../../test/support/test-server.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';

const sandbox = await startSandbox();
afterAll(() => sandbox.close());
const server = await startTestServer({ markets: connectMarkets(sandbox.url, Date.now) });
const { db } = server.dependencies;
await enterBuiltInStrategies(db);
const strategies = await listStrategies(db);
const strategyOf = (className: string) => strategies.find((each) => each.className === className)?.id ?? '';
type Person = Awaited<ReturnType<typeof server.signedIn>>;
let owner: Person;
let admin: Person;
const other = await server.signedIn('trader');

beforeEach(async () => {
  owner = await server.signedIn('trader');
  admin = await server.signedIn('admin');
});

const aBot = (changes: object = {}) => ({
  strategy_id: strategyOf('RsiReversal'),
  exchange_id: 'sandbox',
  margin_mode: 'spot' as const,
  stake_currency: 'USDT',
  stake_amount: 100,
  max_open_trades: 3,
  leverage: 1,
  trading_pairs: ['BTC/USDT', 'ETH/USDT'],
  user_email: owner.email,
  mode: 'paper' as const,
  leverage_mode: 'isolated' as const,
  ...changes,
});
const create = (changes: object = {}, person = owner) => person.createBot({ body: aBot(changes) });
const addKey = async (userId: string, exchangeId = 'sandbox') =>
  (await db.insertInto('apiKeys').values({ userId, exchangeId, keyHint: 'wxyz', sealed: '{}' }).returning('id').executeTakeFirstOrThrow())
    .id;
const openTrade = (botId: string, symbol: string) => {
  const row = aTradeRow(botId, { symbol });
  return db
    .insertInto('trades')
    .values({ ...row, engineState: JSON.stringify(row.engineState), stopMoves: '[]' })
    .execute();
};

test('a bot that is made with a key has the exchange asked whether the key may trade on its market', async () => {
  const [key, other] = [await addKey(owner.userId), await addKey(owner.userId)];
  await create({ api_key_id: key });
  const asked = await db.selectFrom('apiKeys').select('id').where('id', 'in', [key, other]).where('checkAskedAt', 'is not', null).execute();
  expect(asked).toEqual([{ id: key }]);
});

describe('a new bot', () => {
  test('API-33, OP-35, OP-70, BOTCFG-38 is made paused with its capital, its name and its first version', async () => {
    const bot = await create({ stake_amount: 0.1, max_open_trades: 3, trading_pairs: ['BTC/USDT', 'BTC/USDT'] });
    expect(bot).toMatchObject({
      nickname: 'RSI reversal sandbox',
      user_id: owner.userId,
      status: 'paused',
      mode: 'paper',
      stake_amount: 0.1,
      starting_balance: 0.3, // 0.30000000000000004 in binary
      current_balance: 0.3,
      trading_pairs: ['BTC/USDT'],
      total_trades: 0,
      version: 1,
    });
    expect(await owner.getBot({ params: { id: bot.id } })).toMatchObject({ api_key: null, effective_stoploss: bot.stoploss });
    expect(await owner.listBotVersions({ params: { id: bot.id } })).toEqual([
      { version: 1, changed_at: expect.any(String), changed_by: owner.email, changes: [], trades: 0, pnl: 0 },
    ]);
    const { lines } = await listAudit(db, { action: 'create-bot' }, 1);
    expect(lines[0]).toMatchObject({ target: bot.id, actorId: owner.userId, result: 'ok' });
    expect((await create({ nickname: '  My bot ' })).nickname).toBe('My bot');
  });

  test.each([
    [{ exchange_id: 'nowhere' }, '404 Exchange not found'],
    [{ strategy_id: '00000000-0000-4000-8000-00000000dead' }, '404 Strategy not found'],
    [{ stake_currency: 'EUR' }, '400 Stake currency is not offered by this exchange'],
    [{ trading_pairs: ['BTC/USDT', 'NOPE/USDT'] }, '400 Trading pair not offered by this exchange: NOPE/USDT'],
    [{ trading_pairs: ['BTC/USDC'] }, '400 Trading pair not offered by this exchange: BTC/USDC'],
    [{ margin_mode: 'futures' }, '400 Trading pair not offered by this exchange: BTC/USDT'],
    [{ mode: 'live' }, '400 API key and secret are required for live mode'],
    [{ nickname: 'x'.repeat(61) }, '400 Nickname must be at most 60 characters'],
    [{ stake_amount: 0 }, '400 Stake amount must be positive'],
    [{ trading_pairs: [] }, '400 At least one trading pair is required'],
  ])('API-33, VALID-31 %j: %s', async (changes, text) => {
    const before = (await owner.listBots({})).length;
    expect((await failure(create(changes))).message).toBe(text);
    expect(await owner.listBots({})).toHaveLength(before);
  });

  test('OP-37 a strategy must support the exchange; all support the simulator', async () => {
    await sql`update strategies set supported_exchanges = '{kraken}' where class_name = 'MacdTrend'`.execute(db);
    const of = { strategy_id: strategyOf('MacdTrend') };
    expect((await failure(create({ ...of, exchange_id: 'binance' }))).message).toBe('400 Strategy does not support this exchange');
    expect((await create(of)).strategy_name).toBe('MACD with trend filter');
  });

  test('API-33 a name stays on its line and is read as it is written', async () => {
    for (const nickname of ['Bot\nclosed BTC/USDT', 'a\u2028b', '+12\u202E00', '\u2066x', 'bell\u0007'])
      expect((await failure(create({ nickname }))).message, JSON.stringify(nickname)).toBe('400 Invalid request');
    expect((await create({ nickname: 'Ünïcode 網 👍🏽 [BTC]' })).nickname).toBe('Ünïcode 網 👍🏽 [BTC]');
  });

  test('API-33, VALID-42, OP-33 traders make bots for themselves, admins for anybody, others none', async () => {
    expect((await failure(create({ user_email: other.email }))).message).toBe('403 You can only create bots for your own account');
    expect((await create({ user_email: ` ${owner.email.toUpperCase()} ` })).user_id).toBe(owner.userId);
    expect((await create({ user_email: other.email }, admin)).user_id).toBe(other.userId);
    expect((await failure(create({ user_email: 'nobody@example.com' }, admin))).message).toBe('404 User not found');
    expect((await failure(create({ user_email: ' ' }))).message).toBe('400 User email is required');
    for (const role of ['investor', 'operator'] as const) {
      const person = await server.signedIn(role);
      expect((await failure(create({ user_email: person.email }, person))).message).toBe('403 Only admins and traders can create bots');
    }
  });

  test('OP-16 an account that is not verified makes none', async () => {
    await updateUser(db, owner.userId, { verified: false });
    expect((await failure(create())).message).toBe('403 Account is not verified');
    expect((await failure(create({}, admin))).message).toBe('403 Account is not verified');
  });

  test('OP-31, OP-36 a live one takes the newest key of its owner and exchange, stays paused, and needs the password', async () => {
    await addKey(owner.userId);
    await addKey(owner.userId, 'binance');
    const newest = await addKey(owner.userId);
    await addKey(other.userId);
    const bot = await create({ mode: 'live' });
    expect(bot).toMatchObject({ mode: 'live', status: 'paused' });
    const row = await db.selectFrom('bots').select('apiKeyId').where('id', '=', bot.id).executeTakeFirstOrThrow();
    expect(row.apiKeyId).toBe(newest);
    server.pass(11 * minuteMs);
    expect((await failure(create({ mode: 'live' }))).message).toBe(`403 ${texts.passwordNeeded}`);
    await owner.confirmPassword({ body: { password } });
    await updateUser(db, owner.userId, { passwordResetAt: server.dependencies.now() });
    expect((await failure(create({ mode: 'live' }))).message).toBe(`403 ${noLiveAfterReset}`);
    expect((await create()).mode).toBe('paper');
  });

  test('OP-82 sent again it is made once', async () => {
    const headers = { 'idempotency-key': 'one action' };
    const first = await owner.createBot({ body: aBot() }, { headers });
    expect(await owner.createBot({ body: aBot() }, { headers })).toEqual(first);
    expect((await owner.listBots({})).filter(({ user_id }) => user_id === owner.userId)).toHaveLength(1);
  });
});

describe('a change', () => {
  const update = (id: string, body: object, person = owner, version?: number) =>
    person.updateBot({ params: { id }, body }, version === undefined ? undefined : { headers: { 'if-match': `"${version}"` } });

  test('API-34, BOTCFG-39 of one field changes that field, makes a version and leaves the rest', async () => {
    const bot = await create();
    const changed = await update(bot.id, { leverage: 5 });
    expect(changed).toEqual({ ...bot, leverage: 5, version: 2, last_updated: changed.last_updated });
    expect(await update(bot.id, { nickname: 'Night shift', trading_pairs: ['SOL/USDT'] })).toMatchObject({
      nickname: 'Night shift',
      trading_pairs: ['SOL/USDT'],
      leverage: 5,
      version: 3,
    });
    expect((await update(bot.id, { nickname: ' ' })).nickname).toBe('RSI reversal sandbox');
    const versions = await owner.listBotVersions({ params: { id: bot.id } });
    expect(versions.map(({ version, changes }) => [version, changes])).toEqual([
      [4, [{ field: 'nickname', from: 'Night shift', to: 'RSI reversal sandbox' }]],
      [
        3,
        [
          { field: 'nickname', from: 'RSI reversal sandbox', to: 'Night shift' },
          { field: 'trading_pairs', from: 'BTC/USDT, ETH/USDT', to: 'SOL/USDT' },
        ],
      ],
      [2, [{ field: 'leverage', from: '1', to: '5' }]],
      [1, []],
    ]);
    const { lines } = await listAudit(db, { action: 'change-bot' }, 1);
    expect(lines[0]).toMatchObject({ target: bot.id, detail: { nickname: { from: 'Night shift', to: 'RSI reversal sandbox' } } });
  });

  test('OP-70 of stake or slots moves the capital, and the peak of the drawdown with it', async () => {
    const bot = await create();
    await sql`insert into bot_figures (bot_id, mode, trades, wins, losses, realized_pnl, peak_balance) values (${bot.id}, 'paper', 1, 1, 0, 10, 310)`.execute(
      db,
    );
    expect(await update(bot.id, { stake_amount: 200, max_open_trades: 4 })).toMatchObject({
      starting_balance: 800,
      current_balance: 810,
      total_trades: 1,
    });
    const { rows } = await sql<{
      peak: string;
    }>`select peak_balance::float8::text as peak from bot_figures where bot_id = ${bot.id}`.execute(db);
    expect(rows[0]?.peak).toBe('810');
  });

  test('OP-70 of stake or slots leaves the capital of a bot that has traded where it is, unless more is needed', async () => {
    const bot = await create();
    expect((await update(bot.id, { stake_amount: 20 })).starting_balance).toBe(60); // it has not traded
    await update(bot.id, { stake_amount: 100 });
    await sql`insert into bot_figures (bot_id, mode, trades, wins, losses, realized_pnl, peak_balance) values (${bot.id}, 'paper', 1, 0, 1, -50, 300)`.execute(
      db,
    );
    expect(await update(bot.id, { stake_amount: 20 })).toMatchObject({ starting_balance: 300, current_balance: 250 });
    expect(await update(bot.id, { max_open_trades: 20 })).toMatchObject({ starting_balance: 400, current_balance: 350 });
    const { rows } = await sql<{
      peak: string;
    }>`select peak_balance::float8::text as peak from bot_figures where bot_id = ${bot.id}`.execute(db);
    expect(rows[0]?.peak).toBe('400');
  });

  test('of the stake currency starts the figures again', async () => {
    const bot = await create();
    await sql`insert into bot_figures (bot_id, mode, trades, wins, losses, realized_pnl, peak_balance) values (${bot.id}, 'paper', 1, 1, 0, 10, 310)`.execute(
      db,
    );
    expect(await update(bot.id, { stake_currency: 'USDC', trading_pairs: ['BTC/USDC'] })).toMatchObject({
      total_trades: 0,
      total_pnl: 0,
      current_balance: 300,
    });
  });

  test.each([
    [{}, '400 No fields to update'],
    [{ status: 'active' }, '400 Unknown field: status'],
    [{ user_id: 'me' }, '400 Unknown field: user_id'],
    [{ total_pnl: 1e9 }, '400 Unknown field: total_pnl'],
    [{ exchange_id: 'nowhere' }, '404 Exchange not found'],
    [{ stake_currency: 'EUR' }, '400 Stake currency is not offered by this exchange'],
    [{ margin_mode: 'futures' }, '400 Trading pair not offered by this exchange: BTC/USDT'],
    [{ trading_pairs: ['BTC/USDT', 'NOPE/USDT'] }, '400 Trading pair not offered by this exchange: NOPE/USDT'],
    [{ stake_amount: -1 }, '400 Stake amount must be positive'],
    [{ leverage: 126 }, '400 Leverage must be between 1.0 and 125.0'],
  ])('API-34, VALID-32 %j: %s', async (changes, text) => {
    const bot = await create();
    expect((await failure(update(bot.id, changes))).message).toBe(text);
    expect((await owner.listBots({})).find(({ id }) => id === bot.id)).toEqual(bot);
  });

  test('API-34, OP-05 is for the owner and admins', async () => {
    const bot = await create();
    for (const person of [other, await server.signedIn('operator'), await server.signedIn('investor')]) {
      expect((await failure(update(bot.id, { leverage: 2 }, person))).message).toBe('403 You do not have access to this bot');
      expect((await failure(person.listBotVersions({ params: { id: bot.id } }))).message).toBe('403 You do not have access to this bot');
      expect((await failure(person.restoreBotVersion({ params: { id: bot.id, version: 1 } }))).message).toBe(
        '403 You do not have access to this bot',
      );
    }
    expect((await update(bot.id, { leverage: 2 }, admin)).leverage).toBe(2);
  });

  test('OP-36 with an open trade refuses another exchange, market or currency and the removal of its pair, nothing else', async () => {
    const bot = await create();
    await openTrade(bot.id, 'ETH/USDT');
    const refused = '409 Bot has open trades';
    for (const body of [
      { exchange_id: 'sandbox', margin_mode: 'margin' },
      { stake_currency: 'USDC', trading_pairs: ['BTC/USDC'] },
      { trading_pairs: ['BTC/USDT'] },
    ])
      expect((await failure(update(bot.id, body))).message).toBe(refused);
    expect(await update(bot.id, { trading_pairs: ['ETH/USDT', 'SOL/USDT'], stake_amount: 50, leverage: 3 })).toMatchObject({ version: 2 });
  });

  test('with an open trade in a pair that is none of the bot, as one that was taken over, is not refused for that pair', async () => {
    const bot = await create();
    await openTrade(bot.id, 'SOL/USDT');
    expect(await update(bot.id, { stake_amount: 50, max_open_trades: 2 })).toMatchObject({ version: 2 });
    expect(await update(bot.id, { trading_pairs: ['BTC/USDT'] })).toMatchObject({ version: 3 });
  });

  test('of somebody who has not seen the newest version is refused, and of ten at once one is made', async () => {
    const bot = await create();
    await update(bot.id, { leverage: 2 }, admin);
    expect((await failure(update(bot.id, { leverage: 3 }, owner, 1))).message).toBe(`409 ${texts.changedMeanwhile}`);
    expect((await update(bot.id, { leverage: 3 }, owner, 2)).version).toBe(3);
    const made = await Promise.allSettled(Array.from({ length: 10 }, (_, i) => update(bot.id, { leverage: 10 + i }, owner, 3)));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await owner.listBotVersions({ params: { id: bot.id } })).map(({ version }) => version)).toEqual([4, 3, 2, 1]);
    expect(
      (await failure(owner.updateBot({ params: { id: bot.id }, body: { leverage: 2 } }, { headers: { 'if-match': 'all' } }))).message,
    ).toBe('400 Invalid request');
  });

  test('a pair the exchange no longer offers does not keep a bot from being changed', async () => {
    const bot = await create();
    await sql`update bots set symbols = '{BTC/USDT,GONE/USDT}' where id = ${bot.id}`.execute(db);
    expect((await update(bot.id, { trading_pairs: ['GONE/USDT', 'ETH/USDT'] })).trading_pairs).toEqual(['GONE/USDT', 'ETH/USDT']);
  });
});

describe('versions', () => {
  test('an earlier one is restored as a new one, checked like any change; what trades came to is by version', async () => {
    const bot = await create();
    await owner.updateBot({ params: { id: bot.id }, body: { stake_amount: 500, nickname: 'Bold' } });
    for (const [version, profit] of [
      [1, 5],
      [1, -1],
      [2, -20],
    ] as const) {
      const row = aTradeRow(bot.id, { status: 'closed', closedAt: new Date(), profit: String(profit), botVersion: version });
      await db
        .insertInto('trades')
        .values({ ...row, engineState: JSON.stringify(row.engineState), stopMoves: '[]' })
        .execute();
    }
    const restored = await owner.restoreBotVersion({ params: { id: bot.id, version: 1 } });
    expect(restored).toMatchObject({ nickname: bot.nickname, stake_amount: 100, version: 3 });
    const versions = await owner.listBotVersions({ params: { id: bot.id } });
    expect(versions.map(({ version, trades, pnl }) => [version, trades, pnl])).toEqual([
      [3, 0, 0],
      [2, 1, -20],
      [1, 2, 4],
    ]);
    expect((await failure(owner.restoreBotVersion({ params: { id: bot.id, version: 9 } }))).message).toBe('404 Version not found');
    await openTrade(bot.id, 'ETH/USDT');
    await owner.updateBot({ params: { id: bot.id }, body: { trading_pairs: ['ETH/USDT', 'BTC/USDT', 'SOL/USDT'] } });
    await openTrade(bot.id, 'SOL/USDT');
    expect((await failure(owner.restoreBotVersion({ params: { id: bot.id, version: 1 } }))).message).toBe('409 Bot has open trades');
  });

  test('OP-70 what trades came to is in the stake currency of the bot: those of an earlier one are counted only', async () => {
    const bot = await create();
    await owner.updateBot({ params: { id: bot.id }, body: { stake_currency: 'USDC', trading_pairs: ['BTC/USDC'] } });
    for (const [symbol, profit, botVersion] of [
      ['BTC/USDT', '12.3', 1],
      ['BTC/USDC', '5', 2],
    ] as const) {
      const row = aTradeRow(bot.id, { status: 'closed', closedAt: new Date(), symbol, profit, botVersion });
      await db
        .insertInto('trades')
        .values({ ...row, engineState: JSON.stringify(row.engineState), stopMoves: '[]' })
        .execute();
    }
    const versions = await owner.listBotVersions({ params: { id: bot.id } });
    expect(versions.map(({ version, trades, pnl }) => [version, trades, pnl])).toEqual([
      [2, 1, 5],
      [1, 1, 0],
    ]);
  });

  test('say who changed what to whoever may know: a trader does not get the address of an administrator', async () => {
    const admin = await server.signedIn('admin');
    const bot = await create();
    await admin.updateBot({ params: { id: bot.id }, body: { leverage: 2 } });
    await owner.updateBot({ params: { id: bot.id }, body: { leverage: 3 } });
    const namesFor = async (person: typeof owner) =>
      (await person.listBotVersions({ params: { id: bot.id } })).map(({ changed_by }) => changed_by);
    expect(await namesFor(owner)).toEqual([owner.email, 'an administrator', owner.email]);
    expect(await namesFor(admin)).toEqual([owner.email, admin.email, owner.email]);
    await sql`update users set role = 'operator' where id = ${owner.userId}`.execute(db);
    expect(await namesFor(owner)).toEqual([owner.email, admin.email, owner.email]);
  });

  test('a bot of before versions were kept gets its first one at the first change', async () => {
    const bot = await create();
    await sql`delete from bot_versions where bot_id = ${bot.id}`.execute(db);
    await owner.updateBot({ params: { id: bot.id }, body: { leverage: 2 } });
    expect((await owner.listBotVersions({ params: { id: bot.id } })).map(({ version, changed_by }) => [version, changed_by])).toEqual([
      [2, owner.email],
      [1, null],
    ]);
  });
});
