import type { Database } from '../database.ts';

/** Who has to sign a challenge: the browser of a half login, or of a session for one purpose. Each has one challenge at a time. */
export type ChallengeHolder = { halfLogin: Buffer } | { sessionId: string; purpose: 'add' | 'prove' };

/** Remembers what a passkey has to sign, in place of an earlier challenge of the same holder. Needs: a holder that is locked */
export async function addChallenge(trx: Database, holder: ChallengeHolder, challenge: Buffer, expiresAt: Date): Promise<void> {
  await deleteOf(trx, holder).execute();
  const bound =
    'halfLogin' in holder ? { purpose: 'sign-in' as const, halfLogin: holder.halfLogin, sessionId: null } : { ...holder, halfLogin: null };
  await trx
    .insertInto('passkeyChallenges')
    .values({ ...bound, challenge, expiresAt })
    .execute();
}

/** Uses the challenge of a holder up, in one statement; null when there is none or it has run out. */
export async function takeChallenge(trx: Database, holder: ChallengeHolder, now: Date): Promise<Buffer | null> {
  const taken = await deleteOf(trx, holder).returning(['challenge', 'expiresAt']).executeTakeFirst();
  return taken === undefined || taken.expiresAt <= now ? null : taken.challenge;
}

function deleteOf(trx: Database, holder: ChallengeHolder) {
  const all = trx.deleteFrom('passkeyChallenges');
  if ('halfLogin' in holder) return all.where('halfLogin', '=', holder.halfLogin);
  return all.where('sessionId', '=', holder.sessionId).where('purpose', '=', holder.purpose);
}
