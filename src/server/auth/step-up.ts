import { minuteMs } from '#engine/market/durations.ts';
import { texts } from '#contract/errors.ts';
import { noteAuthenticated } from '#storage/auth/sessions.ts';
import { findUser, lockUnchanged, type User } from '#storage/users/users.ts';
import { audit } from '../audit/audit.ts';
import type { Call, Handlers } from '../calls/call.ts';
import type { Caller } from '../calls/caller.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { limits, refund, spend } from './limits.ts';
import { isPassword } from './passwords.ts';

/** A password checked this recently need not be entered again, in ms. */
const freshMs = 10 * minuteMs;

/** Whether the password of this session was checked within the last ten minutes. A check in hours to come is one of a clock that was ahead. */
export function isFresh(caller: Pick<Caller, 'authenticatedAt'>, now: Date): boolean {
  return Math.abs(now.getTime() - caller.authenticatedAt.getTime()) <= freshMs;
}

/** Fails with 403 unless the password of this session was checked within the last ten minutes. */
export function requireStepUp(caller: Pick<Caller, 'authenticatedAt'>, now: Date): void {
  if (!isFresh(caller, now)) throw new HttpError(403, texts.passwordNeeded);
}

/**
 * Checks the current password of a person who is signed in, at most five wrong ones in a quarter of an hour.
 *
 * Fails: 403 when it is wrong, 429 after too many
 */
export async function checkCurrentPassword({ db }: ServerDependencies, user: User, password: string, now: Date): Promise<void> {
  const key = `${user.id} step-up`;
  await spend(db, limits.wrongPasswordsHere, key, now); // before the check: of many at once only those within the limit count
  let isRight: boolean;
  try {
    isRight = await isPassword(user.passwordHash, password);
  } catch (error) {
    await refund(db, limits.wrongPasswordsHere, key, now); // it was not checked: the server is too busy
    throw error;
  }
  if (!isRight) throw new HttpError(403, texts.wrongPassword);
  await refund(db, limits.wrongPasswordsHere, key, now);
}

/** The password again, before what must not be done by whoever finds an open browser. */
export function stepUpHandlers(dependencies: ServerDependencies): Pick<Handlers, 'confirmPassword'> {
  const { db } = dependencies;
  return {
    async confirmPassword(call: Call<'confirmPassword'>) {
      const { caller, now } = call;
      const user = await findUser(db, caller.id);
      if (user === null) throw new HttpError(401, texts.notAuthenticated);
      try {
        await checkCurrentPassword(dependencies, user, call.body.password, now);
      } catch (error) {
        if (error instanceof HttpError) await audit(db, call, caller, 'confirm-password', 'refused');
        throw error;
      }
      await db.transaction().execute(async (trx) => {
        // The password may have been changed, and with it this session ended, while it was checked.
        const isSame = (await lockUnchanged(trx, user)) !== null && (await noteAuthenticated(trx, caller.sessionId, now));
        if (!isSame) throw new HttpError(401, texts.notAuthenticated);
        await audit(trx, call, caller, 'confirm-password', 'ok');
      });
      return { status: 'Password confirmed' };
    },
  };
}
