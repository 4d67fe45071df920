import { dayMs } from '#engine/market/durations.ts';
import type { Database } from '#storage/database.ts';
import { findUser } from '#storage/users/users.ts';
import { HttpError } from '../http/http-error.ts';

/**
 * Fails with 403 and `text` on the day after a reset of the password: who has just taken over a mailbox must not be able
 * to keep its owner out, or to bring an exchange account of their own into somebody's bots, at once.
 */
export async function refuseAfterReset(db: Database, userId: string, now: Date, text: string): Promise<void> {
  const resetAt = (await findUser(db, userId))?.passwordResetAt ?? null;
  if (resetAt !== null && now.getTime() - resetAt.getTime() < dayMs) throw new HttpError(403, text);
}
