import { type Selectable, sql } from 'kysely';
import type { Database } from '../database.ts';
import { emailKey } from './email-key.ts';
import type { Schema } from '../schema.ts';

/** An account. */
export type User = Selectable<Schema['users']>;

/** Makes an account; null when its e-mail is taken. */
export async function addUser(
  db: Database,
  user: { email: string; passwordHash: string; role: User['role']; verified?: boolean },
): Promise<User | null> {
  const added = await db
    .insertInto('users')
    .values({
      email: user.email,
      emailKey: emailKey(user.email),
      displayName: user.email.split('@')[0] ?? user.email,
      passwordHash: user.passwordHash,
      role: user.role,
      verified: user.verified ?? false,
      emailVerified: user.verified ?? false,
      verificationDecidedAt: user.verified === true ? new Date() : null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  return added ?? null;
}

/** The account with this e-mail, in any spelling of it. */
export async function findUserByEmail(db: Database, email: string): Promise<User | null> {
  return (await db.selectFrom('users').selectAll().where('emailKey', '=', emailKey(email)).executeTakeFirst()) ?? null;
}

/** The accounts of people who are called this, in any case of letters. */
export async function findUsersByName(db: Database, name: string): Promise<User[]> {
  return db
    .selectFrom('users')
    .selectAll()
    .where(sql`lower(display_name)`, '=', name.toLowerCase())
    .orderBy('email')
    .execute();
}

/**
 * The account if its password and second factor are still those that were read before, locked until the transaction
 * ends; else null. What is done meanwhile, such as beginning a session, cannot cross a change of the password: either
 * the change waits and ends the session, or the change came first and there is no session.
 */
export async function lockUnchanged(trx: Database, read: Pick<User, 'id' | 'passwordHash' | 'has2fa'>): Promise<User | null> {
  const user = await trx
    .selectFrom('users')
    .selectAll()
    .where('id', '=', read.id)
    .where('passwordHash', '=', read.passwordHash)
    .where('has2fa', '=', read.has2fa)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return user ?? null;
}

/**
 * Locks accounts until the transaction ends and gives them as they are then, by id. They are locked in one statement, in
 * the sequence of their ids, so that two callers that need the same accounts wait for each other and never block each other.
 * `against` says what waits: changes of the accounts, or sign-ins and reads under lock too, for one who will change them.
 */
export async function lockUsers(trx: Database, ids: readonly string[], against: 'changes' | 'locks'): Promise<Map<string, User>> {
  const select = trx.selectFrom('users').selectAll().where('id', 'in', ids).orderBy('id');
  const users = await (against === 'changes' ? select.forShare() : select.forNoKeyUpdate()).execute();
  return new Map(users.map((user) => [user.id, user]));
}

/** The account with this id. */
export async function findUser(db: Database, id: string): Promise<User | null> {
  return (await db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
}

/** The accounts without a second factor: of admins, or all. */
export async function listWithoutTwoFactor(db: Database, of: 'admins' | 'all'): Promise<string[]> {
  const select = db.selectFrom('users').select('id').where('has2fa', '=', false);
  const rows = await (of === 'admins' ? select.where('role', '=', 'admin') : select).execute();
  return rows.map(({ id }) => id);
}

/** Whether any account has the role admin. */
export async function hasAdmin(db: Database): Promise<boolean> {
  return (await db.selectFrom('users').select('id').where('role', '=', 'admin').limit(1).executeTakeFirst()) !== undefined;
}

/** Whether there is no account at all. */
export async function hasNoUsers(db: Database): Promise<boolean> {
  return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) === undefined;
}

/** Changes an account; null when there is none. */
export async function updateUser(
  db: Database,
  id: string,
  changes: Partial<
    Pick<
      User,
      | 'passwordHash'
      | 'role'
      | 'verified'
      | 'emailVerified'
      | 'has2fa'
      | 'mailedCodes'
      | 'passwordResetAt'
      | 'secondFactorMisses'
      | 'verificationDecidedAt'
    >
  >,
): Promise<User | null> {
  const changed = await db
    .updateTable('users')
    .set({ ...changes, updatedAt: new Date() })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  return changed ?? null;
}

/** Counts a second factor that is about to be compared, and gives how many there were since the last right one. */
export async function countSecondFactor(db: Database, id: string): Promise<number> {
  const counted = await db
    .updateTable('users')
    .set((eb) => ({ secondFactorMisses: eb('secondFactorMisses', '+', 1) }))
    .where('id', '=', id)
    .returning('secondFactorMisses')
    .executeTakeFirst();
  return counted?.secondFactorMisses ?? 0;
}

/** Takes one back that was counted and not compared. */
export async function uncountSecondFactor(db: Database, id: string): Promise<void> {
  await db
    .updateTable('users')
    .set((eb) => ({ secondFactorMisses: eb('secondFactorMisses', '-', 1) }))
    .where('id', '=', id)
    .where('secondFactorMisses', '>', 0)
    .execute();
}

/** The e-mail addresses of all admins. */
export async function adminEmails(db: Database): Promise<string[]> {
  return (await db.selectFrom('users').select('email').where('role', '=', 'admin').orderBy('email').execute()).map(({ email }) => email);
}

/** Removes an account that has done nothing yet. */
export async function removeUser(db: Database, id: string): Promise<void> {
  await db.deleteFrom('users').where('id', '=', id).execute();
}
