import { expect, test } from 'vitest';
import { freshDatabase } from '../../test/support/fresh-database.ts';
import { addHalfLogin, addSession, endOldestSessions, endSession, findHalfLogin, removeExpired, takeHalfLogin } from './sessions.ts';
import { addUser } from './users.ts';

const { db } = await freshDatabase();
const now = new Date('2026-03-01T12:00:00Z');
const at = (ms: number) => new Date(now.getTime() + ms);
const day = 86_400_000;
const user = (await addUser(db, { email: 'one@example.com', passwordHash: 'x', role: 'trader', verified: true }))?.id ?? '';
let tokens = 0;
const begin = (startedAt: Date, endsAt: Date) =>
  addSession(
    db,
    { userId: user, now: startedAt, endsAt, address: '' },
    { hash: Buffer.from(`t${++tokens}`), accessUntil: endsAt, refreshUntil: endsAt },
  );
const live = async () =>
  (await db.selectFrom('sessions').select('startedAt').where('revokedAt', 'is', null).orderBy('startedAt').execute()).map(
    ({ startedAt }) => startedAt,
  );

test('of two that end a session one has ended it', async () => {
  const { id } = await begin(now, at(day));
  const ended = await Promise.all([endSession(db, id, now, 'a'), endSession(db, id, now, 'b')]);
  expect(ended.filter(Boolean)).toHaveLength(1);
});

test('the oldest sessions beyond the newest few are ended, those of others are not', async () => {
  for (let i = 0; i < 4; i++) await begin(at(i), at(day));
  const other = await addUser(db, { email: 'two@example.com', passwordHash: 'x', role: 'trader', verified: true });
  await addSession(
    db,
    { userId: other?.id ?? '', now: at(-1), endsAt: at(day), address: '' },
    { hash: Buffer.from('other'), accessUntil: at(day), refreshUntil: at(day) },
  );
  await endOldestSessions(db, user, now, 2);
  expect(await live()).toEqual([at(-1), at(2), at(3)]);
});

test('a half login is used up once, and not after its end', async () => {
  const hash = Buffer.from('half');
  await addHalfLogin(db, hash, user, at(1_000));
  expect(await findHalfLogin(db, hash, at(999))).toBe(user);
  expect(await findHalfLogin(db, hash, at(1_000))).toBeNull();
  expect((await Promise.all([takeHalfLogin(db, hash), takeHalfLogin(db, hash)])).filter(Boolean)).toHaveLength(1);
});

test('what nobody can use any more is removed, everything else stays', async () => {
  await db.deleteFrom('sessions').execute();
  const rest = { salt: Buffer.from('s'), hash: Buffer.from('h'), createdAt: at(-2 * day), purpose: 'reset' as const, holder: '' };
  for (const [name, ago] of [
    ['kept', 0],
    ['gone', 2 * day],
  ] as const) {
    const end = at(1 - ago);
    await begin(at(-3 * day), end);
    await addHalfLogin(db, Buffer.from(`${name} half`), user, end);
    await db
      .insertInto('codes')
      .values({ ...rest, emailKey: name, userId: null, expiresAt: end })
      .execute();
    await db.insertInto('limitCounters').values({ key: name, count: 1, resetsAt: end }).execute();
    await db
      .insertInto('idempotencyKeys')
      .values({ caller: name, call: 'c', key: 'k', bodyHash: Buffer.from('b'), expiresAt: end })
      .execute();
  }
  await removeExpired(db, now);
  expect(await db.selectFrom('sessions').select('endsAt').execute()).toEqual([{ endsAt: at(1) }]);
  expect(await db.selectFrom('sessionTokens').select('refreshUntil').execute()).toEqual([{ refreshUntil: at(1) }]);
  expect(await db.selectFrom('halfLogins').select('expiresAt').execute()).toEqual([{ expiresAt: at(1) }]);
  expect(await db.selectFrom('codes').select('emailKey').execute()).toEqual([{ emailKey: 'kept' }]);
  expect(await db.selectFrom('limitCounters').select('key').execute()).toEqual([{ key: 'kept' }]);
  expect(await db.selectFrom('idempotencyKeys').select('caller').execute()).toEqual([{ caller: 'kept' }]);
});
