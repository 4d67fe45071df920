import { noMailedCodes, noTwoFactorAfterReset, twoFactorSent } from '#contract/auth.ts';
import { texts } from '#contract/errors.ts';
import type { CodeKey } from '#storage/auth/codes.ts';
import { isCodeAwaited } from '#storage/auth/codes.ts';
import type { Database } from '#storage/database.ts';
import { emailKey } from '#storage/users/email-key.ts';
import { addMail } from '#storage/mails/mail-outbox.ts';
import { endHalfLogins, endSessionsOf, findHalfLogin, lockLiveSession, takeHalfLogin } from '#storage/auth/sessions.ts';
import type { User } from '#storage/users/users.ts';
import { findUser, lockUnchanged, updateUser } from '#storage/users/users.ts';
import { mails } from '#mail/texts.ts';
import { audit } from '../audit/audit.ts';
import type { Call, Handlers } from '../calls/call.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { isCode } from './codes.ts';
import { isMailDue, mailCode, refuseEarlyMail } from './mail-code.ts';
import { openSession } from './open-session.ts';
import { refuseAfterReset } from './recent-reset.ts';
import { countTry, reportMisses } from './second-factor-tries.ts';
import { sessionUserOf } from './session-user.ts';
import { tokenHash } from '../http/tokens.ts';

type TwoFactorCall = Pick<Call<'verifyTwoFactor'>, 'cookies' | 'caller' | 'now' | 'address' | 'device' | 'requestId'>;

/** A second factor that is awaited: of a half login, or of a set-up that a session has started. */
interface Pending {
  user: User;
  key: CodeKey;
  halfLogin: Buffer | null; // null: a set-up
}

/** The second factor by mail: a code at sign-in, and switching that on. */
export function twoFactorHandlers(
  dependencies: ServerDependencies,
): Pick<Handlers, 'setUpTwoFactor' | 'verifyTwoFactor' | 'resendTwoFactor'> {
  const { db } = dependencies;
  return {
    async setUpTwoFactor(call) {
      if (call.params.id !== call.caller.id) throw new HttpError(403, 'You can only set up 2FA for your own account');
      if (call.caller.has2fa) throw new HttpError(400, '2FA is already enabled');
      const user = await findUser(db, call.caller.id);
      if (user === null) throw new HttpError(401, texts.notAuthenticated);
      await refuseAfterReset(db, user.id, call.now, noTwoFactorAfterReset);
      const purpose = 'two-factor-set-up';
      if (await isMailDue(db, purpose, user.email, call.now))
        await mailCode(dependencies, call, { email: user.email, user, purpose, holder: call.caller.sessionId });
      return { status: twoFactorSent };
    },

    async verifyTwoFactor(call) {
      const pending = await pendingTwoFactor(dependencies, call);
      if (pending !== null && pending.user.id !== call.params.id) throw new HttpError(403, 'You can only set up 2FA for your own account');
      const proven = pending !== null && (await isRight(dependencies, call, pending)) ? await finish(dependencies, call, pending) : null;
      if (pending === null || proven === null) {
        const about = { detail: { reason: 'wrong 2FA code' } };
        if (pending?.halfLogin === null) await audit(db, call, pending.user, 'set-up-2fa', 'refused', about);
        else await audit(db, call, pending?.user ?? null, 'sign-in', 'refused', about);
        throw new HttpError(400, 'Invalid or expired 2FA code. Please try again.');
      }
      return { status: '2FA verified successfully', ...sessionUserOf(proven) };
    },

    async resendTwoFactor(call) {
      const pending = await pendingTwoFactor(dependencies, call);
      if (pending === null || pending.key.emailKey !== emailKey(call.body.email)) {
        throw new HttpError(400, 'Email not found. Please go back to login.');
      }
      const { user, key, halfLogin } = pending;
      if (halfLogin !== null && !user.mailedCodes) throw new HttpError(400, noMailedCodes);
      await refuseEarlyMail(db, key.purpose, user.email, call.now);
      await mailCode(dependencies, call, { email: user.email, user, purpose: key.purpose, holder: key.holder });
      return { status: 'A new 2FA code has been sent to your email' };
    },
  };
}

/** Whether the code of the call is the awaited one. Wrong ones of a sign-in are counted for good: they come from one who knows the password. */
async function isRight(
  dependencies: ServerDependencies,
  call: TwoFactorCall & Pick<Call<'verifyTwoFactor'>, 'body'>,
  pending: Pending,
): Promise<boolean> {
  const { db, pepper } = dependencies;
  const { user, key, halfLogin } = pending;
  if (halfLogin === null) return isCode(db, pepper, key, call.body.code, call.now);
  if (!user.mailedCodes) return false; // one that was mailed before the app became the only second factor
  const right = await isCode(db, pepper, key, call.body.code, call.now, () => countTry(dependencies, user.id));
  if (!right) await reportMisses(dependencies, call, user);
  return right;
}

/** Ends the half login with a session, or switches the second factor on; null when what it rests on has changed meanwhile. */
async function finish(dependencies: ServerDependencies, call: TwoFactorCall, { user, halfLogin }: Pending): Promise<User | null> {
  if (halfLogin !== null) {
    const prove = async (trx: Database): Promise<User | null> => {
      if (!(await takeHalfLogin(trx, halfLogin))) return null;
      await endHalfLogins(trx, user.id);
      return updateUser(trx, user.id, { emailVerified: true, secondFactorMisses: 0 }); // the code came out of the mailbox, so that is proven too
    };
    return (await openSession(dependencies, call, user, { proof: 'both', action: 'sign-in', prove }))?.user ?? null;
  }
  const sessionId = call.caller?.sessionId ?? '';
  return dependencies.db.transaction().execute(async (trx) => {
    if ((await lockUnchanged(trx, user)) === null || !(await lockLiveSession(trx, sessionId))) return null;
    const proven = await updateUser(trx, user.id, { has2fa: true });
    await endSessionsOf(trx, user.id, call.now, '2FA was switched on', sessionId);
    await addMail(trx, mails.twoFactorOn(user.email));
    await audit(trx, call, proven, 'set-up-2fa', 'ok');
    return proven;
  });
}

/** The second factor that is awaited of this browser, or null. */
async function pendingTwoFactor({ db }: ServerDependencies, call: TwoFactorCall): Promise<Pending | null> {
  const half = call.cookies.read('halfLogin');
  const halfLogin = half === null ? null : tokenHash(half);
  const userId = halfLogin === null ? null : await findHalfLogin(db, halfLogin, call.now);
  const user = userId === null ? null : await findUser(db, userId);
  if (halfLogin !== null && user !== null) {
    return { user, halfLogin, key: { emailKey: user.emailKey, purpose: 'two-factor-login', holder: halfLogin.toString('base64url') } };
  }
  const self = call.caller === null ? null : await findUser(db, call.caller.id);
  if (call.caller === null || self === null || self.has2fa) return null;
  const key = { emailKey: self.emailKey, purpose: 'two-factor-set-up', holder: call.caller.sessionId } as const;
  return (await isCodeAwaited(db, key)) ? { user: self, halfLogin: null, key } : null;
}
