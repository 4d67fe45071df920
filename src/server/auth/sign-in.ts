import { twoFactorSent } from '#contract/auth.ts';
import { addHalfLogin, endSession } from '#storage/sessions.ts';
import { findUser, findUserByEmail } from '#storage/users.ts';
import type { Handlers } from '../call.ts';
import { HttpError } from '../http-error.ts';
import { mails } from '../mail.ts';
import type { ServerParts } from '../parts.ts';
import { audit } from './audit.ts';
import { codeLife } from './codes.ts';
import { isDeviceMark } from './device.ts';
import { addressKey, forget, isUsedUp, isWithin, limits, spend } from './limits.ts';
import { mailCode } from './mail-code.ts';
import { openSession } from './open-session.ts';
import { isPassword } from './passwords.ts';
import { sessionUserOf } from './session-user.ts';
import { renewSession, sessionLife } from './sessions.ts';
import { newToken, tokenHash } from './tokens.ts';

/** Sign-in with a password, and the session that comes of it. */
export function signInHandlers(parts: ServerParts): Pick<Handlers, 'getMe' | 'login' | 'logout' | 'refreshSession'> {
  const { db, pepper } = parts;
  return {
    getMe: async ({ caller }) => sessionUserOf(caller),

    async login(call) {
      const { email, password } = call.body;
      const here = addressKey(call.address);
      await spend(db, limits.signIns, here, call.now);
      const user = await findUserByEmail(db, email.trim());
      const account = (user?.id ?? email.trim().toLowerCase()).slice(0, 300);
      const isKnownDevice = user !== null && isDeviceMark(pepper, user.id, call.cookies.read('device'));
      const isLocked =
        (await isUsedUp(db, limits.wrongPasswordsHere, `${account} ${here}`, call.now)) ||
        (!isKnownDevice && (await isUsedUp(db, limits.wrongPasswordsElsewhere, account, call.now)));
      // The work is done in every case: neither a lock nor an unknown account shows in the time.
      const fits = await isPassword(user?.passwordHash ?? null, password);
      if (user === null || !fits || isLocked) {
        await isWithin(db, limits.wrongPasswordsHere, `${account} ${here}`, call.now);
        if (!isKnownDevice) await isWithin(db, limits.wrongPasswordsElsewhere, account, call.now);
        await audit(db, call, user, 'sign-in', 'refused');
        throw new HttpError(401, 'Invalid email or password');
      }
      await forget(db, limits.wrongPasswordsHere, `${account} ${here}`);
      if (user.has2fa) {
        await mailCode(parts, user, 'two-factor-login', call.now, 'quietly when just sent');
        const half = newToken();
        await addHalfLogin(db, tokenHash(half), user.id, new Date(call.now.getTime() + codeLife['two-factor-login']));
        call.cookies.set('halfLogin', half, codeLife['two-factor-login']);
        return { status: twoFactorSent, email: user.email, userId: user.id };
      }
      if (!user.emailVerified) {
        // A sign-in does not fail because a mail did; a new code can be asked for on the next screen.
        await mailCode(parts, user, 'verification', call.now, 'quietly when just sent').catch((error: unknown) =>
          call.log.error({ err: error }, 'no verification code was mailed'),
        );
        return { status: 'Verification code sent to your email', ...sessionUserOf(user) };
      }
      await openSession(parts, call, user);
      await audit(db, call, user, 'sign-in', 'ok');
      return { status: 'Login successful', ...sessionUserOf(user) };
    },

    async logout(call) {
      if (call.caller !== null) {
        await endSession(db, call.caller.sessionId, call.now, 'signed out');
        await audit(db, call, call.caller, 'sign-out', 'ok');
      }
      call.cookies.clear('session');
      call.cookies.clear('halfLogin');
      return { status: 'Logged out' };
    },

    async refreshSession(call) {
      const token = call.cookies.read('session');
      const renewal = token === null ? { state: 'expired' as const } : await renewSession(db, token, call.now);
      if (renewal.state === 'renewed') {
        call.cookies.set('session', renewal.token, sessionLife.absolute);
        return { status: 'Session refreshed' };
      }
      if (renewal.state === 'stolen') {
        const user = await findUser(db, renewal.userId);
        await audit(db, call, user, 'refresh-reuse', 'refused', renewal.sessionId);
        if (user !== null)
          await parts.mailer
            .send(mails.sessionEnded(user.email))
            .catch((error: unknown) => call.log.error({ err: error }, 'the notice of an ended session was not mailed'));
      }
      call.cookies.clear('session');
      throw new HttpError(401, 'Session expired');
    },
  };
}
