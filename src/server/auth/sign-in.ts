import { appAsked, passkeyAsked, secondFactorUsedUp, twoFactorSent, verificationSent } from '#contract/auth.ts';
import type { CallReply } from '#contract/client.ts';
import type { Database } from '#storage/database.ts';
import { emailKey } from '#storage/users/email-key.ts';
import { addMail } from '#storage/mails/mail-outbox.ts';
import { addHalfLogin, endSession, findHalfLogin, findSession, takeHalfLogin } from '#storage/auth/sessions.ts';
import type { User } from '#storage/users/users.ts';
import { findUser, findUserByEmail, lockUnchanged } from '#storage/users/users.ts';
import { audit } from '../audit/audit.ts';
import type { Call, Handlers } from '../calls/call.ts';
import { HttpError } from '../http/http-error.ts';
import { mails } from '#mail/texts.ts';
import type { ServerDependencies } from '../server-dependencies.ts';

import { codeLife } from './codes.ts';
import { isDeviceMark } from './device.ts';
import { ownFactors } from './factor-account.ts';
import { addressKey, limits, spend } from './limits.ts';
import { isMailDue, mailCode } from './mail-code.ts';
import { openSession } from './open-session.ts';
import { countedTry } from './password-tries.ts';
import { isPassword } from './passwords.ts';
import { mostMisses } from './second-factor-tries.ts';
import { sessionUserOf } from './session-user.ts';
import { renewSession } from './sessions.ts';
import { newToken, tokenHash } from '../http/tokens.ts';

/** Sign-in with a password, and the session that comes of it. */
export function signInHandlers(dependencies: ServerDependencies): Pick<Handlers, 'getMe' | 'login' | 'logout' | 'refreshSession'> {
  const { db, pepper } = dependencies;
  return {
    getMe: async ({ caller }) => sessionUserOf(caller),

    async login(call) {
      const { email, password } = call.body;
      const here = addressKey(call.address);
      await spend(db, limits.signIns, here, call.now);
      const user = await findUserByEmail(db, email);
      const refuse = async (): Promise<never> => {
        await audit(db, call, user, 'sign-in', 'refused');
        throw new HttpError(401, 'Invalid email or password');
      };
      const isKnownDevice = user !== null && isDeviceMark(pepper, user, call.cookies.read('device'));
      const isRight = await countedTry(db, { account: emailKey(email), here, isKnownDevice, now: call.now }, () =>
        isPassword(user?.passwordHash ?? null, password),
      );
      if (user === null || !isRight) return refuse();
      const askForCode = async (): Promise<CallReply<'login'>> => {
        if (user.secondFactorMisses >= mostMisses) {
          await audit(db, call, user, 'sign-in', 'refused', { detail: { reason: 'too many wrong 2FA codes' } });
          throw new HttpError(403, secondFactorUsedUp);
        }
        const own = user.has2fa ? await ownFactors(db, user.id) : null;
        if (!(await beginHalfLogin(dependencies, call, user, own !== null))) return refuse();
        const { email: address, id: userId, mailedCodes } = user;
        if (own !== null) {
          const status = own.app === null ? passkeyAsked : appAsked;
          return { status, email: address, userId, mailed_codes: mailedCodes, passkeys: own.hasPasskeys };
        }
        return { status: twoFactorSent, email: address, userId };
      };
      if (user.has2fa) return askForCode();
      if (!user.emailVerified) {
        // A sign-in does not fail because a mail did; a new code can be asked for on the next screen.
        if (await isMailDue(db, 'verification', user.email, call.now))
          await mailCode(dependencies, call, { email: user.email, user, purpose: 'verification', holder: '' }).catch((error: unknown) =>
            call.log.error({ err: error }, 'no verification code was mailed'),
          );
        return { status: verificationSent, ...sessionUserOf(user) };
      }
      const opened = await openSession(dependencies, call, user, { proof: 'password', action: 'sign-in' });
      if (opened === null) return refuse(); // the password has just been changed
      if (!opened.isSignedIn) return askForCode(); // a second factor is required and missing
      return { status: 'Login successful', ...sessionUserOf(opened.user) };
    },

    async logout(call) {
      // By the token alone, whatever its age: a session that is idle could still be renewed.
      const token = call.cookies.read('session');
      const found = token === null ? null : await findSession(db, tokenHash(token));
      if (found !== null)
        await db.transaction().execute(async (trx) => {
          if (await endSession(trx, found.sessionId, call.now, 'signed out')) await audit(trx, call, found.user, 'sign-out', 'ok');
        });
      const half = call.cookies.read('halfLogin');
      if (half !== null) await takeHalfLogin(db, tokenHash(half));
      call.cookies.clear('session');
      call.cookies.clear('halfLogin');
      call.cookies.clearCache();
      return { status: 'Logged out' };
    },

    async refreshSession(call) {
      const token = call.cookies.read('session');
      const renewal =
        token === null
          ? { state: 'expired' as const }
          : await db.transaction().execute(async (trx) => {
              const renewed = await renewSession(trx, token, call.now);
              if (renewed.state === 'stolen') await reportStolen(trx, call, renewed);
              return renewed;
            });
      if (renewal.state === 'renewed') {
        if (renewal.token !== null) call.cookies.set('session', renewal.token, renewal.lifeMs);
        return { status: 'Session refreshed' };
      }
      call.cookies.clear('session');
      throw new HttpError(401, 'Session expired');
    },
  };
}

/** A session that two parties held was ended: its owner is mailed, and the log has a line, with the end of the session. */
async function reportStolen(
  trx: Database,
  call: Pick<Call<'login'>, 'address' | 'requestId'>,
  stolen: { sessionId: string; userId: string },
): Promise<void> {
  const user = await findUser(trx, stolen.userId);
  if (user !== null) await addMail(trx, mails.sessionEnded(user.email));
  await audit(trx, call, user, 'refresh-reuse', 'refused', { target: stolen.sessionId });
}

/**
 * Remembers that the password was right and mails the code that only this browser may enter, unless a factor of their own is asked for; false when the
 * password was changed meanwhile. A browser that signs in twice keeps its half login, so that the code it was mailed stays good.
 */
async function beginHalfLogin(
  dependencies: ServerDependencies,
  call: Pick<Call<'login'>, 'cookies' | 'now' | 'address' | 'requestId'>,
  user: User,
  hasOwn: boolean,
): Promise<boolean> {
  const { db } = dependencies;
  const given = call.cookies.read('halfLogin');
  const isKept = given !== null && (await findHalfLogin(db, tokenHash(given), call.now)) === user.id;
  const half = isKept ? given : newToken();
  const hash = tokenHash(half);
  const isAdded = await db.transaction().execute(async (trx) => {
    if ((await lockUnchanged(trx, user)) === null) return false;
    await addHalfLogin(trx, hash, user.id, new Date(call.now.getTime() + codeLife['two-factor-login']));
    return true;
  });
  if (!isAdded) return false;
  if (!hasOwn && (await isMailDue(db, 'two-factor-login', user.email, call.now)))
    await mailCode(dependencies, call, { email: user.email, user, purpose: 'two-factor-login', holder: hash.toString('base64url') });
  call.cookies.set('halfLogin', half, codeLife['two-factor-login']);
  return true;
}
