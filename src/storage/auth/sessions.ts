import { dayMs } from '#engine/market/durations.ts';
import type { ExpressionBuilder, Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { prepared } from '../prepared.ts';
import type { Schema } from '../schema.ts';
import type { User } from '../users/users.ts';

/** A signed-in device. */
export type Session = Selectable<Schema['sessions']>;

/** A token of a session; only its hash is kept. */
export type SessionToken = Selectable<Schema['sessionTokens']>;

/** What a token leads to: its session and account, whatever their state. */
export interface FoundSession {
  sessionId: string;
  accessUntil: Date;
  replacedAt: Date | null;
  authenticatedAt: Date;
  endsAt: Date;
  revokedAt: Date | null;
  user: Pick<User, 'id' | 'email' | 'role' | 'verified' | 'emailVerified' | 'has2fa'>;
}

const sessionByToken = prepared('session by token', (db, of: { hash: Buffer }) =>
  db
    .selectFrom('sessionTokens')
    .innerJoin('sessions', 'sessions.id', 'sessionTokens.sessionId')
    .innerJoin('users', 'users.id', 'sessions.userId')
    .select([
      'sessionTokens.sessionId',
      'sessionTokens.accessUntil',
      'sessionTokens.replacedAt',
      'sessions.authenticatedAt',
      'sessions.endsAt',
      'sessions.revokedAt',
      'users.id',
      'users.email',
      'users.role',
      'users.verified',
      'users.emailVerified',
      'users.has2fa',
    ])
    .where('sessionTokens.hash', '=', of.hash),
);

/** The session and account behind a token's hash; null for an unknown token. One query: it runs at every call. */
export async function findSession(db: Database, hash: Buffer): Promise<FoundSession | null> {
  const [row] = await sessionByToken(db, { hash });
  if (row === undefined) return null;
  const { sessionId, accessUntil, replacedAt, authenticatedAt, endsAt, revokedAt, ...user } = row;
  return { sessionId, accessUntil, replacedAt, authenticatedAt, endsAt, revokedAt, user };
}

/** The same, with the token locked until the transaction ends, so that two renewals run one after the other. */
export async function lockSession(db: Database, hash: Buffer): Promise<{ token: SessionToken; session: Session } | null> {
  const token = await db.selectFrom('sessionTokens').selectAll().where('hash', '=', hash).forUpdate().executeTakeFirst();
  if (token === undefined) return null;
  return { token, session: await db.selectFrom('sessions').selectAll().where('id', '=', token.sessionId).executeTakeFirstOrThrow() };
}

/** Begins a session with its first token. */
export async function addSession(
  db: Database,
  session: { userId: string; now: Date; endsAt: Date; address: string; device?: string | null },
  token: Pick<SessionToken, 'hash' | 'accessUntil' | 'refreshUntil'>,
): Promise<Session> {
  const added = await db
    .insertInto('sessions')
    .values({
      userId: session.userId,
      startedAt: session.now,
      authenticatedAt: session.now,
      lastSeenAt: session.now,
      endsAt: session.endsAt,
      address: session.address,
      device: session.device ?? null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await addToken(db, added.id, token);
  return added;
}

/** Adds a token to a session. */
export async function addToken(
  db: Database,
  sessionId: string,
  token: Pick<SessionToken, 'hash' | 'accessUntil' | 'refreshUntil'>,
): Promise<void> {
  await db
    .insertInto('sessionTokens')
    .values({ ...token, sessionId })
    .execute();
}

/**
 * Marks a token as replaced by a sealed successor. The sealed successors of the session's earlier tokens are wiped, so
 * that what lies in the database never leads to a token that still works for long.
 */
export async function replaceToken(db: Database, token: SessionToken, now: Date, successor: Buffer): Promise<void> {
  await db
    .updateTable('sessionTokens')
    .set({ successor: null })
    .where('sessionId', '=', token.sessionId)
    .where('hash', '!=', token.hash)
    .execute();
  await db.updateTable('sessionTokens').set({ replacedAt: now, successor }).where('hash', '=', token.hash).execute();
  await db.updateTable('sessions').set({ lastSeenAt: now }).where('id', '=', token.sessionId).execute();
}

/** The sessions of an account that can still be used, the one seen last first. */
export async function listLiveSessions(
  db: Database,
  userId: string,
  now: Date,
): Promise<Pick<Session, 'id' | 'startedAt' | 'lastSeenAt' | 'address' | 'device'>[]> {
  return db
    .selectFrom('sessions')
    .select(['id', 'startedAt', 'lastSeenAt', 'address', 'device'])
    .where('userId', '=', userId)
    .where('revokedAt', 'is', null)
    .where('endsAt', '>', now)
    .where(isRenewable(now))
    .orderBy('lastSeenAt', 'desc')
    .orderBy('id')
    .execute();
}

/** Whether a session has not been idle for too long. */
function isRenewable(now: Date) {
  return (where: ExpressionBuilder<Schema, 'sessions'>) =>
    where.exists(
      where
        .selectFrom('sessionTokens')
        .select('hash')
        .whereRef('sessionTokens.sessionId', '=', 'sessions.id')
        .where('replacedAt', 'is', null)
        .where('refreshUntil', '>', now),
    );
}

/** Ends one session, of this account when one is named; false when it has ended already or is another's. */
export async function endSession(db: Database, sessionId: string, now: Date, why: string, userId?: string): Promise<boolean> {
  let ending = db
    .updateTable('sessions')
    .set({ revokedAt: now, revokedWhy: why })
    .where('id', '=', sessionId)
    .where('revokedAt', 'is', null);
  if (userId !== undefined) ending = ending.where('userId', '=', userId);
  const ended = await ending.executeTakeFirst();
  return ended.numUpdatedRows === 1n;
}

/** Ends all sessions of an account, but for one, and gives how many. */
export async function endSessionsOf(db: Database, userId: string, now: Date, why: string, exceptSessionId: string | null): Promise<number> {
  const ended = await db
    .updateTable('sessions')
    .set({ revokedAt: now, revokedWhy: why })
    .where('id', 'in', (eb) => {
      const live = liveSessionsOf(eb, [userId]);
      return exceptSessionId === null ? live : live.where('id', '!=', exceptSessionId);
    })
    .executeTakeFirst();
  return Number(ended.numUpdatedRows);
}

/** Ends every session of everybody, and gives how many. */
export async function endAllSessions(db: Database, now: Date, why: string): Promise<number> {
  const ended = await db.updateTable('sessions').set({ revokedAt: now, revokedWhy: why }).where('revokedAt', 'is', null).executeTakeFirst();
  await db.deleteFrom('halfLogins').execute();
  return Number(ended.numUpdatedRows);
}

/** Ends all sessions of several accounts. Needs: a transaction that has locked them */
export async function endSessionsOfAll(trx: Database, userIds: readonly string[], now: Date, why: string): Promise<void> {
  if (userIds.length === 0) return;
  await trx
    .updateTable('sessions')
    .set({ revokedAt: now, revokedWhy: why })
    .where('id', 'in', (eb) => liveSessionsOf(eb, userIds))
    .execute();
}

/** Lets no session of these accounts last longer than `lifeMs` from its start. Needs: a transaction that has locked them */
export async function shortenSessions(trx: Database, userIds: readonly string[], lifeMs: number): Promise<void> {
  if (userIds.length === 0) return;
  await trx
    .updateTable('sessions')
    .set({ endsAt: sql<Date>`least(ends_at, started_at + ${`${lifeMs} milliseconds`}::interval)` })
    .where('id', 'in', (eb) => liveSessionsOf(eb, userIds))
    .execute();
}

/** The accounts that have a session which has not ended. */
export async function listSignedIn(db: Database, now: Date): Promise<string[]> {
  const live = db.selectFrom('sessions').select('userId').distinct().where('revokedAt', 'is', null).where('endsAt', '>', now);
  return (await live.execute()).map(({ userId }) => userId);
}

/** Sessions are locked in the sequence of their ids, so that two callers that end the same ones never block each other. */
function liveSessionsOf(eb: ExpressionBuilder<Schema, 'sessions'>, userIds: readonly string[]) {
  return eb
    .selectFrom('sessions')
    .select('id')
    .where('userId', 'in', userIds)
    .where('revokedAt', 'is', null)
    .orderBy('id')
    .forNoKeyUpdate();
}

/** Ends the oldest sessions of an account beyond the newest `keep` that somebody can still use. */
export async function endOldestSessions(db: Database, userId: string, now: Date, keep: number): Promise<void> {
  const old = await db
    .selectFrom('sessions')
    .select('id')
    .where('userId', '=', userId)
    .where('revokedAt', 'is', null)
    .where('endsAt', '>', now)
    .where(isRenewable(now))
    .orderBy('startedAt', 'desc')
    .offset(keep)
    .execute();
  for (const { id } of old) await endSession(db, id, now, 'too many sessions');
}

/** Whether the session has not been ended; if so it cannot be ended until the transaction is over. */
export async function lockLiveSession(trx: Database, sessionId: string): Promise<boolean> {
  const row = await trx
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', sessionId)
    .where('revokedAt', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

/** Notes that the password of a session was checked again; false when the session has ended. */
export async function noteAuthenticated(db: Database, sessionId: string, now: Date): Promise<boolean> {
  const noted = await db
    .updateTable('sessions')
    .set({ authenticatedAt: now })
    .where('id', '=', sessionId)
    .where('revokedAt', 'is', null)
    .executeTakeFirst();
  return noted.numUpdatedRows === 1n;
}

/** Remembers a right password whose second factor is missing; one that is there already lives longer. */
export async function addHalfLogin(db: Database, hash: Buffer, userId: string, expiresAt: Date): Promise<void> {
  await db
    .insertInto('halfLogins')
    .values({ hash, userId, expiresAt })
    .onConflict((conflict) => conflict.column('hash').doUpdateSet({ expiresAt }))
    .execute();
}

/** Uses a half login up; false when it has been used or ended meanwhile. */
export async function takeHalfLogin(db: Database, hash: Buffer): Promise<boolean> {
  return (await db.deleteFrom('halfLogins').where('hash', '=', hash).executeTakeFirst()).numDeletedRows === 1n;
}

/** The account of a half login that has not run out. */
export async function findHalfLogin(db: Database, hash: Buffer, now: Date): Promise<string | null> {
  const row = await db.selectFrom('halfLogins').select('userId').where('hash', '=', hash).where('expiresAt', '>', now).executeTakeFirst();
  return row?.userId ?? null;
}

/** Whether the half login can still be used; if so nobody else can until the transaction is over. */
export async function lockHalfLogin(trx: Database, hash: Buffer, now: Date): Promise<boolean> {
  const row = await trx
    .selectFrom('halfLogins')
    .select('hash')
    .where('hash', '=', hash)
    .where('expiresAt', '>', now)
    .forUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

/** Ends the half logins of an account. */
export async function endHalfLogins(db: Database, userId: string): Promise<void> {
  await db.deleteFrom('halfLogins').where('userId', '=', userId).execute();
}

/** Removes sessions, tokens, half logins, codes, challenges, counters and idempotency keys that nobody can use any more. */
export async function removeExpired(db: Database, now: Date): Promise<void> {
  const dayAgo = new Date(now.getTime() - dayMs);
  await db.deleteFrom('sessions').where('endsAt', '<', dayAgo).execute();
  await db.deleteFrom('sessionTokens').where('refreshUntil', '<', dayAgo).execute();
  await db.deleteFrom('halfLogins').where('expiresAt', '<', now).execute();
  await db.deleteFrom('passkeyChallenges').where('expiresAt', '<', now).execute();
  await db.deleteFrom('codes').where('expiresAt', '<', dayAgo).execute();
  await db.deleteFrom('limitCounters').where('resetsAt', '<', now).execute();
  await db.deleteFrom('idempotencyKeys').where('expiresAt', '<', now).execute();
}
