import { minuteMs } from '#engine/market/durations.ts';
import type { Database } from '#storage/database.ts';
import type { InstallationSettings } from '#storage/installation/installation-settings.ts';
import { readSettings } from '#storage/installation/installation-settings.ts';
import { addSession, addToken, endOldestSessions, endSession, findSession, lockSession, replaceToken } from '#storage/auth/sessions.ts';
import type { Caller } from '../calls/caller.ts';
import { openWith, sealWith } from '#vault/seal.ts';
import { newToken, tokenHash } from '../http/tokens.ts';

/** How long things last, in ms; the length of a session and its idle time are settings. */
export const sessionLife = {
  access: 15 * minuteMs, // at most; after it a call answers 401 and the browser renews
  grace: 30_000, // an old token still leads to its successor, for other tabs and lost answers
} as const;

const sessionsPerUser = 10;

/** A token for the browser, and how long it may keep it. */
export interface IssuedToken {
  token: string;
  lifeMs: number;
}

/** Begins a session and gives its first token. */
export async function beginSession(
  db: Database,
  userId: string,
  now: Date,
  address: string,
  device: string | null = null,
): Promise<IssuedToken> {
  const token = newToken();
  const settings = await readSettings(db);
  const endsAt = new Date(now.getTime() + settings.sessionLifeMinutes * minuteMs);
  await addSession(db, { userId, now, endsAt, address, device }, { hash: tokenHash(token), ...untilFrom(now, endsAt, settings) });
  await endOldestSessions(db, userId, now, sessionsPerUser);
  return { token, lifeMs: endsAt.getTime() - now.getTime() };
}

/** The person behind a token, or null: unknown, too old, ended, or replaced longer ago than the grace. */
export async function callerOf(db: Database, token: string, now: Date): Promise<Caller | null> {
  const found = await findSession(db, tokenHash(token));
  if (found === null || found.revokedAt !== null || found.endsAt <= now || found.accessUntil <= now) return null;
  if (found.replacedAt !== null && now.getTime() - found.replacedAt.getTime() > sessionLife.grace) return null;
  const { user } = found;
  return {
    id: user.id,
    email: user.email,
    role: user.role,
    verified: user.verified,
    emailVerified: user.emailVerified,
    has2fa: user.has2fa,
    sessionId: found.sessionId,
    authenticatedAt: found.authenticatedAt,
  };
}

/** What became of an attempt to renew a session; a token of null: the browser has a newer one already. */
export type Renewal =
  | { state: 'renewed'; token: string | null; lifeMs: number }
  | { state: 'expired' }
  | { state: 'stolen'; sessionId: string; userId: string };

/**
 * Renews a session: a token is replaced by a successor. Within the grace the same successor is given again; when that
 * has been replaced too, the call comes from a slow tab of a browser that has the newest one, and gets none: an older
 * one would push that out of the browser. After the grace a second use means that two parties hold the token, and the
 * session ends.
 *
 * Needs: a transaction, so that two renewals of a token run one after the other
 */
export async function renewSession(trx: Database, token: string, now: Date): Promise<Renewal> {
  const found = await lockSession(trx, tokenHash(token));
  if (found === null) return { state: 'expired' };
  const { session } = found;
  if (session.revokedAt !== null || session.endsAt <= now || found.token.refreshUntil <= now) return { state: 'expired' };
  const lifeMs = session.endsAt.getTime() - now.getTime();
  if (found.token.replacedAt !== null) {
    const age = now.getTime() - found.token.replacedAt.getTime();
    if (age <= sessionLife.grace) {
      const { successor } = found.token;
      return { state: 'renewed', token: successor === null ? null : openWith(token, 'session successor', successor), lifeMs };
    }
    await endSession(trx, session.id, now, 'a replaced token was used again');
    return { state: 'stolen', sessionId: session.id, userId: session.userId };
  }
  const successor = newToken();
  await addToken(trx, session.id, { hash: tokenHash(successor), ...untilFrom(now, session.endsAt, await readSettings(trx)) });
  await replaceToken(trx, found.token, now, sealWith(token, 'session successor', successor));
  return { state: 'renewed', token: successor, lifeMs };
}

/** A browser in use renews when access has ended, so that must be well before the session counts as idle. */
function untilFrom(
  now: Date,
  endsAt: Date,
  { sessionIdleMinutes }: Pick<InstallationSettings, 'sessionIdleMinutes'>,
): { accessUntil: Date; refreshUntil: Date } {
  const idle = sessionIdleMinutes * minuteMs;
  const within = (life: number): Date => new Date(Math.min(now.getTime() + life, endsAt.getTime()));
  return { accessUntil: within(Math.min(sessionLife.access, idle / 2)), refreshUntil: within(idle) };
}
