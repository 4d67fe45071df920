import { texts } from '#contract/errors.ts';
import { endHalfLogins, endSessionsOf } from '#storage/sessions.ts';
import { findUser, findUserByEmail, updateUser } from '#storage/users.ts';
import type { Handlers } from '../call.ts';
import { HttpError } from '../http-error.ts';
import { mails } from '../mail.ts';
import type { ServerParts } from '../parts.ts';
import { audit } from './audit.ts';
import { isCode } from './codes.ts';
import { addressKey, forget, limits, spend } from './limits.ts';
import { mailCode } from './mail-code.ts';
import { hashPassword, isPassword } from './passwords.ts';
import { beginSession, sessionLife } from './sessions.ts';

/** A session this young needs no password again. */
const stepUpMs = 10 * 60_000;

/** A new password: for the one who is signed in, and for the one who has forgotten the old. */
export function passwordHandlers(parts: ServerParts): Pick<Handlers, 'updatePassword' | 'forgotPassword' | 'resetPassword'> {
  const { db, pepper } = parts;
  return {
    async updatePassword(call) {
      const { caller, now } = call;
      if (now.getTime() - caller.authenticatedAt.getTime() > stepUpMs) {
        const { currentPassword } = call.body;
        if (currentPassword === undefined) throw new HttpError(403, 'Enter your current password to continue.');
        const user = await findUser(db, caller.id);
        await spend(db, limits.wrongPasswordsHere, `${caller.id} step-up`, now);
        if (!(await isPassword(user?.passwordHash ?? null, currentPassword))) throw new HttpError(403, 'Current password is wrong');
        await forget(db, limits.wrongPasswordsHere, `${caller.id} step-up`);
      }
      await updateUser(db, caller.id, { passwordHash: await hashPassword(call.body.password) });
      await endSessionsOf(db, caller.id, now, 'the password was changed', null);
      await endHalfLogins(db, caller.id); // they were begun with the old password
      const token = await beginSession(db, caller.id, now, call.address);
      call.cookies.set('session', token, sessionLife.absolute);
      await audit(db, call, caller, 'change-password', 'ok');
      await parts.mailer
        .send(mails.passwordChanged(caller.email))
        .catch((error: unknown) => call.log.error({ err: error }, 'the notice of a changed password was not mailed'));
      return { status: 'Password updated successfully' };
    },

    async forgotPassword(call) {
      const email = call.body.email.trim();
      await spend(db, limits.mailsAsked, addressKey(call.address), call.now, texts.tooManyRequests);
      await spend(db, limits.mailOfKind, `reset ${email.toLowerCase()}`, call.now, texts.tooManyRequests);
      const user = await findUserByEmail(db, email);
      if (user !== null) {
        // Not waited for: the time of the answer must not tell whether the account exists.
        void mailCode(parts, user, 'reset', call.now, 'already counted').catch((error: unknown) =>
          call.log.error({ err: error }, 'no reset code was mailed'),
        );
      }
      return { status: 'A reset code has been sent to your email' };
    },

    async resetPassword(call) {
      const { email, code, password } = call.body;
      const user = await findUserByEmail(db, email.trim());
      if (user === null || !(await isCode(db, pepper, user.id, 'reset', code, call.now))) {
        throw new HttpError(400, 'Invalid or expired reset code');
      }
      await updateUser(db, user.id, { passwordHash: await hashPassword(password) });
      await endSessionsOf(db, user.id, call.now, 'the password was reset', null);
      await endHalfLogins(db, user.id);
      await audit(db, call, user, 'reset-password', 'ok');
      await parts.mailer
        .send(mails.passwordChanged(user.email))
        .catch((error: unknown) => call.log.error({ err: error }, 'the notice of a reset password was not mailed'));
      return { status: 'Password reset successfully. Please sign in.' };
    },
  };
}
