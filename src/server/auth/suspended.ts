import { texts } from '#contract/errors.ts';
import type { Database } from '#storage/database.ts';
import { findUser } from '#storage/users/users.ts';
import { HttpError } from '../http/http-error.ts';

/**
 * Fails with 403 when one of these people is suspended: their account is not verified. They read, stop things and make them smaller; what
 * enters or enlarges, goes live, adds a key or lifts a halt is not for them.
 *
 * Needs: in a transaction, their accounts locked, as by `lockCaller`: a suspension waits for its end, or came first
 */
export async function refuseSuspended(db: Database, ...userIds: readonly string[]): Promise<void> {
  for (const id of new Set(userIds)) if ((await findUser(db, id))?.verified !== true) throw new HttpError(403, texts.notVerified);
}
