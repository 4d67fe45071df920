import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, password, startTestServer } from '../../../test/support/test-server.ts';

const server = await startTestServer();
const { db } = server.dependencies;
const owner = await server.signedIn('trader');
const id = await addTestBot(db, { strategy: 'RsiReversal', owner: owner.email, status: 'active' });

test('OP-82 a call that the server failed at may be made again with its key, and is done then', async () => {
  const pause = () => owner.toggleBot({ params: { id }, query: { status: 'paused' } }, { headers: { 'idempotency-key': 'failed once' } });
  await sql`alter table audit_log add constraint refuse_all check (false) not valid`.execute(db);
  expect((await failure(pause())).status).toBe(500);
  await sql`alter table audit_log drop constraint refuse_all`.execute(db);
  expect((await pause()).status).toBe('paused');
});

test('OP-82 one key for two bots is of two calls: both are done, and each has its own answer', async () => {
  const other = await addTestBot(db, { strategy: 'RsiReversal', owner: owner.email, status: 'active' });
  const headers = { 'idempotency-key': 'of two bots' };
  const stop = (botId: string) => owner.toggleBot({ params: { id: botId }, query: { status: 'stopped' } }, { headers });
  for (const each of [id, other, id]) expect(await stop(each)).toMatchObject({ id: each, status: 'stopped' });
  for (const each of [id, other]) expect((await owner.getBot({ params: { id: each } })).status).toBe('stopped');
  await owner.toggleBot({ params: { id }, query: { status: 'active' } });
});

test('OP-82 the answer of a sign-in is kept for a minute, that of another change for a day, and neither can be read in the database', async () => {
  const minutesOf = async (key: string, call: () => Promise<unknown>) => {
    const before = Date.now();
    await sql`delete from idempotency_keys`.execute(db);
    await call();
    const rows = await db.selectFrom('idempotencyKeys').selectAll().execute();
    const [row] = rows;
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(row)).not.toMatch(new RegExp(`${key}|Login|nickname|sid=`, 'u'));
    return Math.round(((row?.expiresAt.getTime() ?? 0) - before) / 60_000);
  };
  const headers = { 'idempotency-key': 'kept for how long' };
  const signIn = () => server.browser('10.30.0.1').login({ body: { email: owner.email, password } }, { headers });
  expect(await minutesOf('kept for how long', signIn)).toBe(1);
  const activate = () => owner.toggleBot({ params: { id }, query: { status: 'active' } }, { headers });
  expect(await minutesOf('kept for how long', activate)).toBe(24 * 60);
});

test('what is kept of a body does not let a password be guessed', async () => {
  const hashes = async () => {
    const rows = await db.selectFrom('idempotencyKeys').select('bodyHash').execute();
    return rows.map(({ bodyHash }) => bodyHash.toString('hex'));
  };
  await sql`delete from idempotency_keys`.execute(db);
  const body = { email: owner.email, password };
  for (const key of ['one', 'two']) await server.browser(`10.30.1.${key.length}`).login({ body }, { headers: { 'idempotency-key': key } });
  const kept = await hashes();
  expect(new Set(kept).size).toBe(2);
  for (const text of [password, JSON.stringify(body)]) expect(kept).not.toContain(createHash('sha256').update(text).digest('hex'));
});
