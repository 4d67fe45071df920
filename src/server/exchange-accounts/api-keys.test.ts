import { keyIsKept, keyIsTrading, keyMayWithdraw, noKeyAfterReset } from '#contract/api-keys.ts';
import { texts } from '#contract/errors.ts';
import { hourMs } from '#engine/market/durations.ts';
import { exchangeKeyCheck } from '#feeds/exchange-keys.ts';
import { sandboxKeys } from '#feeds/sandbox-key.ts';
import { Markets } from '#feeds/markets.ts';
import { mails } from '#mail/texts.ts';
import { liveBotWith, lockApiKey, removeApiKey } from '#storage/exchange-accounts/api-keys.ts';
import { keyFact, lockFact, writeFact } from '#storage/installation/facts.ts';
import { openCredentials } from '#vault/open-credentials.ts';
import { openingKey } from '#vault/opening.ts';
import { createHash, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { untilWaiting } from '../../../test/support/lock-waits.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, origin, startTestServer } from '../../../test/support/test-server.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';

const sandbox = await startSandbox();
const exchanges = [
  { id: 'sandbox', name: 'Sandbox' },
  { id: 'binance', name: 'Binance' },
];
const server = await startTestServer({
  markets: new Markets(exchanges, () => Promise.reject(new Error('no market in this test'))),
  checkKey: exchangeKeyCheck({ sandboxUrl: sandbox.url }),
  newSandboxKey: sandboxKeys(sandbox.url),
});
const { db } = server.dependencies;
afterEach(() => sandbox.faults.clear());
afterAll(() => sandbox.close());

const newKey = async (right = 'trade') => {
  const answer = await fetch(`${sandbox.url}/sandbox/v1/keys?right=${right}`, { method: 'POST' });
  const { apiKey, secretKey } = (await answer.json()) as { apiKey: string; secretKey: string };
  return { exchange_id: 'sandbox', key: apiKey, secret: secretKey };
};
const rows = async () =>
  (
    await sql<{ id: string; user_id: string; sealed: Record<string, string>; key_hint: string }>`
      select id, user_id, sealed, key_hint from api_keys order by created_at`.execute(db)
  ).rows;

describe('a new key', () => {
  test('API-47 is stored once: the same key is refused, whoever enters it, also twice in the same moment, until it is deleted', async () => {
    const [one, other] = [await server.signedIn('trader'), await server.signedIn('trader')];
    const key = await newKey();
    const { id } = await one.addApiKey({ body: key });
    const refusal = { status: 409, detail: 'This API key is stored already. Choose it for the bot instead of entering it again.' };
    for (const person of [one, other])
      expect(await failure(person.addApiKey({ body: { ...key, key: ` ${key.key}`, label: 'again' } }))).toMatchObject(refusal);
    expect(await one.listApiKeys({})).toHaveLength(1);
    expect(await other.listApiKeys({})).toEqual([]);
    await one.deleteApiKey({ params: { id } });
    const both = await Promise.allSettled([one, other].map((person) => person.addApiKey({ body: key })));
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: refusal });
    const { rows: marks } = await sql<{ mark: string }>`select key_mark as mark from api_keys order by created_at desc limit 1`.execute(db);
    expect(marks[0]?.mark).toMatch(/^[0-9a-f]{64}$/u);
    expect(marks[0]?.mark).not.toBe(createHash('sha256').update(key.key).digest('hex')); // nobody without the key of the installation can try keys
  });

  test('API-47 is checked at its exchange, sealed for its owner, mailed and noted; nothing of the secret is anywhere', async () => {
    const person = await server.signedIn('trader');
    const key = await newKey();
    const body = { ...key, key: ` ${key.key} `, label: ' Main ', passphrase: 'a passphrase' };
    const headers = { 'idempotency-key': randomUUID() };
    const added = await person.addApiKey({ body }, { headers });
    expect(await person.addApiKey({ body }, { headers })).toEqual(added); // sent again, stored once
    expect(added).toEqual({ id: added.id, exchange: 'sandbox', label: 'Main', last_used: null });
    const [listed] = await person.listApiKeys({});
    expect(listed).toMatchObject({
      exchange_name: 'Sandbox',
      key_hint: key.key.slice(-4),
      has_passphrase: true,
      check: 'ok',
      is_checking: false,
      can_trade: true,
      can_withdraw: false,
      bots: [],
    });
    const row = (await rows()).find(({ id }) => id === added.id);
    const {
      key: name,
      secret,
      passphrase,
    } = await openCredentials(await openingKey(Buffer.alloc(32, 9)), {
      id: added.id,
      userId: person.userId,
      sealed: row?.sealed ?? {},
    });
    expect({ key: name, secret, passphrase }).toEqual({ key: key.key, secret: key.secret, passphrase: 'a passphrase' });
    await server.deliver();
    expect(server.mailBox.mails.find(({ to, subject }) => to.includes(person.email) && subject === 'An API key was added')).toBeDefined();
    const { rows: tables } = await sql<{ everything: string }>`
      select string_agg(t, '') as everything from (
        select to_jsonb(a)::text as t from audit_log a union all select to_jsonb(k)::text from api_keys k union all
        select to_jsonb(m)::text from mail_outbox m union all select to_jsonb(i)::text from idempotency_keys i) x`.execute(db);
    for (const part of [key.key, key.secret, 'a passphrase']) expect(tables[0]?.everything).not.toContain(part);
    expect(tables[0]?.everything).toContain('add-api-key');
    expect((await sql`select 1 from idempotency_keys`.execute(db)).rows).toHaveLength(1);
  });

  test('ADD-audit a key is named in the log by its name and last characters, also when it is deleted', async () => {
    const person = await server.signedIn('trader');
    const key = await newKey();
    const { id } = await person.addApiKey({ body: { ...key, label: 'Harbour' } });
    const admin = await server.signedIn('admin');
    const names = async () =>
      (await admin.listAudit({ query: {} })).records
        .filter(({ target }) => target === id)
        .map((record) => [record.action, record.target_name]);
    const name = `Harbour ****${key.key.slice(-4)}`;
    expect(await names()).toEqual([['add-api-key', name]]);
    await person.deleteApiKey({ params: { id } });
    expect((await names())[0]).toEqual(['delete-api-key', name]);
  });

  test('API-47 a wrong secret, one that may withdraw, or none is refused and nothing is stored', async () => {
    const person = await server.signedIn('trader');
    const before = await rows();
    const key = await newKey();
    expect(await failure(person.addApiKey({ body: { ...key, secret: 'f'.repeat(64) } }))).toMatchObject({
      status: 400,
      detail: 'Invalid API key or secret',
    });
    expect(await failure(person.addApiKey({ body: await newKey('withdraw') }))).toMatchObject({ status: 400, detail: keyMayWithdraw });
    for (const body of [
      { ...key, key: ' ' },
      { ...key, secret: '' },
    ])
      expect(await failure(person.addApiKey({ body }))).toMatchObject({
        status: 400,
        detail: 'API key and secret are required for live mode',
      });
    expect(await failure(person.addApiKey({ body: { ...key, exchange_id: '' } }))).toMatchObject({ detail: 'Exchange is required' });
    expect(await failure(person.addApiKey({ body: { ...key, exchange_id: '__proto__' } }))).toMatchObject({
      status: 404,
      detail: 'Exchange not found',
    });
    expect(await rows()).toEqual(before);
  });

  test('API-47 an exchange that does not answer is not a wrong key', async () => {
    const person = await server.signedIn('trader');
    sandbox.faults.add({
      method: 'GET',
      path: '/sapi/v1/account/apiRestrictions',
      fault: { kind: 'error', status: 502, code: -1001, message: 'Internal error' },
    });
    expect(await failure(person.addApiKey({ body: await newKey() }))).toMatchObject({
      status: 502,
      detail: 'Exchange is not reachable. Please try again.',
    });
  });

  test('API-47, ROLE-16 who may add one to which account', async () => {
    const [admin, trader, investor, operator] = await Promise.all([
      server.signedIn('admin'),
      server.signedIn('trader'),
      server.signedIn('investor'),
      server.signedIn('operator'),
    ]);
    for (const person of [investor, operator])
      expect(await failure(person.addApiKey({ body: await newKey() }))).toMatchObject({
        status: 403,
        detail: 'Only admins and traders can add API keys',
      });
    for (const email of [admin.email, 'nobody@example.com'])
      expect(await failure(trader.addApiKey({ body: { ...(await newKey()), user_email: email } }))).toMatchObject({
        status: 403,
        detail: 'You can only add API keys to your own account',
      });
    expect(await failure(admin.addApiKey({ body: { ...(await newKey()), user_email: 'nobody@example.com' } }))).toMatchObject({
      status: 404,
      detail: 'User not found',
    });
    await trader.addApiKey({ body: { ...(await newKey()), user_email: trader.email.toUpperCase() } });
    await admin.addApiKey({ body: { ...(await newKey()), user_email: trader.email } });
    expect(await trader.listApiKeys({})).toHaveLength(2);
    expect(await admin.listApiKeys({})).toEqual([]);
    expect((await failure(server.browser().listApiKeys({}))).status).toBe(401);
  });

  test('API-47, OP-31 a key for a bot belongs to its owner, and the bot has it', async () => {
    const [admin, owner, other] = await Promise.all([server.signedIn('admin'), server.signedIn('investor'), server.signedIn('trader')]);
    const bot = await addTestBot(db, { strategy: 'RsiReversal', nickname: 'with a key', owner: owner.email });
    expect(await failure(other.addApiKey({ body: { ...(await newKey()), bot_id: bot } }))).toMatchObject({
      status: 403,
      detail: 'You do not have access to this bot',
    });
    expect(await failure(admin.addApiKey({ body: { ...(await newKey()), bot_id: '00000000-0000-4000-8000-000000000000' } }))).toMatchObject(
      { status: 404, detail: 'Bot not found' },
    );
    expect(await failure(owner.addApiKey({ body: { ...(await newKey()), exchange_id: 'binance', bot_id: bot } }))).toMatchObject({
      status: 404,
      detail: 'Exchange not found',
    });
    const { id } = await admin.addApiKey({ body: { ...(await newKey()), bot_id: bot } });
    expect((await owner.listApiKeys({})).map(({ id: own, bots }) => [own, bots.map(({ nickname }) => nickname)])).toEqual([
      [id, ['with a key']],
    ]);
    expect((await owner.getBot({ params: { id: bot } })).api_key).toMatchObject({ secret: '********', passphrase: null });
  });

  test('a key is asked for the right to trade on the market of its bot: when it is added for it, and when it is given to it', async () => {
    const person = await server.signedIn('trader');
    const bot = await addTestBot(db, { strategy: 'RsiReversal', nickname: 'on spot', owner: person.email });
    const ofRight = async (right: string) => ({ ...(await newKey(right)), bot_id: bot });
    const keys = () => person.listApiKeys({});
    const canTrade = async (id: string) => (await keys()).find((key) => key.id === id)?.can_trade;
    const spot = await person.addApiKey({ body: await ofRight('spot') });
    const futures = await person.addApiKey({ body: await ofRight('futures') });
    expect([await canTrade(spot.id), await canTrade(futures.id)]).toEqual([true, false]);
    const asked = async () => (await keys()).filter(({ is_checking }) => is_checking).map(({ id }) => id);
    expect(await asked()).toEqual([]);
    await person.updateBot({ params: { id: bot }, body: { nickname: 'still on spot' } });
    expect(await asked()).toEqual([]);
    await person.updateBot({ params: { id: bot }, body: { api_key_id: spot.id } });
    expect(await asked()).toEqual([spot.id]);
  });

  test('a bot that gets another owner while its key is checked does not get the key', async () => {
    const [admin, owner, next] = await Promise.all([server.signedIn('admin'), server.signedIn('trader'), server.signedIn('trader')]);
    const bot = await addTestBot(db, { strategy: 'RsiReversal', nickname: 'handed over', owner: owner.email });
    sandbox.faults.add({ method: 'GET', path: '/sapi/v1/account/apiRestrictions', times: 1, fault: { kind: 'delay', ms: 500 } });
    const refused = failure(admin.addApiKey({ body: { ...(await newKey()), bot_id: bot } }));
    await expect.poll(() => sandbox.faults.list().length).toBe(0); // the exchange has been asked
    await sql`update bots set user_id = ${next.userId} where id = ${bot}`.execute(db);
    expect(await refused).toMatchObject({ status: 403, detail: 'You do not have access to this bot' });
    expect([await owner.listApiKeys({}), await next.listApiKeys({})]).toEqual([[], []]);
  });

  test('a bot that is moved to another exchange while its key is checked does not get the key', async () => {
    const owner = await server.signedIn('trader');
    const bot = await addTestBot(db, { strategy: 'RsiReversal', nickname: 'moved meanwhile', owner: owner.email });
    const body = { ...(await newKey()), bot_id: bot };
    let refused: Promise<unknown> = Promise.resolve();
    await db.transaction().execute(async (trx) => {
      await lockFact(trx, keyFact); // what comes after the check waits for it
      refused = failure(owner.addApiKey({ body }));
      await untilWaiting(db, 1);
      await sql`update bots set exchange_id = 'binance' where id = ${bot}`.execute(trx);
    });
    expect(await refused).toMatchObject({ status: 409, detail: texts.changedMeanwhile });
    expect(await owner.listApiKeys({})).toEqual([]);
    expect((await owner.getBot({ params: { id: bot } })).api_key).toBeNull();
  });

  test('is not taken by a web process whose key of the installation has been replaced: no runner could open it', async () => {
    const person = await server.signedIn('trader');
    await writeFact(db, keyFact, 'the next key');
    try {
      expect((await failure(person.addApiKey({ body: await newKey() }))).status).toBe(500);
    } finally {
      await writeFact(db, keyFact, server.dependencies.sealing.id);
    }
    expect(await person.listApiKeys({})).toEqual([]);
  });

  test('on the day after a password reset none is taken', async () => {
    const person = await server.signedIn('trader');
    await sql`update users set password_reset_at = ${new Date(server.dependencies.now().getTime() - 23 * hourMs)} where id = ${person.userId}`.execute(
      db,
    );
    expect(await failure(person.addApiKey({ body: await newKey() }))).toMatchObject({ status: 403, detail: noKeyAfterReset });
    await sql`update users set password_reset_at = ${new Date(server.dependencies.now().getTime() - 25 * hourMs)} where id = ${person.userId}`.execute(
      db,
    );
    await person.addApiKey({ body: await newKey() });
  });

  test('twenty checks an hour, and no more', async () => {
    const person = await server.signedIn('trader');
    const { id } = await person.addApiKey({ body: await newKey() });
    for (let n = 1; n < 20; n++) await person.testApiKey({ params: { id } });
    expect((await failure(person.testApiKey({ params: { id } }))).status).toBe(429);
    expect((await failure(person.addApiKey({ body: await newKey() }))).status).toBe(429);
  });
});

test('a key of the sandbox is to be had, and is taken like any other', async () => {
  const person = await server.signedIn('trader');
  const pair = await person.newSandboxKey({});
  expect(await person.listApiKeys({})).toEqual([]);
  await person.addApiKey({ body: { exchange_id: 'sandbox', ...pair } });
  expect((await person.listApiKeys({}))[0]).toMatchObject({ check: 'ok', can_trade: true });
  sandbox.faults.add({ path: '/sandbox/v1/keys', fault: { kind: 'reset' } });
  expect((await failure(person.newSandboxKey({}))).status).toBe(502);
  expect((await failure(server.browser().newSandboxKey({}))).status).toBe(401);
});

describe('a stored key', () => {
  test('is asked to be checked again, by its owner alone', async () => {
    const [person, other, admin] = await Promise.all([server.signedIn('trader'), server.signedIn('trader'), server.signedIn('admin')]);
    const { id } = await person.addApiKey({ body: await newKey() });
    for (const stranger of [other, admin])
      expect(await failure(stranger.testApiKey({ params: { id } }))).toMatchObject({ status: 404, detail: 'API key not found' });
    expect((await person.listApiKeys({}))[0]?.is_checking).toBe(false);
    expect(await person.testApiKey({ params: { id } })).toEqual({ status: 'Checking the API key' });
    expect((await person.listApiKeys({}))[0]?.is_checking).toBe(true);
  });

  test('is deleted by its owner alone, never under a live bot, and its bots keep nothing of it', async () => {
    const [person, other] = await Promise.all([server.signedIn('trader'), server.signedIn('trader')]);
    const bot = await addTestBot(db, { strategy: 'RsiReversal', nickname: 'live', owner: person.email });
    const { id } = await person.addApiKey({ body: { ...(await newKey()), bot_id: bot } });
    await sql`update bots set mode = 'live' where id = ${bot}`.execute(db);
    expect((await failure(other.deleteApiKey({ params: { id } }))).status).toBe(404);
    expect(await failure(person.deleteApiKey({ params: { id } }))).toMatchObject({ status: 409, detail: keyIsTrading });
    expect(await person.listApiKeys({})).toHaveLength(1);
    await sql`update bots set mode = 'paper' where id = ${bot}`.execute(db);
    const [key] = await person.listApiKeys({});
    const waiting = () => sql<{ subject: string; body: string }>`select subject, body from mail_outbox where recipient = ${person.email}`;
    const before = (await waiting().execute(db)).rows;
    expect(await person.deleteApiKey({ params: { id } })).toEqual({ status: 'API key deleted' });
    const { subject, body } = mails.apiKeyDeleted(person.email, 'Sandbox', key?.key_hint ?? '');
    expect((await waiting().execute(db)).rows).toEqual([...before, { subject, body }]);
    expect(await person.listApiKeys({})).toEqual([]);
    expect((await person.getBot({ params: { id: bot } })).api_key).toBeNull();
    expect((await failure(person.deleteApiKey({ params: { id } }))).status).toBe(404);
  });

  test('OP-31 an archived live bot holds it for a day, as runners do the bot; brought back later it needs another one', async () => {
    const person = await server.signedIn('trader');
    const bot = await addTestBot(db, { strategy: 'RsiReversal', nickname: 'put away', owner: person.email, status: 'stopped' });
    const { id } = await person.addApiKey({ body: { ...(await newKey()), bot_id: bot } });
    await sql`update bots set mode = 'live' where id = ${bot}`.execute(db);
    const params = { id: bot };
    await person.archiveBot({ params });
    const archivedFor = (time: string) => sql`update bots set archived_at = now() - ${time}::interval where id = ${bot}`.execute(db);
    await archivedFor('23 hours');
    expect(await failure(person.deleteApiKey({ params: { id } }))).toMatchObject({ status: 409, detail: keyIsKept });
    expect((await person.listApiKeys({}))[0]?.bots).toMatchObject([{ id: bot }]);
    await archivedFor('25 hours');
    expect((await person.listApiKeys({}))[0]?.bots).toEqual([]);
    expect(await person.deleteApiKey({ params: { id } })).toEqual({ status: 'API key deleted' });
    expect(await person.bringBackBot({ params })).toMatchObject({ mode: 'live', status: 'stopped' });
    expect((await person.getBot({ params })).api_key).toBeNull();
    const activate = () => person.toggleBot({ params, query: { status: 'active' } });
    expect(await failure(activate())).toMatchObject({ status: 400, detail: texts.keyRequired });
    await person.addApiKey({ body: { ...(await newKey()), bot_id: bot } });
    expect(await activate()).toMatchObject({ status: 'active' });
  });

  test('one that other bots trade with is kept for them', async () => {
    const person = await server.signedIn('trader');
    const [away, live] = [
      await addTestBot(db, { strategy: 'RsiReversal', nickname: 'away', owner: person.email, status: 'stopped' }),
      await addTestBot(db, { strategy: 'RsiReversal', nickname: 'live', owner: person.email, status: 'stopped' }),
    ];
    const { id } = await person.addApiKey({ body: { ...(await newKey()), bot_id: away } });
    await sql`update bots set mode = 'live', api_key_id = ${id} where id in (${away}, ${live})`.execute(db);
    await sql`update bots set archived_at = now() - interval '1 hour' where id = ${away}`.execute(db);
    expect(await failure(person.deleteApiKey({ params: { id } }))).toMatchObject({ status: 409, detail: keyIsTrading });
  });

  test('a bot that becomes live while its key is deleted keeps it', async () => {
    const person = await server.signedIn('trader');
    const bot = await addTestBot(db, { strategy: 'RsiReversal', nickname: 'racing', owner: person.email });
    const { id } = await person.addApiKey({ body: { ...(await newKey()), bot_id: bot } });
    let deletion: Promise<unknown> = Promise.resolve();
    await db.transaction().execute(async (trx) => {
      await sql`update bots set mode = 'live' where id = ${bot}`.execute(trx);
      deletion = failure(person.deleteApiKey({ params: { id } }));
      await expect.poll(async () => (await sql`select 1 from pg_locks where not granted`.execute(db)).rows.length).toBeGreaterThan(0);
    });
    expect(await deletion).toMatchObject({ status: 409 });
    expect(await person.listApiKeys({})).toHaveLength(1);
  });
});

test('a key whose bot becomes live while its deletion waits for it is kept', async () => {
  const person = await server.signedIn('trader');
  const bot = await addTestBot(db, { strategy: 'RsiReversal', nickname: 'live meanwhile', owner: person.email });
  const { id } = await person.addApiKey({ body: { ...(await newKey()), bot_id: bot } });
  let deletion: Promise<unknown> = Promise.resolve();
  await db.transaction().execute(async (trx) => {
    await sql`select from api_keys where id = ${id} for share`.execute(trx);
    deletion = failure(person.deleteApiKey({ params: { id } }));
    await untilWaiting(db, 1);
    await sql`update bots set mode = 'live' where id = ${bot}`.execute(trx);
  });
  expect(await deletion).toMatchObject({ status: 409, detail: keyIsTrading });
  expect(await person.listApiKeys({})).toHaveLength(1);
});

test('a bot whose key is deleted at that moment does not become live', async () => {
  const person = await server.signedIn('trader');
  const bot = await addTestBot(db, { strategy: 'RsiReversal', nickname: 'too late', owner: person.email });
  const { id } = await person.addApiKey({ body: { ...(await newKey()), bot_id: bot } });
  let change: Promise<unknown> = Promise.resolve();
  await db.transaction().execute(async (trx) => {
    expect(await lockApiKey(trx, id, person.userId)).not.toBeNull();
    expect(await liveBotWith(trx, id)).toBeNull();
    change = failure(person.changeBotMode({ params: { id: bot }, query: { mode: 'live' } }));
    await untilWaiting(db, 1);
    await removeApiKey(trx, id);
  });
  expect(await change).toMatchObject({ status: 400, detail: texts.keyRequired });
  expect((await person.getBot({ params: { id: bot } })).mode).toBe('paper');
});

test('no answer of the server holds a key, a secret or what is sealed', async () => {
  const person = await server.signedIn('admin');
  const key = await newKey();
  const bot = await addTestBot(db, { strategy: 'RsiReversal', nickname: 'canary', owner: person.email });
  await person.addApiKey({ body: { ...key, bot_id: bot, passphrase: 'canary-passphrase' } });
  const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  for (const url of [
    '/api/api-keys',
    '/api/bots',
    `/api/bots/${bot}`,
    '/api/metrics/available-bots',
    '/api/status/live?fleet=true',
    '/api/strategies',
  ]) {
    const reply = await server.app.inject({ url, headers: { host: 'localhost:3000', origin, cookie } });
    expect(reply.statusCode, url).toBe(200);
    for (const part of [key.key, key.secret, 'canary-passphrase', '"kid"', '"sealed"']) expect(reply.body, url).not.toContain(part);
  }
});
