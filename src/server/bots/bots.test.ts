import { otherMode, otherStatus } from '#contract/bots.ts';
import { texts } from '#contract/errors.ts';
import { noteVolatileStore } from '#storage/installation/store-fault.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';

const server = await startTestServer();
const { db } = server.dependencies;
type Person = Awaited<ReturnType<typeof server.signedIn>>;
let admin: Person;
let owner: Person;
let other: Person;
let operator: Person;
let investor: Person;
let botId: string;

beforeAll(async () => {
  [admin, owner, other, operator, investor] = await Promise.all([
    server.signedIn('admin', 'admin@example.com'),
    server.signedIn('trader', 'owner@example.com'),
    server.signedIn('trader', 'other@example.com'),
    server.signedIn('operator', 'operator@example.com'),
    server.signedIn('investor', 'investor@example.com'),
  ]);
  botId = await addTestBot(db, { strategy: 'RsiReversal', nickname: 'beta', owner: 'owner@example.com', status: 'paused' });
  await addTestBot(db, { strategy: 'RsiReversal', nickname: 'Zulu', owner: 'owner@example.com', status: 'active' });
  await addTestBot(db, { strategy: 'RsiReversal', nickname: 'alpha', owner: 'other@example.com', status: 'active' });
  await addTestBot(db, { strategy: 'RsiReversal', nickname: 'Alpha stopped', owner: 'other@example.com', status: 'stopped' });
});

const statusOf = async (id: string): Promise<string> =>
  (await db.selectFrom('bots').select('status').where('id', '=', id).executeTakeFirstOrThrow()).status;

describe('the list', () => {
  test('API-31, OP-26, OP-29 every role sees every bot, active first, then by nickname', async () => {
    for (const person of [admin, owner, other, operator, investor]) {
      expect((await person.listBots({})).map(({ nickname }) => nickname)).toEqual(['alpha', 'Zulu', 'beta', 'Alpha stopped']);
    }
    expect((await failure(server.browser().listBots({}))).message).toBe('401 Not authenticated');
  });

  test('OP-26 the e-mail of an owner is complete for admins, operators and the owner, else shortened', async () => {
    const emailFor = async (person: Person) => (await person.listBots({})).find(({ id }) => id === botId)?.email;
    expect(await emailFor(admin)).toBe('owner@example.com');
    expect(await emailFor(operator)).toBe('owner@example.com');
    expect(await emailFor(owner)).toBe('owner@example.com');
    expect(await emailFor(other)).toBe('o***@example.com');
    expect(await emailFor(investor)).toBe('o***@example.com');
  });

  test('imported trades count in the PnL of a bot and not in its balance', async () => {
    const id = await addTestBot(db, { strategy: 'RsiReversal', nickname: 'moved', owner: 'owner@example.com', status: 'stopped' });
    await sql`insert into bot_figures (bot_id, mode, trades, wins, realized_pnl, peak_balance, imported_trades, imported_losses, imported_pnl, imported_until)
      values (${id}, 'paper', 1, 1, 0.1, 300, 2, 2, -30.2, '2026-01-05')`.execute(db);
    expect(await owner.getBot({ params: { id } })).toMatchObject({
      current_balance: 300.1,
      total_pnl: -30.1,
      total_pnl_pct: expect.closeTo(-10.0333, 3),
      total_trades: 3,
      winning_trades: 1,
      losing_trades: 2,
      imported_trades: 2,
      imported_pnl: -30.2,
      last_trade_at: '2026-01-05T00:00:00.000Z',
    });
    await db.deleteFrom('bots').where('id', '=', id).execute();
  });

  test('DATA-02, DATA-03, DATA-09, OP-70 a bot carries all its fields; a new one has its starting balance', async () => {
    const bot = (await owner.listBots({})).find(({ id }) => id === botId);
    expect(bot).toMatchObject({
      nickname: 'beta',
      user_id: owner.userId,
      exchange_id: 'sandbox',
      strategy_name: 'RSI reversal',
      trading_pairs: ['BTC/USDT'],
      stake_currency: 'USDT',
      stake_amount: 100,
      mode: 'paper',
      status: 'paused',
      current_balance: 300,
      starting_balance: 300,
      total_pnl: 0,
      total_trades: 0,
      max_drawdown: 0,
      leverage_mode: 'isolated',
      margin_mode: 'spot',
      timeframe: '1m',
      last_trade_at: null,
    });
    expect(bot).not.toHaveProperty('api_key');
  });
});

describe('one bot', () => {
  test('API-32, OP-32 its configuration is for the owner and admins', async () => {
    for (const person of [admin, owner]) {
      expect(await person.getBot({ params: { id: botId } })).toMatchObject({
        id: botId,
        api_key: null,
        effective_timeframe: '1m',
        effective_stoploss: expect.any(Number),
      });
    }
    for (const person of [other, operator, investor]) {
      expect((await failure(person.getBot({ params: { id: botId } }))).message).toBe('403 You do not have access to this bot');
    }
    expect((await failure(admin.getBot({ params: { id: '00000000-0000-4000-8000-00000000dead' } }))).message).toBe('404 Bot not found');
    expect((await failure(admin.getBot({ params: { id: 'nothing' } }))).message).toBe('400 Invalid request');
  });

  test('API-35, GEN-06 pause, stop and activate, by the owner and by admins', async () => {
    for (const [person, status] of [
      [owner, 'active'],
      [admin, 'paused'],
      [owner, 'stopped'],
      [owner, 'active'],
    ] as const) {
      expect((await person.toggleBot({ params: { id: botId }, query: { status } })).status).toBe(status);
      expect(await statusOf(botId)).toBe(status);
    }
    for (const person of [other, operator, investor]) {
      expect((await failure(person.toggleBot({ params: { id: botId }, query: { status: 'paused' } }))).message).toBe(
        '403 You do not have access to this bot',
      );
    }
    expect(await statusOf(botId)).toBe('active');
    expect((await failure(owner.toggleBot({ params: { id: botId }, query: { status: 'running' as never } }))).message).toBe(
      '400 Status must be active, paused or stopped',
    );
    expect((await failure(owner.toggleBot({ params: { id: botId }, query: {} as never }))).message).toBe(
      '400 Status must be active, paused or stopped',
    );
    expect((await failure(server.browser().toggleBot({ params: { id: botId }, query: { status: 'paused' } }))).message).toBe(
      '401 Not authenticated',
    );
  });

  test('API-35 with the mode that its person has seen a bot is activated in no other one', async () => {
    await owner.toggleBot({ params: { id: botId }, query: { status: 'paused' } });
    const { mode } = await owner.getBot({ params: { id: botId } });
    const other = mode === 'paper' ? 'live' : 'paper';
    expect((await failure(owner.toggleBot({ params: { id: botId }, query: { status: 'active', mode: other } }))).message).toBe(
      `409 ${otherMode}`,
    );
    expect(await statusOf(botId)).toBe('paused');
    expect((await owner.toggleBot({ params: { id: botId }, query: { status: 'active', mode } })).status).toBe('active');
  });

  test('API-26 an administrator who has seen a bot in one mode activates it in no other one', async () => {
    await owner.toggleBot({ params: { id: botId }, query: { status: 'paused' } });
    const activate = (mode: 'paper' | 'live') => admin.setBotStatus({ params: { id: botId }, body: { status: 'active', mode } });
    expect((await failure(activate('live'))).message).toBe(`409 ${otherMode}`);
    expect(await statusOf(botId)).toBe('paused');
    expect((await activate('paper')).status).toBe('active');
    expect((await failure(activate('live'))).message).toBe(`409 ${otherMode}`); // also where it is active already
    expect((await failure(activate('real' as never))).message).toBe('400 Mode must be paper or live');
  });

  type Status = 'active' | 'paused' | 'stopped';
  test.each<[string, (status: Status, was?: Status) => ReturnType<Person['toggleBot']>]>([
    ['API-35', (status, was) => owner.toggleBot({ params: { id: botId }, query: { status, ...(was === undefined ? {} : { was }) } })],
    ['API-26', (status, was) => admin.setBotStatus({ params: { id: botId }, body: { status, ...(was === undefined ? {} : { was }) } })],
  ])(
    '%s, OP-86 a Stop is not undone by whoever was asked before it: the bot neither manages its trades again nor enters',
    async (_, set) => {
      await set('stopped');
      for (const [status, was] of [
        ['paused', 'active'],
        ['active', 'paused'],
        ['active', 'active'],
      ] as const)
        expect((await failure(set(status, was))).message).toBe(`409 ${otherStatus}`);
      expect(await statusOf(botId)).toBe('stopped');
      // Who has seen that it is stopped may want either.
      expect((await set('paused', 'stopped')).status).toBe('paused');
      expect((await failure(set('active', 'stopped'))).message).toBe(`409 ${otherStatus}`);
      expect((await set('active', 'paused')).status).toBe('active');
      // What a bot has already, and what makes it do less, is never refused.
      expect((await set('active', 'paused')).status).toBe('active');
      expect((await set('paused', 'stopped')).status).toBe('paused');
      expect((await set('stopped', 'active')).status).toBe('stopped');
      // Scripts that say nothing of what they saw do as before.
      expect((await set('paused')).status).toBe('paused');
      expect((await set('active')).status).toBe('active');
      expect((await failure(set('paused', 'running' as never))).message).toBe('400 Status must be active, paused or stopped');
    },
  );

  test('OP-16 a bot whose owner is not verified cannot be activated', async () => {
    await sql`update users set verified = false where id = ${owner.userId}`.execute(db);
    for (const person of [owner, admin]) {
      expect((await failure(person.toggleBot({ params: { id: botId }, query: { status: 'active' } }))).message).toBe(
        '403 Account is not verified',
      );
    }
    expect((await owner.toggleBot({ params: { id: botId }, query: { status: 'paused' } })).status).toBe('paused');
    await sql`update users set verified = true where id = ${owner.userId}`.execute(db);
  });

  test('API-36, OP-36 live needs a key, an open trade refuses the change, a change to live leaves the bot paused', async () => {
    const to = (mode: 'paper' | 'live', person = owner) => person.changeBotMode({ params: { id: botId }, query: { mode } });
    expect((await failure(to('live'))).message).toBe('400 API key and secret are required for live mode');
    expect((await to('paper')).mode).toBe('paper');
    expect((await failure(owner.changeBotMode({ params: { id: botId }, query: { mode: 'testnet' as never } }))).message).toBe(
      '400 Mode must be paper or live',
    );
    expect((await failure(to('live', other))).message).toBe('403 You do not have access to this bot');

    const key = await db
      .insertInto('apiKeys')
      .values({ userId: owner.userId, exchangeId: 'sandbox', label: 'main', keyHint: 'wxyz', sealed: '{}' })
      .returning('id')
      .executeTakeFirstOrThrow();
    await sql`update bots set api_key_id = ${key.id}, status = 'active' where id = ${botId}`.execute(db);
    await sql`insert into trades (id, bot_id, symbol, direction, mode, status, opened_at, amount, stake, leverage)
      values (gen_random_uuid(), ${botId}, 'BTC/USDT', 'long', 'paper', 'open', now(), 1, 1, 1)`.execute(db);
    expect((await failure(to('live'))).message).toBe('409 Bot has open trades');
    await sql`delete from trades where bot_id = ${botId}`.execute(db);
    await noteVolatileStore(db, '/dev/shm'); // as if the data lay there
    expect((await failure(to('live'))).message).toBe(`403 ${texts.undurableStore}`);
    await noteVolatileStore(db, import.meta.dirname);
    expect(await to('live')).toMatchObject({ mode: 'live', status: 'paused' });
    await noteVolatileStore(db, '/dev/shm');
    expect((await failure(owner.toggleBot({ params: { id: botId }, query: { status: 'active' } }))).message).toBe(
      `403 ${texts.undurableStore}`,
    );
    await noteVolatileStore(db, import.meta.dirname);
    expect((await owner.getBot({ params: { id: botId } })).api_key).toEqual({
      label: 'main',
      key: '****wxyz',
      secret: '********',
      passphrase: null,
    });
    server.dependencies.liveTrading = 'off';
    expect((await failure(owner.toggleBot({ params: { id: botId }, query: { status: 'active' } }))).message).toBe(
      '403 Live trading is disabled on this server',
    );
    server.dependencies.liveTrading = 'sandbox'; // the bot is there: test networks are allowed
    expect((await owner.toggleBot({ params: { id: botId }, query: { status: 'active' } })).status).toBe('active');
    await sql`update bots set exchange_id = 'binance' where id = ${botId}`.execute(db);
    expect((await failure(owner.toggleBot({ params: { id: botId }, query: { status: 'active' } }))).message).toBe(
      '403 Live trading is disabled on this server',
    );
    await sql`update bots set exchange_id = 'sandbox' where id = ${botId}`.execute(db);
    server.dependencies.liveTrading = 'on';
    expect((await to('paper')).mode).toBe('paper');
  });

  test('API-36, OP-26 who sees a bot does not change its mode: neither an operator nor an investor nor another trader', async () => {
    const modeOf = async () => (await db.selectFrom('bots').select('mode').where('id', '=', botId).executeTakeFirstOrThrow()).mode;
    await sql`update bots set mode = 'live' where id = ${botId}`.execute(db);
    for (const person of [operator, investor, other]) {
      expect((await person.listBots({})).some(({ id }) => id === botId)).toBe(true);
      for (const mode of ['paper', 'live'] as const)
        expect((await failure(person.changeBotMode({ params: { id: botId }, query: { mode } }))).message).toBe(
          '403 You do not have access to this bot',
        );
    }
    expect(await modeOf()).toBe('live');
    expect((await admin.changeBotMode({ params: { id: botId }, query: { mode: 'paper' } })).mode).toBe('paper');
  });

  test('OP-82 one idempotency key used for two bots, or for two changes of one, does each of them', async () => {
    const headers = { 'idempotency-key': 'one key' };
    const second = await addTestBot(db, { strategy: 'RsiReversal', nickname: 'second', owner: 'owner@example.com', status: 'active' });
    await sql`update bots set status = 'active' where id = ${botId}`.execute(db);
    for (const [id, status] of [
      [botId, 'paused'],
      [second, 'paused'],
      [second, 'stopped'],
    ] as const) {
      expect(await owner.toggleBot({ params: { id }, query: { status } }, { headers })).toMatchObject({ id, status });
      expect(await statusOf(id)).toBe(status);
    }
    await sql`delete from bots where id = ${second}`.execute(db);
  });

  test('who changed what stands in the audit log, each line chained to the one before', async () => {
    const rows = await db.selectFrom('auditLog').selectAll().orderBy('id').execute();
    expect(rows.filter(({ action }) => action === 'bot-status').length).toBeGreaterThanOrEqual(4);
    rows.forEach((row, i) => {
      if (i > 0) expect(row.previousHash).toEqual(rows[i - 1]?.hash);
    });
  });
});
