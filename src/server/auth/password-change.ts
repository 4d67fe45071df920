import { texts } from '#contract/errors.ts';
import type { Database } from '#storage/database.ts';
import { emailKey } from '#storage/users/email-key.ts';
import { addMail } from '#storage/mails/mail-outbox.ts';
import { endHalfLogins, endSessionsOf, lockLiveSession } from '#storage/auth/sessions.ts';
import type { User } from '#storage/users/users.ts';
import { findUser, findUserByEmail, lockUnchanged, updateUser } from '#storage/users/users.ts';
import type { Handlers } from '../calls/call.ts';
import { audit } from '../audit/audit.ts';
import { HttpError } from '../http/http-error.ts';
import { mails } from '#mail/texts.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { closeCodes } from '#storage/auth/codes.ts';
import { codeLife, isResetCode } from './codes.ts';
import { deviceLifeMs, deviceMark, isDeviceMark } from './device.ts';
import { addressKey, limits, refund, spend } from './limits.ts';
import { mailCode, refuseEarlyMail } from './mail-code.ts';
import { refuseWeakPassword } from './password-strength.ts';
import { hashPassword } from './passwords.ts';
import { beginSession } from './sessions.ts';
import { checkCurrentPassword, isFresh } from './step-up.ts';
import { newToken, tokenHash } from '../http/tokens.ts';

/** A new password: for a person who is signed in, and for one who has forgotten the old one. */
export function passwordHandlers(dependencies: ServerDependencies): Pick<Handlers, 'updatePassword' | 'forgotPassword' | 'resetPassword'> {
  const { db, pepper } = dependencies;
  return {
    async updatePassword(call) {
      const { caller, now } = call;
      refuseWeakPassword(call.body.password, caller.email);
      const user = await findUser(db, caller.id);
      if (user === null) throw new HttpError(401, texts.notAuthenticated);
      if (!isFresh(caller, now)) {
        const { currentPassword } = call.body;
        if (currentPassword === undefined) throw new HttpError(403, texts.passwordNeeded);
        await checkCurrentPassword(dependencies, user, currentPassword, now);
      }
      const passwordHash = await hashPassword(call.body.password);
      const begun = await db.transaction().execute(async (trx) => {
        // Of two changes at once the first ends the session that the second was asked in; so does a rule that asks for 2FA.
        if ((await lockUnchanged(trx, user)) === null || !(await lockLiveSession(trx, caller.sessionId))) return null;
        await setPassword(trx, user, passwordHash, now, 'the password was changed');
        const session = await beginSession(trx, user.id, now, call.address, call.device);
        await audit(trx, call, caller, 'change-password', 'ok');
        return session;
      });
      if (begun === null) throw new HttpError(401, texts.notAuthenticated);
      call.cookies.set('session', begun.token, begun.lifeMs);
      call.cookies.set('device', deviceMark(pepper, { ...user, passwordHash }), deviceLifeMs); // the old one went with the old password
      return { status: 'Password updated successfully' };
    },

    async forgotPassword(call) {
      const email = call.body.email.trim();
      await spend(db, limits.mailsAsked, addressKey(call.address), call.now, texts.tooManyRequests);
      const user = await findUserByEmail(db, email);
      // Its owner's devices are counted apart, so that others who ask for codes do not use up theirs.
      const isKnownDevice = user !== null && isDeviceMark(pepper, user, call.cookies.read('device'));
      const apart = isKnownDevice ? 'known device' : null;
      await refuseEarlyMail(db, 'reset', email, call.now, apart);
      const browser = call.cookies.read('reset') ?? newToken();
      call.cookies.set('reset', browser, codeLife.reset);
      // Not waited for: the time of the answer must not reveal whether the account exists.
      void mailCode(dependencies, call, { email, user, purpose: 'reset', holder: holderOf(browser), apart }).catch((error: unknown) =>
        call.log.error({ err: error }, 'no reset code was mailed'),
      );
      return { status: 'A reset code has been sent to your email' };
    },

    async resetPassword(call) {
      const { email, code, password } = call.body;
      refuseWeakPassword(password, email);
      const here = addressKey(call.address);
      await spend(db, limits.wrongCodesHere, `reset ${here}`, call.now);
      const browser = call.cookies.read('reset');
      const asked = { emailKey: emailKey(email), holder: browser === null ? null : holderOf(browser) };
      const passwordHash = await hashPassword(password); // before the code is used up: the server may be too busy for it
      const isRight = await isResetCode(db, pepper, asked, code, call.now);
      const user = isRight ? await findUserByEmail(db, email) : null;
      if (user === null) {
        await audit(db, call, await findUserByEmail(db, email), 'reset-password', 'refused');
        throw new HttpError(400, 'Invalid or expired reset code');
      }
      await refund(db, limits.wrongCodesHere, `reset ${here}`, call.now);
      await db.transaction().execute(async (trx) => {
        await setPassword(trx, user, passwordHash, call.now, 'the password was reset');
        await updateUser(trx, user.id, { passwordResetAt: call.now });
        await closeCodes(trx, { emailKey: user.emailKey, purpose: 'reset' }, call.now);
        await audit(trx, call, user, 'reset-password', 'ok');
      });
      call.cookies.clear('reset');
      return { status: 'Password reset successfully. Please sign in.' };
    },
  };
}

/** Who holds the codes that a browser has asked for. */
function holderOf(browser: string): string {
  return tokenHash(browser).toString('base64url');
}

/**
 * Sets a password, ends every session and half login that was begun with the old one, and leaves a mail for the owner. The
 * account's row comes first: it is locked by it, so that a sign-in under way either is seen here or sees the new password
 * (`lockUnchanged`).
 */
async function setPassword(trx: Database, user: Pick<User, 'id' | 'email'>, passwordHash: string, now: Date, why: string): Promise<void> {
  await updateUser(trx, user.id, { passwordHash, secondFactorMisses: 0 });
  await endSessionsOf(trx, user.id, now, why, null);
  await endHalfLogins(trx, user.id);
  await addMail(trx, mails.passwordChanged(user.email));
}
