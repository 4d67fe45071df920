import { routes } from '#contract/routes.ts';
import { texts } from '#contract/errors.ts';
import { wrongTwoFactor } from '#contract/second-factors.ts';
import { emaCross } from '#engine/rules/templates/ema-cross.ts';
import { createMarketData } from '#exchange/market-data.ts';
import { Markets } from '#feeds/markets.ts';
import { noteDifference } from '#storage/differences/differences.ts';
import { findUser } from '#storage/users/users.ts';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { untilWaiting } from '../../test/support/lock-waits.ts';
import { addTestBot } from '../../test/support/test-bot.ts';
import type { TestBrowser } from '../../test/support/test-server.ts';
import { failure, origin, startTestServer } from '../../test/support/test-server.ts';
import { startSandbox } from '../sandbox/sandbox.ts';

const sandbox = await startSandbox();
afterAll(() => sandbox.close());
const openMarket = async (_: string, marketType: 'spot' | 'margin' | 'futures') =>
  createMarketData({ exchangeId: 'sandbox', marketType, sandboxUrl: sandbox.url, now: Date.now });
const exchanges = [{ id: 'sandbox', name: 'Sandbox' }];
let whileAsked = async (): Promise<unknown> => undefined; // what happens while the exchange is asked about a key, or for the host of a channel
const server = await startTestServer({
  markets: new Markets(exchanges, openMarket),
  async isReachable() {
    await whileAsked();
    return true;
  },
  async checkKey() {
    await whileAsked();
    return { canTrade: true, canWithdraw: false, isIpBound: null };
  },
});
const { db } = server.dependencies;
const heads: (() => void)[] = []; // what waits for the heads of calls that were let in
server.app.addHook('preParsing', (_request, _reply, payload, done) => {
  for (const goOn of heads.splice(0)) goOn();
  done(null, payload);
});
await server.app.listen({ host: '127.0.0.1', port: 0 });
const address = server.app.server.address();
const port = typeof address === 'object' && address !== null ? address.port : 0;

type Person = Awaited<ReturnType<typeof server.signedIn>>;
let person: Person;
let admin: Person;
let botId = '';
beforeEach(async () => {
  person = await server.signedIn('trader');
  admin = await server.signedIn('admin');
  botId = await addTestBot(db, { strategy: 'AlwaysFlat', owner: person.email });
  whileAsked = async () => undefined;
});

/** A call whose head has been let in, and whose body comes when `end` is called. */
async function begun(caller: TestBrowser, name: 'addApiKey' | 'addPairLock', body: object, headers: Record<string, string> = {}) {
  const text = JSON.stringify(body);
  const isIn = new Promise<void>((resolve) => heads.push(resolve));
  const sent = request({
    host: '127.0.0.1',
    port,
    method: routes[name].method,
    path: `/api${routes[name].path.replace('{id}', botId)}`,
    headers: {
      host: 'localhost:3000',
      origin,
      cookie: [...caller.cookies].map(([key, value]) => `${key}=${value}`).join('; '),
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      ...headers,
    },
  });
  const answer = new Promise<{ status: number | undefined; detail: string | undefined }>((resolve, reject) => {
    sent.once('error', reject);
    sent.once('response', (reply) => {
      let all = '';
      reply.setEncoding('utf8').on('data', (part: string) => (all += part));
      reply.once('end', () => resolve({ status: reply.statusCode, detail: (JSON.parse(all) as { detail?: string }).detail }));
    });
  });
  sent.flushHeaders();
  await isIn;
  return {
    end() {
      sent.end(text);
      return answer;
    },
  };
}

const out = { status: 401, detail: texts.notAuthenticated };
const key = () => ({ exchange_id: 'sandbox', key: randomUUID(), secret: randomUUID() });
const keys = async () => (await sql`select 1 from api_keys where user_id = ${person.userId}`.execute(db)).rows.length;
const endings: [string, () => Promise<unknown>][] = [
  ['the session was ended', () => admin.endUserSessions({ params: { id: person.userId } })],
  ['the role was changed', () => admin.changeRole({ params: { id: person.userId }, body: { role: 'investor' } })],
  ['the account was suspended', () => admin.verifyUser({ params: { id: person.userId }, body: { verified: false, email_verified: true } })],
];

describe('a call whose body comes later than its head', () => {
  test('is done when nothing has ended meanwhile', async () => {
    const call = await begun(person, 'addApiKey', key());
    expect(await call.end()).toMatchObject({ status: 201 });
    expect(await keys()).toBe(1);
  });

  test.each(endings)('is refused when meanwhile %s', async (_, end) => {
    const call = await begun(person, 'addApiKey', key());
    await end();
    expect(await call.end()).toEqual(out);
    expect(await keys()).toBe(0);
  });

  test.each(endings)('is refused too for a lock of a pair, when meanwhile %s', async (_, end) => {
    const body = { level: 'bot', pair: 'DOGE', direction: null, reason: 'too wild', ends_at: null };
    const call = await begun(person, 'addPairLock', body);
    await end();
    expect(await call.end()).toEqual(out);
    expect((await sql`select 1 from pair_locks where bot_id = ${botId}`.execute(db)).rows).toEqual([]);
  });

  test('is refused when the password is no longer recent by then', async () => {
    const call = await begun(person, 'addApiKey', key());
    await sql`update sessions set authenticated_at = authenticated_at - interval '11 minutes' where user_id = ${person.userId}`.execute(db);
    expect(await call.end()).toEqual({ status: 403, detail: texts.passwordNeeded });
  });
});

test('a call that waits for the first of the same key is refused when its session has ended meanwhile', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const body = key();
  let goOn = (): void => undefined;
  const isAsked = new Promise<void>((asked) => {
    whileAsked = async () => {
      asked();
      await new Promise<void>((resolve) => (goOn = resolve));
      throw new Error('the exchange does not answer'); // the key is free again then
    };
  });
  const first = failure(person.addApiKey({ body }, { headers }));
  await isAsked;
  const second = (await begun(person, 'addApiKey', body, headers)).end();
  await new Promise((resolve) => setTimeout(resolve, 300)); // it has been let in, and waits
  await admin.endUserSessions({ params: { id: person.userId } });
  goOn();
  expect((await first).status).toBe(500);
  expect(await second).toEqual(out);
  // It is not the answer to a later call of the same key: that is free.
  expect((await sql`select from idempotency_keys where call like '%api-keys%'`.execute(db)).rows).toEqual([]);
});

test('a repeated change of the password that ends all sessions gets the first answer, and the session that came with it', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const body = { password: 'another password of mine' };
  person.renews = false;
  const answers = await Promise.all([person.updatePassword({ body }, { headers }), person.updatePassword({ body }, { headers })]);
  expect(answers[1]).toEqual(answers[0]);
});

describe('while the exchange is asked about a key', () => {
  test.each([...endings, ['the password was reset', () => resetPassword()] as const])('it is not added when %s', async (_, end) => {
    whileAsked = end;
    person.renews = false;
    expect(await failure(person.addApiKey({ body: key() }))).toMatchObject(out);
    expect(await keys()).toBe(0);
  });

  test.each([...endings, ['the password was reset', () => resetPassword()] as const])(
    'nor is a channel whose host is looked up when %s',
    async (_, end) => {
      whileAsked = end;
      person.renews = false;
      const channel = { kind: 'webhook', name: 'elsewhere', address: 'https://hooks.harbour.trade/in', topics: ['trade-closed'] } as const;
      expect(await failure(person.addChannel({ body: { ...channel, topics: [...channel.topics] } }))).toMatchObject(out);
      expect((await sql`select from channels where user_id = ${person.userId}`.execute(db)).rows).toEqual([]);
    },
  );

  async function resetPassword(): Promise<void> {
    const stranger = server.browser('10.99.0.1');
    await stranger.forgotPassword({ body: { email: person.email } });
    await expect
      .poll(() => server.mailBox.mails.some(({ to, subject }) => to.includes(person.email) && subject.includes('code')))
      .toBe(true);
    const next = 'a password of the mailbox';
    await stranger.resetPassword({
      body: { email: person.email, code: server.mailBox.code(person.email), password: next, confirmPassword: next },
    });
  }
});

describe('a session that is ended while a call waits for its turn', () => {
  const live = (apiKeyId: string, id = botId) => sql`update bots set mode = 'live', api_key_id = ${apiKeyId} where id = ${id}`.execute(db);
  const storedKey = async (): Promise<string> => {
    const values = { userId: person.userId, exchangeId: 'sandbox', keyHint: 'wxyz', sealed: '{}' };
    return (await db.insertInto('apiKeys').values(values).returning('id').executeTakeFirstOrThrow()).id;
  };
  const archived = () => sql`update bots set status = 'stopped', archived_at = now() where id = ${botId}`.execute(db);
  const params = () => ({ params: { id: botId } });
  const madeRules = () => person.makeRules({ body: { document: emaCross } });
  /** What waits, and what was done before. */
  const calls: [string, () => Promise<unknown>, (() => Promise<unknown>)?][] = [
    ['live mode', () => person.changeBotMode({ ...params(), query: { mode: 'live' } })],
    ['activation', () => person.toggleBot({ ...params(), query: { status: 'active' } }), () => live(apiKey)],
    ['other settings', () => person.updateBot({ ...params(), body: { nickname: 'another' } })],
    ['a new live bot', () => person.createBot(aLiveBot())],
    ['a new key', () => person.addApiKey({ body: key() })],
    ['archiving', () => person.archiveBot(params()), () => sql`update bots set status = 'stopped' where id = ${botId}`.execute(db)],
    ['bringing back', () => person.bringBackBot(params()), archived],
    ['deletion', () => person.deleteBot(params())],
    [
      'a decision about a difference',
      async () => {
        const { open } = await person.listDifferences({});
        return person.resolveDifference({ params: { id: open[0]?.id ?? '' }, body: { how: 'ignore', expected: 0, actual: 2 } });
      },
      async () => {
        await live(apiKey);
        await noteDifference(db, { botId, symbol: 'BTC/USDT', expected: 0, actual: 2 });
      },
    ],
    [
      'a switch that is lifted',
      () => person.reArmTrading({ body: { level: 'bot', id: botId, state: 'active' } }),
      () => person.stopTrading({ body: { level: 'bot', id: botId, state: 'halted' } }),
    ],
    [
      'another limit',
      () => person.changeLimits({ body: { level: 'bot', id: botId, changes: [{ name: 'open-orders', currency: null, value: 5 }] } }),
    ],
    [
      'a pair that is locked',
      () => person.addPairLock({ ...params(), body: { level: 'bot', pair: 'DOGE', direction: null, reason: 'too wild', ends_at: null } }),
    ],
    ['a key that is asked about', () => person.testApiKey({ params: { id: apiKey } })],
    ['a key that is deleted', () => person.deleteApiKey({ params: { id: apiKey } })],
    ['new rules', () => person.makeRules({ body: { document: emaCross } })],
    [
      'rules that are removed',
      async () => person.removeRules({ params: { id: (await person.listRules({})).rules[0]?.id ?? '' }, body: {} }),
      madeRules,
    ],
    ['other settings of a strategy', () => admin.updateStrategy({ params: { id: strategyId }, body: { description: 'Another one' } })],
  ];
  const aLiveBot = () => ({
    body: {
      strategy_id: strategyId,
      user_email: person.email,
      exchange_id: 'sandbox',
      margin_mode: 'spot' as const,
      stake_currency: 'USDT',
      stake_amount: 100,
      max_open_trades: 1,
      leverage: 1,
      leverage_mode: 'isolated' as const,
      trading_pairs: ['BTC/USDT'],
      mode: 'live' as const,
      api_key_id: apiKey,
    },
  });
  let [strategyId, apiKey] = ['', ''];

  /** Lets a call run into the end of its session before that is committed; gives how it was refused. */
  async function endedMeanwhile(call: () => Promise<unknown>) {
    for (const each of [person, admin]) each.renews = false;
    let refused: Promise<unknown> = Promise.resolve();
    await db.transaction().execute(async (trx) => {
      await sql`update sessions set revoked_at = now() where user_id in (${person.userId}, ${admin.userId})`.execute(trx); // not seen by others yet
      refused = failure(call());
      await Promise.race([untilWaiting(db, 1), refused]);
    });
    return refused;
  }

  test.each(calls)('has no effect: %s', async (_, call, prepare) => {
    apiKey = await storedKey();
    strategyId = (await db.selectFrom('bots').select('strategyId').where('id', '=', botId).executeTakeFirstOrThrow()).strategyId;
    await sql`update bots set api_key_id = ${apiKey}, status = 'paused' where id = ${botId}`.execute(db);
    await prepare?.();
    const all = async () =>
      (await sql`select id, mode, status, nickname, archived_at from bots where user_id = ${person.userId}`.execute(db)).rows;
    const before = await all();
    expect(await endedMeanwhile(call)).toMatchObject(out);
    expect(await all()).toEqual(before);
    expect(await keys()).toBe(1);
  });

  test('switches no second factor on', async () => {
    await person.setUpTwoFactor({ params: { id: person.userId } });
    const code = server.mailBox.code(person.email);
    expect(await endedMeanwhile(() => person.verifyTwoFactor({ params: { id: person.userId }, body: { code } }))).toMatchObject({
      status: 400,
      detail: wrongTwoFactor,
    });
    expect(await findUser(db, person.userId)).toMatchObject({ has2fa: false });
  });
});
