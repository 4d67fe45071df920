import { twoFactorSent } from '#contract/auth.ts';
import { texts } from '#contract/errors.ts';
import { hasOpenCode } from '#storage/codes.ts';
import { endHalfLogins, endSessionsOf, findHalfLogin } from '#storage/sessions.ts';
import type { User } from '#storage/users.ts';
import { findUser, updateUser } from '#storage/users.ts';
import type { Call, Handlers } from '../call.ts';
import { HttpError } from '../http-error.ts';
import type { ServerParts } from '../parts.ts';
import { audit } from './audit.ts';
import { isCode } from './codes.ts';
import { limits, spend } from './limits.ts';
import { mailCode } from './mail-code.ts';
import { openSession } from './open-session.ts';
import { sessionUserOf } from './session-user.ts';
import { tokenHash } from './tokens.ts';

/** The second factor: a code by mail at sign-in, and switching that on. */
export function twoFactorHandlers(parts: ServerParts): Pick<Handlers, 'setUpTwoFactor' | 'verifyTwoFactor' | 'resendTwoFactor'> {
  const { db, pepper } = parts;
  return {
    async setUpTwoFactor(call) {
      if (call.params.id !== call.caller.id) throw new HttpError(403, 'You can only set up 2FA for your own account');
      if (call.caller.has2fa) throw new HttpError(400, '2FA is already enabled');
      const user = await findUser(db, call.caller.id);
      if (user === null) throw new HttpError(401, texts.notAuthenticated);
      await mailCode(parts, user, 'two-factor-set-up', call.now, 'quietly when just sent');
      return { status: twoFactorSent };
    },

    async verifyTwoFactor(call) {
      const { user, purpose } = await pendingTwoFactor(parts, call);
      if (user !== null && user.id !== call.params.id) throw new HttpError(403, 'You can only set up 2FA for your own account');
      if (user === null || !(await isCode(db, pepper, user.id, purpose, call.body.code, call.now))) {
        throw new HttpError(400, 'Invalid or expired 2FA code. Please try again.');
      }
      // A right code came out of the mailbox, so the mailbox is proven too.
      const proven = (await updateUser(db, user.id, purpose === 'two-factor-login' ? { emailVerified: true } : { has2fa: true })) ?? user;
      if (purpose === 'two-factor-login') {
        await endHalfLogins(db, user.id);
        await openSession(parts, call, proven);
      } else {
        await endSessionsOf(db, user.id, call.now, '2FA was switched on', call.caller?.sessionId ?? null);
      }
      await audit(db, call, proven, purpose === 'two-factor-login' ? 'sign-in' : 'set-up-2fa', 'ok');
      return { status: '2FA verified successfully', ...sessionUserOf(proven) };
    },

    async resendTwoFactor(call) {
      const email = call.body.email.trim().toLowerCase();
      const { user, purpose } = await pendingTwoFactor(parts, call);
      if (user === null || user.email.toLowerCase() !== email) throw new HttpError(400, 'Email not found. Please go back to login.');
      await spend(db, limits.mailOfKind, `${purpose} ${email}`, call.now, texts.tooManyRequests);
      await mailCode(parts, user, purpose, call.now, 'already counted');
      return { status: 'A new 2FA code has been sent to your email' };
    },
  };
}

/** The account whose second factor is awaited: of a half login, else of a started set-up of the session. */
async function pendingTwoFactor(
  { db }: ServerParts,
  call: Pick<Call<'verifyTwoFactor'>, 'cookies' | 'caller' | 'now'>,
): Promise<{ user: User | null; purpose: 'two-factor-login' | 'two-factor-set-up' }> {
  const half = call.cookies.read('halfLogin');
  const userId = half === null ? null : await findHalfLogin(db, tokenHash(half), call.now);
  if (userId !== null) return { user: await findUser(db, userId), purpose: 'two-factor-login' };
  const purpose = 'two-factor-set-up';
  if (call.caller === null || !(await hasOpenCode(db, call.caller.id, purpose, call.now))) return { user: null, purpose };
  return { user: await findUser(db, call.caller.id), purpose };
}
