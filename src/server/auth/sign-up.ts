import { texts } from '#contract/errors.ts';
import { addUser, findUserByEmail, removeUser, updateUser } from '#storage/users.ts';
import type { Handlers } from '../call.ts';
import { HttpError } from '../http-error.ts';
import type { ServerParts } from '../parts.ts';
import { audit } from './audit.ts';
import { isCode } from './codes.ts';
import { addressKey, limits, spend } from './limits.ts';
import { mailCode } from './mail-code.ts';
import { openSession } from './open-session.ts';
import { hashPassword } from './passwords.ts';
import { sessionUserOf } from './session-user.ts';

/** Sign-up, and the proof of the mailbox. */
export function signUpHandlers(parts: ServerParts): Pick<Handlers, 'register' | 'verifyEmail' | 'resendVerification'> {
  const { db, pepper } = parts;
  return {
    async register(call) {
      await spend(db, limits.registrations, addressKey(call.address), call.now);
      const { email, password } = call.body;
      const passwordHash = await hashPassword(password);
      const user = await addUser(db, { email: email.trim(), passwordHash, role: 'trader' });
      if (user === null) throw new HttpError(409, 'Email is already registered');
      try {
        await mailCode(parts, user, 'verification', call.now, 'quietly when just sent');
      } catch (error) {
        await removeUser(db, user.id); // so that the same person can try again
        throw error;
      }
      await audit(db, call, user, 'register', 'ok');
      return { status: 'Verification code sent to your email', ...sessionUserOf(user) };
    },

    async verifyEmail(call) {
      const user = await findUserByEmail(db, call.body.email.trim());
      // A code signs in only where it proves something new, and never past a second factor.
      if (
        user === null ||
        user.emailVerified ||
        user.has2fa ||
        !(await isCode(db, pepper, user.id, 'verification', call.body.code, call.now))
      ) {
        throw new HttpError(400, 'Invalid or expired verification code');
      }
      const verified = (await updateUser(db, user.id, { verified: true, emailVerified: true })) ?? user;
      await openSession(parts, call, verified);
      await audit(db, call, verified, 'verify-email', 'ok');
      return { status: 'Email verified successfully', ...sessionUserOf(verified) };
    },

    async resendVerification(call) {
      const email = call.body.email.trim();
      await spend(db, limits.mailsAsked, addressKey(call.address), call.now, texts.tooManyRequests);
      await spend(db, limits.mailOfKind, `verification ${email.toLowerCase()}`, call.now, texts.tooManyRequests);
      const user = await findUserByEmail(db, email);
      if (user !== null && !user.emailVerified) await mailCode(parts, user, 'verification', call.now, 'already counted');
      return { status: 'A new verification code has been sent to your email' };
    },
  };
}
