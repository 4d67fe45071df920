import { enterBuiltInStrategies } from '#runner/built-in-strategies.ts';
import { addApiKey } from '#storage/exchange-accounts/api-keys.ts';
import { openDatabase } from '#storage/database.ts';
import type { Database } from '#storage/database.ts';
import { startEmbeddedServer } from '#storage/embedded/embedded-server.ts';
import type { EmbeddedServer } from '#storage/embedded/embedded-server.ts';
import { endLease, renewLease } from '#storage/bots/runners.ts';
import { resealStrategy, sealedStrategySecrets } from '#storage/strategies/strategy-settings.ts';
import { addUser } from '#storage/users/users.ts';
import { addAuthenticator, findAwaitedAuthenticator } from '#storage/auth/authenticators.ts';
import { pushKeysFact, removeFact } from '#storage/installation/facts.ts';
import { authenticatorSecrets } from '#vault/authenticator-secrets.ts';
import { openPushKeys } from '#server/channels/push-keys.ts';
import { channelSecrets } from '#vault/channel-secrets.ts';
import { pushSecrets } from '#vault/push-secrets.ts';
import { sealCredentials } from '#vault/credentials.ts';
import { adoptNextKey, writeNextKey } from '#vault/key-change.ts';
import { keyFingerprint, masterKeyPath } from '#vault/master-key.ts';
import { markingKey, markOf } from '#vault/key-marks.ts';
import { openCredentials } from '#vault/open-credentials.ts';
import { openingKey } from '#vault/opening.ts';
import { sealingKey } from '#vault/sealing.ts';
import { strategySecrets } from '#vault/strategy-secrets.ts';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { prepareCluster } from '../../test/support/prepared-cluster.ts';
import { changeKey } from './change-key.ts';
import { readConfig } from './config.ts';
import { installationKey } from './installation-key.ts';

let folder = '';
let server: EmbeddedServer;
let db: Database;
let home = '';
let homes = 0;
let userId = '';
const config = (env: Record<string, string> = {}) => readConfig({ ...env, FLOTILLA_HOME: home }, '/');
const keyNow = () => installationKey(db, config());
const change = (env: Record<string, string> = {}) => changeKey(server.url, config(env));

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'flotilla-change-key-'));
  chmodSync(folder, 0o755);
  await prepareCluster(folder);
  server = await startEmbeddedServer(folder);
  db = openDatabase(server.url, { connections: 4 });
  userId = (await addUser(db, { email: 'keys@example.com', passwordHash: 'none', role: 'trader' }))?.id ?? '';
});
afterAll(async () => {
  await db.destroy();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  home = join(folder, `home-${++homes}`);
  await sql`delete from facts`.execute(db);
  await sql`delete from api_keys`.execute(db);
  await sql`delete from runners`.execute(db);
});

const addKey = async (master: Buffer, secret: string): Promise<string> => {
  const id = randomUUID();
  const sealed = await sealCredentials(await sealingKey(master), { id, userId }, { key: 'key', secret, passphrase: null });
  const row = { id, userId, exchangeId: 'sandbox', label: null, keyHint: 'key', hasPassphrase: false, sealed };
  await addApiKey(db, { ...row, checkedAt: new Date(), checkResult: 'ok', canTrade: null, canWithdraw: null, isIpBound: null });
  return id;
};
const secretOf = async (master: Buffer, id: string): Promise<string> => {
  const { sealed } = await db.selectFrom('apiKeys').select('sealed').where('id', '=', id).executeTakeFirstOrThrow();
  return (await openCredentials(await openingKey(master), { id, userId, sealed })).secret;
};

test('every secret opens with the new key and no longer with the old one, which is kept for older backups', async () => {
  const old = await keyNow();
  const ids = [await addKey(old, 'one'), await addKey(old, 'two')];
  expect(await change()).toEqual({ path: masterKeyPath(home), resealed: 2 });
  const next = await keyNow();
  expect(next.equals(old)).toBe(false);
  expect(await Promise.all(ids.map((id) => secretOf(next, id)))).toEqual(['one', 'two']);
  await expect(secretOf(old, ids[0] ?? '')).rejects.toThrow('sealed with another key');
  const files = readdirSync(join(home, 'keys')).toSorted();
  expect(files).toEqual(['master.key', `master.key.before-${keyFingerprint(old).slice(0, 8)}`]);
  expect(Buffer.from(readFileSync(join(home, 'keys', files[1] ?? ''), 'utf8'), 'base64').equals(old)).toBe(true);
  for (const file of files) expect(statSync(join(home, 'keys', file)).mode & 0o777).toBe(0o600);
  const { rows } = await sql`select action, detail from audit_log order by id desc limit 1`.execute(db);
  expect(rows).toEqual([{ action: 'change-master-key', detail: { secrets: 2 } }]);
});

test('a key that is recognized stays recognized, by a mark of the new key', async () => {
  const old = await keyNow();
  const [marked, unmarked] = [await addKey(old, 'one'), await addKey(old, 'two')];
  const mark = (master: Buffer): string => markOf(markingKey(master), 'sandbox', 'key');
  await sql`update api_keys set key_mark = ${mark(old)} where id = ${marked}`.execute(db);
  await change();
  const next = await keyNow();
  const rows = await db.selectFrom('apiKeys').select(['id', 'keyMark']).execute();
  expect(rows.find(({ id }) => id === marked)?.keyMark).toBe(mark(next));
  expect(rows.find(({ id }) => id === unmarked)?.keyMark).toBeNull();
  expect(mark(next)).not.toBe(mark(old));
});

test('the integrations of strategies open with the new key too', async () => {
  const old = await keyNow();
  await enterBuiltInStrategies(db);
  const { id } = await db.selectFrom('strategies').select('id').where('className', '=', 'RsiReversal').executeTakeFirstOrThrow();
  await resealStrategy(db, id, { webhook: strategySecrets(old).seal(id, 'webhook', 'https://a.b/c'), sheetsKey: null });
  expect((await change()).resealed).toBe(1);
  const sealed = (await sealedStrategySecrets(db)).get(id);
  expect(sealed?.sheetsKey).toBeNull();
  expect(strategySecrets(await keyNow()).open(id, 'webhook', sealed?.webhook ?? {})).toBe('https://a.b/c');
  expect(() => strategySecrets(old).open(id, 'webhook', sealed?.webhook ?? {})).toThrow();
  await sql`update strategies set webhook = null`.execute(db);
});

test('the spreadsheet keys of strategies open with the new key too', async () => {
  const old = await keyNow();
  await enterBuiltInStrategies(db);
  const { id } = await db.selectFrom('strategies').select('id').where('className', '=', 'RsiReversal').executeTakeFirstOrThrow();
  await resealStrategy(db, id, { webhook: null, sheetsKey: strategySecrets(old).seal(id, 'sheets_key', 'of the sheet') });
  expect((await change()).resealed).toBe(1);
  const sealed = (await sealedStrategySecrets(db)).get(id);
  expect(sealed?.webhook).toBeNull();
  expect(strategySecrets(await keyNow()).open(id, 'sheets_key', sealed?.sheetsKey ?? {})).toBe('of the sheet');
  expect(() => strategySecrets(old).open(id, 'sheets_key', sealed?.sheetsKey ?? {})).toThrow();
  await sql`update strategies set sheets_key = null`.execute(db);
});

test('a change that fails at the end of its transaction leaves the old key in the file, with which everything opens', async () => {
  const old = await keyNow();
  const id = await addKey(old, 'kept');
  await sql`create function refuse_commit() returns trigger language plpgsql as $$ begin raise exception 'not committed'; end $$`.execute(
    db,
  );
  await sql`create constraint trigger refuse_commit after update on facts deferrable initially deferred
    for each row execute function refuse_commit()`.execute(db);
  try {
    await expect(change()).rejects.toThrow('not committed');
  } finally {
    await sql`drop trigger refuse_commit on facts`.execute(db);
    await sql`drop function refuse_commit`.execute(db);
  }
  expect((await keyNow()).equals(old)).toBe(true);
  expect(await secretOf(old, id)).toBe('kept');
  expect((await change()).resealed).toBe(1);
  expect(await secretOf(await keyNow(), id)).toBe('kept');
});

test('a secret that cannot be opened stops the change, and everything is as it was', async () => {
  const old = await keyNow();
  const good = await addKey(old, 'good');
  const bad = await addKey(old, 'bad');
  await sql`update api_keys set sealed = (select sealed from api_keys where id = ${good}) where id = ${bad}`.execute(db);
  await expect(change()).rejects.toThrow('belongs to another place');
  expect((await keyNow()).equals(old)).toBe(true);
  expect(await secretOf(old, good)).toBe('good');
});

test('it is refused while a runner is at work, and with a key that is in no file', async () => {
  const old = await keyNow();
  const runner = { id: randomUUID(), host: 'here', exchanges: [] };
  await renewLease(db, runner, 60_000, true);
  await expect(change()).rejects.toThrow('Stop it everywhere first.');
  await endLease(db, runner.id);
  await expect(change({ MASTER_KEY: old.toString('base64') })).rejects.toThrow('MASTER_KEY_FILE');
  expect((await keyNow()).equals(old)).toBe(true);
});

test('ended before the database knew the new key, the old one holds; ended after it, the next start takes the new one', async () => {
  const old = await keyNow();
  const path = masterKeyPath(home);
  writeNextKey(path);
  expect((await keyNow()).equals(old)).toBe(true);
  const id = await addKey(old, 'kept');
  await change();
  const next = await keyNow();
  // As it is between the two moves: the database knows the new key, which lies beside the old one.
  renameSync(path, `${path}.next`);
  renameSync(`${path}.before-${keyFingerprint(old).slice(0, 8)}`, path);
  expect((await keyNow()).equals(next)).toBe(true);
  expect(await secretOf(next, id)).toBe('kept');
  expect(adoptNextKey(path, keyFingerprint(next))).toBe(false);
});

test('two changes at once: one is done, and the key in the file is the one that opens', async () => {
  const id = await addKey(await keyNow(), 'raced');
  for (let round = 0; round < 5; round++) {
    const done = await Promise.allSettled([change(), change(), change()]);
    expect(done.some(({ status }) => status === 'fulfilled')).toBe(true);
    expect(await secretOf(await keyNow(), id)).toBe('raced');
  }
});

test('the keys that browsers know the installation by stay the same under it', async () => {
  const before = await openPushKeys(db, pushSecrets(await keyNow()));
  await change();
  expect(await openPushKeys(db, pushSecrets(await keyNow()))).toEqual(before);
  await removeFact(db, pushKeysFact);
});

test('where channels lead is sealed again with it', async () => {
  const old = await keyNow();
  const row = { id: randomUUID(), userId };
  const sealed = channelSecrets(old).seal(row, 'https://ntfy.sh/harbour');
  await db
    .insertInto('channels')
    .values({
      ...row,
      kind: 'ntfy',
      name: 'Phone',
      hint: 'bour',
      sealed: JSON.stringify(sealed),
      topics: ['day-sum'],
      summedDay: '2026-01-01',
    })
    .execute();
  expect((await change()).resealed).toBe(1);
  const { sealed: after } = await db.selectFrom('channels').select('sealed').where('id', '=', row.id).executeTakeFirstOrThrow();
  expect(channelSecrets(await keyNow()).open(row, after)).toBe('https://ntfy.sh/harbour');
  expect(() => channelSecrets(old).open(row, after)).toThrow();
  await sql`delete from channels`.execute(db);
});

test('secrets of authenticator apps are sealed again with it', async () => {
  const old = await keyNow();
  const row = { id: randomUUID(), userId };
  const secret = Buffer.from('shared with the app!');
  await addAuthenticator(db, { ...row, createdAt: new Date(), sealed: authenticatorSecrets(old).seal(row, secret) });
  expect((await change()).resealed).toBe(1);
  const after = (await findAwaitedAuthenticator(db, userId, new Date(0)))?.sealed ?? {};
  expect(authenticatorSecrets(await keyNow()).open(row, after)).toEqual(secret);
  expect(() => authenticatorSecrets(old).open(row, after)).toThrow();
  expect(() => authenticatorSecrets(old).open({ ...row, userId: randomUUID() }, after)).toThrow();
  await sql`delete from authenticators`.execute(db);
});
