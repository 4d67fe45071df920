import { texts } from '#contract/errors.ts';
import { lockLiveSession } from '#storage/auth/sessions.ts';
import type { Database } from '#storage/database.ts';
import { lockUsers, type User } from '#storage/users/users.ts';
import type { Caller } from '../calls/caller.ts';
import { HttpError } from '../http/http-error.ts';

/**
 * Locks the caller's account with those it wants to act on, and the session of the call, and gives the accounts by id. Until the
 * transaction ends the session cannot, and with it not what the caller may do: a role, a standing and a password that change end it.
 *
 * Needs: a transaction; its first lock, or its second after that of the installation's settings or key
 * Fails: 401 when the session has ended meanwhile
 */
export async function lockCaller(
  trx: Database,
  caller: Caller,
  userIds: readonly string[],
  against: 'changes' | 'locks',
): Promise<Map<string, User>> {
  const users = await lockUsers(trx, [caller.id, ...userIds], against);
  if (!(await lockLiveSession(trx, caller.sessionId))) throw new HttpError(401, texts.notAuthenticated);
  return users;
}
