import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { auditHead, writeAudit } from './audit-log.ts';
import { addUser } from '../users/users.ts';

const { db } = await freshDatabase();
const user = await addUser(db, { email: 'one@example.com', passwordHash: 'x', role: 'admin' });
const lines = () => db.selectFrom('auditLog').selectAll().orderBy('id').execute();

test('the head of an empty log is null', async () => {
  expect(await auditHead(db)).toBeNull();
});

test('a line says who did what to what, from where and with what result; what is not known is empty', async () => {
  await writeAudit(db, { actorId: null, actorRole: null, action: 'sign-in', result: 'refused' });
  const full = { actorId: user?.id ?? '', actorRole: 'admin', action: 'set-status', target: 'bot 5', address: '10.0.0.1', requestId: 'r1' };
  await writeAudit(db, { ...full, result: 'ok', detail: { status: 'stopped' } });
  const [short, long] = await lines();
  expect(short).toMatchObject({
    actorId: null,
    actorRole: null,
    action: 'sign-in',
    target: null,
    address: null,
    requestId: null,
    result: 'refused',
    detail: {},
    previousHash: null,
  });
  expect(long).toMatchObject({ ...full, result: 'ok', detail: { status: 'stopped' } });
});

test('each line carries the hash of the one before and of all it says itself', async () => {
  for (const n of [1, 2])
    await writeAudit(db, { actorId: null, actorRole: null, action: `act ${n}`, target: 'x', result: 'ok', detail: { n } });
  let previous: Buffer | null = null;
  for (const { time, actorId, actorRole, action, target, address, requestId, result, detail, previousHash, hash } of await lines()) {
    expect(previousHash).toEqual(previous);
    previous = createHash('sha256')
      .update(previous ?? '')
      .update(JSON.stringify([time.toISOString(), actorId, actorRole, action, target, address, requestId, result, detail]))
      .digest();
    expect(hash).toEqual(previous);
  }
});

test('many writers at once make one chain', async () => {
  const before = (await lines()).length;
  await Promise.all(
    Array.from({ length: 20 }, (_, i) => writeAudit(db, { actorId: null, actorRole: null, action: `at once ${i}`, result: 'ok' })),
  );
  const all = await lines();
  expect(all).toHaveLength(before + 20);
  expect(all.slice(1).map(({ previousHash }) => previousHash)).toEqual(all.slice(0, -1).map(({ hash }) => hash));
});

test('the next writer waits until the transaction of a line ends, and what is rolled back is not in the chain', async () => {
  const [last] = (await lines()).slice(-1);
  const undone = db.transaction().execute(async (trx) => {
    await writeAudit(trx, { actorId: null, actorRole: null, action: 'undone', result: 'ok' });
    await expect(
      db.transaction().execute(async (second) => {
        await sql`set local lock_timeout = 1`.execute(second);
        await writeAudit(second, { actorId: null, actorRole: null, action: 'too early', result: 'ok' });
      }),
    ).rejects.toThrow('lock timeout');
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  await writeAudit(db, { actorId: null, actorRole: null, action: 'next', result: 'ok' });
  expect((await lines()).at(-1)).toMatchObject({ action: 'next', previousHash: last?.hash });
});

test('the head is the newest line and its hash', async () => {
  await writeAudit(db, { actorId: null, actorRole: null, action: 'last', result: 'ok' });
  const last = (await lines()).at(-1);
  expect(await auditHead(db)).toEqual({ id: last?.id, hash: last?.hash.toString('hex') });
});
