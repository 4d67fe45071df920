import { texts } from '#contract/errors.ts';
import type { Database } from '#storage/database.ts';
import { lockLiveSession } from '#storage/auth/sessions.ts';
import type { User } from '#storage/users/users.ts';
import { lockUsers } from '#storage/users/users.ts';
import type { Caller } from '../calls/caller.ts';
import { HttpError } from '../http/http-error.ts';

/**
 * Locks the caller's account with those it wants to act on, and gives them by id. Fails unless the caller is an admin under
 * that lock and the session of the call has not ended: one whose role was taken away while the call waited changes nothing.
 *
 * Needs: a transaction; its first lock, or its second after that of the installation's settings
 */
export async function lockAsAdmin(
  trx: Database,
  caller: Caller,
  userIds: readonly string[],
  against: 'changes' | 'locks',
): Promise<Map<string, User>> {
  const users = await lockUsers(trx, [caller.id, ...userIds], against);
  if (!(await lockLiveSession(trx, caller.sessionId))) throw new HttpError(401, texts.notAuthenticated);
  if (users.get(caller.id)?.role !== 'admin') throw new HttpError(403, texts.adminRequired);
  return users;
}
