import { texts } from '#contract/errors.ts';
import type { Database } from '#storage/database.ts';
import type { User } from '#storage/users/users.ts';
import { lockCaller } from '../auth/lock-caller.ts';
import type { Caller } from '../calls/caller.ts';
import { HttpError } from '../http/http-error.ts';

/**
 * Locks the caller's account with those it wants to act on, and gives them by id. Fails unless the caller is an admin under
 * that lock and the session of the call has not ended: one whose role was taken away while the call waited changes nothing.
 *
 * Needs: as `lockCaller`
 */
export async function lockAsAdmin(
  trx: Database,
  caller: Caller,
  userIds: readonly string[],
  against: 'changes' | 'locks',
): Promise<Map<string, User>> {
  const users = await lockCaller(trx, caller, userIds, against);
  if (users.get(caller.id)?.role !== 'admin') throw new HttpError(403, texts.adminRequired);
  return users;
}
