import { minuteMs } from '#engine/market/durations.ts';
import { countSecondFactor, findUser, uncountSecondFactor, type User } from '#storage/users/users.ts';
import { addMail } from '#storage/mails/mail-outbox.ts';
import { mails } from '#mail/texts.ts';
import { audit } from '../audit/audit.ts';
import type { Call } from '../calls/call.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { isWithin, limits, usedUpUntil } from './limits.ts';

/** How many wrong second factors in a row an account bears; then its password has to be reset. */
export const mostMisses = 100;

type TriedCall = Pick<Call<'verifyTwoFactor'>, 'now' | 'address' | 'requestId'>;

/** Counts a second factor of a sign-in before it is compared; false when the account bears no more. */
export async function countTry({ db }: ServerDependencies, userId: string): Promise<boolean> {
  return (await countSecondFactor(db, userId)) <= mostMisses;
}

/** Takes back one that was counted and turned out to be none. */
export async function uncountTry({ db }: ServerDependencies, userId: string): Promise<void> {
  await uncountSecondFactor(db, userId);
}

/**
 * Mails the owner of an account when wrong second factors have locked it: whoever entered them knows the password. Ten
 * within an hour lock the codes until the hour is over, a hundred in a row the sign-in until the password is reset.
 */
export async function reportMisses(
  { db }: ServerDependencies,
  call: TriedCall,
  user: Pick<User, 'id' | 'email' | 'emailKey'>,
): Promise<void> {
  const tried = await findUser(db, user.id);
  const isOver = tried !== null && tried.secondFactorMisses >= mostMisses;
  const lockedUntil = await usedUpUntil(db, limits.wrongCodes, `two-factor-login ${user.emailKey}`, call.now);
  if (!isOver && lockedUntil === null) return;
  const kind = isOver ? 'over' : 'locked';
  if (!(await isWithin(db, limits.lockMail, `${kind} ${user.id}`, call.now))) return; // it has been said
  const minutes = Math.ceil(((lockedUntil ?? call.now).getTime() - call.now.getTime()) / minuteMs);
  await db.transaction().execute(async (trx) => {
    await addMail(trx, isOver ? mails.passwordResetNeeded(user.email) : mails.secondFactorLocked(user.email, minutes));
    if (isOver) await audit(trx, call, tried, 'password-reset-needed', 'refused');
    else await audit(trx, call, tried, 'second-factor-locked', 'refused');
  });
}
