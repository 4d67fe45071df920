import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addUser, findUser, findUserByEmail, hasAdmin, hasNoUsers, lockUnchanged, removeUser, updateUser } from './users.ts';

const { db } = await freshDatabase();
const add = async (email: string, role: 'trader' | 'admin' = 'trader') => {
  const user = await addUser(db, { email, passwordHash: 'hash', role });
  if (user === null) throw new Error(`${email} is taken`);
  return user;
};

test('a new installation has no account and no admin', async () => {
  expect([await hasNoUsers(db), await hasAdmin(db)]).toEqual([true, false]);
  const first = await add('first@example.com');
  expect([await hasNoUsers(db), await hasAdmin(db)]).toEqual([false, false]);
  await add('chief@example.com', 'admin');
  expect([await hasNoUsers(db), await hasAdmin(db)]).toEqual([false, true]);
  await removeUser(db, first.id);
  expect(await findUser(db, first.id)).toBeNull();
  expect(await findUserByEmail(db, 'chief@example.com')).not.toBeNull();
});

test('an account is found by its e-mail in any spelling, and an e-mail has one account', async () => {
  const user = await add('Anna.Bee@Example.com');
  expect(user).toMatchObject({
    email: 'Anna.Bee@Example.com',
    displayName: 'Anna.Bee',
    passwordHash: 'hash',
    role: 'trader',
    verified: false,
    emailVerified: false,
    has2fa: false,
  });
  expect(await findUserByEmail(db, 'anna.bee@example.COM')).toEqual(user);
  expect(await findUser(db, user.id)).toEqual(user);
  expect(await addUser(db, { email: 'ANNA.BEE@example.com', passwordHash: 'other', role: 'admin' })).toBeNull();
  expect(await findUserByEmail(db, 'nobody@example.com')).toBeNull();
  expect(await findUser(db, randomUUID())).toBeNull();
});

test('an account that an admin vouches for is verified, with its e-mail', async () => {
  expect(await addUser(db, { email: 'known@example.com', passwordHash: 'x', role: 'operator', verified: true })).toMatchObject({
    verified: true,
    emailVerified: true,
  });
});

test('a change keeps everything else, says when it was, and changes nobody else', async () => {
  const [user, other] = [await add('changed@example.com'), await add('unchanged@example.com')];
  await sleep(2); // later than it was made, as far as a clock of milliseconds says
  const changed = await updateUser(db, user.id, { role: 'operator', has2fa: true });
  expect(changed).toEqual({ ...user, role: 'operator', has2fa: true, updatedAt: changed?.updatedAt });
  expect(changed?.updatedAt.getTime()).toBeGreaterThan(user.updatedAt.getTime());
  expect(await findUser(db, user.id)).toEqual(changed);
  expect(await findUser(db, other.id)).toEqual(other);
  expect(await updateUser(db, randomUUID(), { role: 'admin' })).toBeNull();
});

test('an account is locked only with the password and the second factor that were read before', async () => {
  const user = await add('locked@example.com');
  const lock = (read: Partial<typeof user>) => db.transaction().execute((trx) => lockUnchanged(trx, { ...user, ...read }));
  expect(await lock({})).toEqual(user);
  expect(await lock({ passwordHash: 'earlier' })).toBeNull();
  expect(await lock({ has2fa: true })).toBeNull();
  expect(await lock({ id: randomUUID() })).toBeNull();
});

test('while an account is locked its password cannot change, and a row that names it can be written', async () => {
  const user = await add('busy@example.com');
  await db.transaction().execute(async (trx) => {
    await lockUnchanged(trx, user);
    await expect(
      db.transaction().execute(async (second) => {
        await sql`set local lock_timeout = 1`.execute(second);
        await updateUser(second, user.id, { passwordHash: 'new' });
      }),
    ).rejects.toThrow('lock timeout');
    await db
      .insertInto('halfLogins')
      .values({ hash: Buffer.from('half'), userId: user.id, expiresAt: new Date() })
      .execute();
  });
});
