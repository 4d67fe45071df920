import { dayMs, minuteMs } from '#engine/market/durations.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import { exchangeKeyCheck, type CheckKey } from '#feeds/exchange-keys.ts';
import { mails } from '#mail/texts.ts';
import { addApiKey, askKeyCheck, noteKeyCheck, takeKeyToCheck } from '#storage/exchange-accounts/api-keys.ts';
import { addUser } from '#storage/users/users.ts';
import { sealCredentials } from '#vault/credentials.ts';
import { openCredentials } from '#vault/open-credentials.ts';
import { openingKey } from '#vault/opening.ts';
import { sealingKey } from '#vault/sealing.ts';
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { freshDatabase } from '../../test/support/fresh-database.ts';
import { addTestBot } from '../../test/support/test-bot.ts';
import { startSandbox } from '../sandbox/sandbox.ts';
import { startKeyChecks } from './key-checks.ts';

const sandbox = await startSandbox();
afterAll(() => sandbox.close());
const { db } = await freshDatabase();
const master = Buffer.alloc(32, 3);
const [sealing, opening] = [await sealingKey(master), await openingKey(master)];
const user = await addUser(db, { email: 'keys@example.com', passwordHash: 'none', role: 'trader' });
const userId = user?.id ?? '';
const from = Date.UTC(2026, 5, 1);
beforeEach(async () => {
  await db.deleteFrom('apiKeys').execute();
  await db.deleteFrom('mailOutbox').execute();
});
const waitingMails = () => db.selectFrom('mailOutbox').select(['recipient', 'subject', 'body']).execute();

const addKey = async (
  secret: (right: string) => string = (right) => right,
  checkedAt = new Date(from),
  right = 'trade',
): Promise<string> => {
  const answer = await fetch(`${sandbox.url}/sandbox/v1/keys?right=${right}`, { method: 'POST' });
  const { apiKey, secretKey } = (await answer.json()) as { apiKey: string; secretKey: string };
  const id = randomUUID();
  const sealed = await sealCredentials(sealing, { id, userId }, { key: apiKey, secret: secret(secretKey), passphrase: null });
  const unknown = { canTrade: null, canWithdraw: null, isIpBound: null };
  const row = { id, userId, exchangeId: 'sandbox', label: null, keyHint: apiKey.slice(-4), hasPassphrase: false, sealed };
  await addApiKey(db, { ...row, checkedAt, checkResult: 'ok', ...unknown });
  return id;
};
const rowOf = async (id: string) => db.selectFrom('apiKeys').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const run = async (checkKey: CheckKey, now: number, isDone: () => Promise<boolean>): Promise<string[]> => {
  const lines: string[] = [];
  const log = (message: string, details: object): void => void lines.push(`${message} ${JSON.stringify(details)}`);
  const checks = startKeyChecks({ db, opening, checkKey, exchanges: [{ id: 'sandbox', name: 'Sandbox' }], now: () => now, log }, 5);
  await expect.poll(isDone).toBe(true);
  await checks.stop();
  return lines;
};
const overTheWire = exchangeKeyCheck({ sandboxUrl: sandbox.url });

test('a key is opened here and checked at its exchange, once for each time it was asked for', async () => {
  const good = await addKey();
  const bad = await addKey(() => 'wrong');
  const quiet = await addKey();
  for (const id of [good, bad]) await askKeyCheck(db, id, new Date(from + 1));
  const lines = await run(
    overTheWire,
    from + minuteMs,
    async () => (await rowOf(bad)).checkAskedAt === null && (await rowOf(good)).checkAskedAt === null,
  );
  expect(await rowOf(good)).toMatchObject({ checkResult: 'ok', canTrade: true, canWithdraw: false, checkedAt: new Date(from + minuteMs) });
  expect(await rowOf(bad)).toMatchObject({ checkResult: 'refused', canTrade: null, checkTakenAt: null });
  expect(await rowOf(quiet)).toMatchObject({ checkedAt: new Date(from) });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain(bad);
});

test('a key of an earlier version gets its mark when it is opened; of one that is stored twice the other says so', async () => {
  const id = await addKey();
  expect((await rowOf(id)).keyMark).toBeNull();
  await askKeyCheck(db, id, new Date(from + 1));
  expect(await run(overTheWire, from + 2, async () => (await rowOf(id)).checkAskedAt === null)).toEqual([]);
  const { keyMark, sealed, ...row } = await rowOf(id);
  expect(keyMark).toMatch(/^[0-9a-f]{64}$/u);
  const twin = randomUUID();
  const again = await sealCredentials(sealing, { id: twin, userId }, await openCredentials(opening, { id, userId, sealed }));
  await db
    .insertInto('apiKeys')
    .values({ ...row, id: twin, sealed: JSON.stringify(again), checkAskedAt: new Date(from + 3) })
    .execute();
  const lines = await run(overTheWire, from + 4, async () => (await rowOf(twin)).checkAskedAt === null);
  expect(lines).toEqual([`an API key is stored twice; delete one of the two ${JSON.stringify({ key: twin, exchange: 'sandbox' })}`]);
  expect(await rowOf(twin)).toMatchObject({ keyMark: null, checkResult: 'ok' }); // both trade on
  await askKeyCheck(db, id, new Date(from + 5));
  expect(await run(overTheWire, from + 6, async () => (await rowOf(id)).checkAskedAt === null)).toEqual([]);
});

test('a key is asked for the right to trade on the markets of its bots, but for those that are archived', async () => {
  const [id, unused] = [await addKey(undefined, undefined, 'spot'), await addKey(undefined, undefined, 'spot')];
  const bot = await addTestBot(db, { strategy: 'RsiReversal', nickname: 'on spot', owner: 'keys@example.com' });
  const given = (set: object) => db.updateTable('bots').set(set).where('id', '=', bot).execute();
  const canTrade = async (key: string, time: number): Promise<boolean | null> => {
    await askKeyCheck(db, key, new Date(time));
    await run(overTheWire, time + 1, async () => (await rowOf(key)).checkAskedAt === null);
    return (await rowOf(key)).canTrade;
  };
  await given({ apiKeyId: id, marketType: 'spot' });
  expect(await canTrade(id, from + minuteMs)).toBe(true);
  await given({ marketType: 'futures' });
  expect([await canTrade(id, from + 3 * minuteMs), await canTrade(unused, from + 5 * minuteMs)]).toEqual([false, true]);
  const live = await addTestBot(db, { strategy: 'RsiReversal', nickname: 'live on spot', owner: 'keys@example.com' });
  await db.updateTable('bots').set({ apiKeyId: id, marketType: 'spot', mode: 'live' }).where('id', '=', live).execute();
  expect(await canTrade(id, from + 9 * minuteMs)).toBe(true); // for which it is; one on paper needs none
  await db.deleteFrom('bots').where('id', '=', live).execute();
  await given({ status: 'stopped', archivedAt: new Date(from) });
  expect(await canTrade(id, from + 11 * minuteMs)).toBe(true);
});

test('an exchange that does not answer holds up no check at another, and is asked about one key at a time', async () => {
  const silent = [await addKey(), await addKey()];
  await sql`update api_keys set exchange_id = 'kraken'`.execute(db);
  for (const id of silent) await askKeyCheck(db, id, new Date(from + 1));
  const answer = Promise.withResolvers<void>();
  const asked: string[] = [];
  const checkKey: CheckKey = async (exchangeId, credentials) => {
    asked.push(exchangeId);
    if (exchangeId === 'kraken') await answer.promise;
    return await overTheWire('sandbox', credentials, []);
  };
  const exchanges = ['kraken', 'sandbox'].map((id) => ({ id, name: id }));
  const checks = startKeyChecks({ db, opening, checkKey, exchanges, now: () => from + 2, log: () => undefined }, 5);
  const isDone = async (id: string): Promise<boolean> => (await rowOf(id)).checkAskedAt === null;
  await expect.poll(() => asked).toEqual(['kraken']);
  const quick = [await addKey(), await addKey()];
  for (const id of quick) await askKeyCheck(db, id, new Date(from + 1));
  for (const id of quick) await expect.poll(() => isDone(id)).toBe(true);
  expect(asked).toEqual(['kraken', 'sandbox', 'sandbox']);
  answer.resolve();
  for (const id of silent) await expect.poll(() => isDone(id)).toBe(true);
  await checks.stop();
});

test('a check that is under way when the checks are stopped is waited for', async () => {
  const id = await addKey();
  await askKeyCheck(db, id, new Date(from + 1));
  const answer = Promise.withResolvers<void>();
  let isAsked = false;
  const checkKey: CheckKey = async (...key) => {
    isAsked = true;
    await answer.promise;
    return await overTheWire(...key);
  };
  const exchanges = [{ id: 'sandbox', name: 'Sandbox' }];
  const checks = startKeyChecks({ db, opening, checkKey, exchanges, now: () => from + 2, log: () => undefined }, 5);
  await expect.poll(() => isAsked).toBe(true);
  const stopped = checks.stop();
  answer.resolve();
  await stopped;
  expect((await rowOf(id)).checkAskedAt).toBeNull();
});

test('an exchange that does not answer leaves a key neither right nor wrong', async () => {
  const id = await addKey();
  await askKeyCheck(db, id, new Date(from + 1));
  await run(
    () => Promise.reject(new ExchangeError('temporary', 'no answer')),
    from + 2,
    async () => (await rowOf(id)).checkAskedAt === null,
  );
  expect((await rowOf(id)).checkResult).toBe('unreachable');
});

test('OP-25 the owner of a key that no longer works gets one mail, not one a day, and another when it broke again', async () => {
  const id = await addKey(() => 'wrong');
  const end = (await rowOf(id)).keyHint;
  let now = from;
  const checkAgain = async (checkKey: CheckKey) => {
    now += minuteMs;
    await askKeyCheck(db, id, new Date(now));
    await run(checkKey, now + 1, async () => (await rowOf(id)).checkAskedAt === null);
  };
  await checkAgain(overTheWire);
  expect(await waitingMails()).toEqual([mails.apiKeyRefused('keys@example.com', 'Sandbox', end)]);
  await checkAgain(overTheWire);
  expect(await waitingMails()).toHaveLength(1);
  await checkAgain(() => Promise.resolve({ canTrade: true, canWithdraw: false, isIpBound: false }));
  expect(await waitingMails()).toHaveLength(1);
  await checkAgain(overTheWire);
  expect(await waitingMails()).toHaveLength(2);
});

test('OP-25 an exchange that does not answer, and a key that was deleted meanwhile, are no reason for a mail', async () => {
  const silent = await addKey();
  await askKeyCheck(db, silent, new Date(from + 1));
  await run(
    () => Promise.reject(new ExchangeError('temporary', 'no answer')),
    from + 2,
    async () => (await rowOf(silent)).checkAskedAt === null,
  );
  const deleted = await addKey();
  await askKeyCheck(db, deleted, new Date(from + minuteMs));
  let isChecked = false;
  const lines = await run(
    async () => {
      await db.deleteFrom('apiKeys').where('id', '=', deleted).execute();
      isChecked = true;
      throw new ExchangeError('unauthorised', 'invalid key');
    },
    from + 2 * minuteMs,
    async () => isChecked,
  );
  expect(lines.filter((line) => line.startsWith('API keys could not be checked'))).toEqual([]);
  expect(await waitingMails()).toEqual([]);
});

test('OP-25 a refused check and its mail are written together or not at all', async () => {
  const id = await addKey(() => 'wrong');
  await askKeyCheck(db, id, new Date(from + 1));
  await sql`alter table mail_outbox add constraint refuse_all check (false) not valid`.execute(db);
  const lines: string[] = [];
  const checks = startKeyChecks(
    {
      db,
      opening,
      checkKey: overTheWire,
      exchanges: [{ id: 'sandbox', name: 'Sandbox' }],
      now: () => from + 2,
      log: (message) => void lines.push(message),
    },
    5,
  );
  await expect.poll(() => lines).toContain('API keys could not be checked');
  await checks.stop();
  await sql`alter table mail_outbox drop constraint refuse_all`.execute(db);
  expect(await rowOf(id)).toMatchObject({ checkResult: 'ok', checkAskedAt: new Date(from + 1) });
});

test('a record that was moved to another account is not sent anywhere', async () => {
  const id = await addKey();
  const thief = await addUser(db, { email: `thief-${id}@example.com`, passwordHash: 'none', role: 'trader' });
  await sql`update api_keys set user_id = ${thief?.id ?? ''} where id = ${id}`.execute(db);
  await askKeyCheck(db, id, new Date(from + 1));
  let sent = 0;
  await run(
    () => {
      sent += 1;
      return Promise.reject(new Error('sent'));
    },
    from + 2,
    async () => (await rowOf(id)).checkAskedAt === null,
  );
  expect(sent).toBe(0);
  expect((await rowOf(id)).checkResult).toBe('unreachable');
});

test('every key is checked once a day', async () => {
  const id = await addKey();
  expect(await takeKeyToCheck(db, new Date(from + dayMs), ['sandbox'])).toBeNull();
  expect((await takeKeyToCheck(db, new Date(from + dayMs + 1), ['sandbox']))?.id).toBe(id);
});

test('of several who look for work at once one takes a key; a minute later it is free again', async () => {
  const id = await addKey();
  const now = new Date(from + 2 * dayMs);
  await db.transaction().execute(async (trx) => {
    expect((await takeKeyToCheck(trx, now, ['sandbox']))?.id).toBe(id);
    expect(await takeKeyToCheck(db, now, ['sandbox'])).toBeNull(); // at once, without waiting for the other
  });
  expect(await takeKeyToCheck(db, new Date(now.getTime() + minuteMs), ['sandbox'])).toBeNull();
  expect((await takeKeyToCheck(db, new Date(now.getTime() + minuteMs + 1), ['sandbox']))?.id).toBe(id);
});

test('a key of an exchange that cannot be reached from here is left to others', async () => {
  await addKey();
  const now = new Date(from + 2 * dayMs);
  expect(await takeKeyToCheck(db, now, ['binance'])).toBeNull();
  expect(await takeKeyToCheck(db, now, [])).toBeNull();
});

test('what is asked while a check is under way is asked still', async () => {
  const id = await addKey();
  const rights = { canTrade: true, canWithdraw: false, isIpBound: false, checkResult: 'ok' } as const;
  await askKeyCheck(db, id, new Date(from + 5));
  await noteKeyCheck(db, id, { taken: new Date(from + 4), done: new Date(from + 9) }, rights);
  expect((await rowOf(id)).checkAskedAt).toEqual(new Date(from + 5));
  await noteKeyCheck(db, id, { taken: new Date(from + 5), done: new Date(from + 9) }, rights);
  expect((await rowOf(id)).checkAskedAt).toBeNull();
});
