import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import {
  addHalfLogin,
  addSession,
  addToken,
  endHalfLogins,
  endOldestSessions,
  endSession,
  endSessionsOf,
  findHalfLogin,
  findSession,
  lockLiveSession,
  lockSession,
  removeExpired,
  replaceToken,
  shortenSessions,
  takeHalfLogin,
} from './sessions.ts';
import { addUser } from '../users/users.ts';

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

test('sessions that have ended take no place of those that have not, however new they are', async () => {
  const userId = (await addUser(db, { email: 'signs-out@example.com', passwordHash: 'x', role: 'trader', verified: true }))?.id ?? '';
  const add = (startedAt: Date, endsAt: Date) =>
    addSession(
      db,
      { userId, now: startedAt, endsAt, address: '' },
      { hash: Buffer.from(`signs out ${++tokens}`), accessUntil: at(day), refreshUntil: at(day) },
    );
  const watching = [await add(at(0), at(day)), await add(at(1), at(day))];
  for (let i = 2; i < 22; i++) {
    const { id } = await add(at(i), at(i % 2 === 0 ? day : 100)); // every second one was shortened, and is over
    if (i % 2 === 0) await endSession(db, id, at(i), 'signed out');
  }
  await endOldestSessions(db, userId, at(1_000), 10);
  const left = await db
    .selectFrom('sessions')
    .select('id')
    .where('userId', '=', userId)
    .where('revokedAt', 'is', null)
    .where('endsAt', '=', at(day))
    .orderBy('startedAt')
    .execute();
  expect(left).toEqual(watching.map(({ id }) => ({ id })));
});

test('sessions of accounts are shortened to a length from their start: none gets longer, nor those of others', async () => {
  const add = async (email: string, ...days: number[]) => {
    const userId = (await addUser(db, { email, passwordHash: 'x', role: 'trader', verified: true }))?.id ?? '';
    for (const many of days) {
      const endsAt = at(many * day);
      const token = { hash: Buffer.from(`${email} ${many}`), accessUntil: endsAt, refreshUntil: endsAt };
      await addSession(db, { userId, now: at(-day), endsAt, address: '' }, token);
    }
    return userId;
  };
  const ends = (userId: string) => db.selectFrom('sessions').select('endsAt').where('userId', '=', userId).orderBy('endsAt').execute();
  const [shortened, left] = [await add('shortened@example.com', 1, 30), await add('left@example.com', 30)];
  await db.transaction().execute((trx) => shortenSessions(trx, [shortened], 7 * day));
  expect(await ends(shortened)).toEqual([{ endsAt: at(day) }, { endsAt: at(6 * day) }]);
  expect(await ends(left)).toEqual([{ endsAt: at(30 * day) }]);
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

const hashOf = (text: string): Buffer => Buffer.from(text);
const beginWith = (token: string, userId = user) =>
  addSession(
    db,
    { userId, now, endsAt: at(day), address: '10.0.0.1' },
    { hash: hashOf(token), accessUntil: at(1_000), refreshUntil: at(2_000) },
  );

test('a token leads to its session and account, whatever their state, and to nothing when nobody has it', async () => {
  const session = await beginWith('found');
  expect(session).toMatchObject({ userId: user, startedAt: now, authenticatedAt: now, lastSeenAt: now, address: '10.0.0.1' });
  const found = await findSession(db, hashOf('found'));
  expect(found).toEqual({
    sessionId: session.id,
    accessUntil: at(1_000),
    replacedAt: null,
    authenticatedAt: now,
    endsAt: at(day),
    revokedAt: null,
    user: { id: user, email: 'one@example.com', role: 'trader', verified: true, emailVerified: true, has2fa: false },
  });
  expect(await lockSession(db, hashOf('found'))).toMatchObject({
    token: { sessionId: session.id, successor: null },
    session: { id: session.id },
  });
  expect(await endSession(db, session.id, at(5), 'logout')).toBe(true);
  expect(await endSession(db, session.id, at(6), 'again')).toBe(false);
  expect(await findSession(db, hashOf('found'))).toEqual({ ...found, revokedAt: at(5) });
  expect(await findSession(db, hashOf('nobody’s'))).toBeNull();
  expect(await lockSession(db, hashOf('nobody’s'))).toBeNull();
});

test('a token that is replaced keeps its sealed successor, and those of earlier tokens are wiped', async () => {
  const { id } = await beginWith('first');
  const elsewhere = await beginWith('elsewhere');
  const read = async (token: string) =>
    db.selectFrom('sessionTokens').select(['replacedAt', 'successor']).where('hash', '=', hashOf(token)).executeTakeFirst();
  const replace = async (token: string, time: Date, successor: string): Promise<void> => {
    const locked = await lockSession(db, hashOf(token));
    if (locked === null) throw new Error('There is no such token');
    await replaceToken(db, locked.token, time, hashOf(successor));
  };
  await replace('elsewhere', at(1), 'sealed elsewhere');
  await replace('first', at(2), 'sealed second');
  await addToken(db, id, { hash: hashOf('second'), accessUntil: at(1_000), refreshUntil: at(2_000) });
  expect(await read('first')).toEqual({ replacedAt: at(2), successor: hashOf('sealed second') });
  await replace('second', at(3), 'sealed third');
  expect(await read('first')).toEqual({ replacedAt: at(2), successor: null });
  expect(await read('second')).toEqual({ replacedAt: at(3), successor: hashOf('sealed third') });
  expect(await read('elsewhere')).toEqual({ replacedAt: at(1), successor: hashOf('sealed elsewhere') });
  const seen = await db.selectFrom('sessions').select('lastSeenAt').where('id', 'in', [id, elsewhere.id]).orderBy('lastSeenAt').execute();
  expect(seen).toEqual([{ lastSeenAt: at(1) }, { lastSeenAt: at(3) }]);
});

test('all sessions of an account end but for the one that is kept; those of others and those that ended earlier stay as they are', async () => {
  const other = await addUser(db, { email: 'three@example.com', passwordHash: 'x', role: 'trader', verified: true });
  const [kept, ended, gone, strange] = [
    await beginWith('kept'),
    await beginWith('ended'),
    await beginWith('gone'),
    await beginWith('strange', other?.id ?? ''),
  ];
  await endSession(db, gone.id, at(1), 'logout');
  await endSessionsOf(db, user, at(2), 'password', kept.id);
  const states = async () => {
    const rows = await db
      .selectFrom('sessions')
      .select(['id', 'revokedAt', 'revokedWhy'])
      .where('id', 'in', [kept.id, ended.id, gone.id, strange.id])
      .execute();
    return [kept, ended, gone, strange].map(({ id }) => {
      const row = rows.find((each) => each.id === id);
      return [row?.revokedAt, row?.revokedWhy];
    });
  };
  expect(await states()).toEqual([
    [null, null],
    [at(2), 'password'],
    [at(1), 'logout'],
    [null, null],
  ]);
  await endSessionsOf(db, user, at(3), 'all', null);
  expect((await states()).map(([, why]) => why)).toEqual(['all', 'password', 'logout', null]);
});

test('a session that somebody works in cannot be ended meanwhile, and one that has ended cannot be worked in', async () => {
  const { id } = await beginWith('in use');
  const ended: boolean[] = [];
  await db.transaction().execute(async (trx) => {
    expect(await lockLiveSession(trx, id)).toBe(true);
    await expect(
      db.transaction().execute(async (second) => {
        await sql`set local lock_timeout = 1`.execute(second);
        ended.push(await endSession(second, id, now, 'logout'));
      }),
    ).rejects.toThrow('lock timeout');
  });
  expect(ended).toEqual([]);
  await endSession(db, id, now, 'logout');
  expect(await db.transaction().execute((trx) => lockLiveSession(trx, id))).toBe(false);
});

test('two renewals of a token run one after the other', async () => {
  await beginWith('renewed twice');
  await db.transaction().execute(async (trx) => {
    await lockSession(trx, hashOf('renewed twice'));
    await expect(
      db.transaction().execute(async (second) => {
        await sql`set local lock_timeout = 1`.execute(second);
        await lockSession(second, hashOf('renewed twice'));
      }),
    ).rejects.toThrow('lock timeout');
  });
});

test('a half login is remembered longer when its password is given again, and ends with the others of its account', async () => {
  const other = (await addUser(db, { email: 'four@example.com', passwordHash: 'x', role: 'trader' }))?.id ?? '';
  await addHalfLogin(db, hashOf('again'), user, at(1_000));
  await addHalfLogin(db, hashOf('again'), user, at(5_000));
  await addHalfLogin(db, hashOf('other’s'), other, at(5_000));
  expect(await findHalfLogin(db, hashOf('again'), at(4_999))).toBe(user);
  await endHalfLogins(db, user);
  expect(await findHalfLogin(db, hashOf('again'), at(0))).toBeNull();
  expect(await findHalfLogin(db, hashOf('other’s'), at(0))).toBe(other);
  expect(await takeHalfLogin(db, hashOf('again'))).toBe(false);
});
