import { registrationClosed, verifiedSignIn, wrongInvitation } from '#contract/auth.ts';
import { texts } from '#contract/errors.ts';
import { emailKey } from '#storage/users/email-key.ts';
import { lockSettings, readSettings } from '#storage/installation/installation-settings.ts';
import { reopenInvitation, useInvitation } from '#storage/users/invitations.ts';
import { addUser, findUserByEmail, lockUnchanged, removeUser, updateUser } from '#storage/users/users.ts';
import { audit } from '../audit/audit.ts';
import type { Handlers } from '../calls/call.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { isCode } from './codes.ts';
import { invitationHash } from './invitation-code.ts';
import { addressKey, limits, refund, spend } from './limits.ts';
import { isMailDue, mailCode, refuseEarlyMail } from './mail-code.ts';
import { openSession } from './open-session.ts';
import { refuseWeakPassword } from './password-strength.ts';
import { hashPassword } from './passwords.ts';
import { sessionUserOf } from './session-user.ts';

const wrongCode = 'Invalid or expired verification code';

/** Sign-up, and the proof of the mailbox. */
export function signUpHandlers(
  dependencies: ServerDependencies,
): Pick<Handlers, 'getRegistration' | 'register' | 'verifyEmail' | 'resendVerification'> {
  const { db, mailer, pepper } = dependencies;
  return {
    getRegistration: async () => ({ registration: (await readSettings(db)).registration, mails_go_to: mailer.goesTo }),

    async register(call) {
      const { password } = call.body;
      const email = call.body.email.trim();
      const here = addressKey(call.address);
      const { registration } = await readSettings(db);
      if (registration === 'closed') throw new HttpError(403, registrationClosed);
      refuseWeakPassword(password, call.body.email);
      await spend(db, limits.registrations, here, call.now);
      if (registration === 'invitation') await spend(db, limits.wrongInvitations, here, call.now);
      const passwordHash = await hashPassword(password);
      const codeHash = invitationHash(pepper, call.body.invitationCode ?? '');
      const { user, invited } = await db.transaction().execute(async (trx) => {
        const settings = await lockSettings(trx, 'use');
        if (settings.registration === 'closed') throw new HttpError(403, registrationClosed);
        const isInvited = settings.registration === 'invitation';
        const used = isInvited ? await useInvitation(trx, { email, codeHash, now: call.now }) : null;
        if (isInvited && used === null) throw new HttpError(403, wrongInvitation);
        const added = await addUser(trx, { email, passwordHash, role: used?.role ?? 'trader' });
        if (added === null) throw new HttpError(409, 'Email is already registered');
        await audit(trx, call, added, 'register', 'ok', used === null ? {} : { detail: { invitation: used.id } });
        return { user: added, invited: used };
      });
      if (registration === 'invitation') await refund(db, limits.wrongInvitations, here, call.now);
      try {
        // Mailed in any case: somebody else may have asked for codes before the account was there, and got none.
        await isMailDue(db, 'verification', user.email, call.now);
        await mailCode(dependencies, call, { email: user.email, user, purpose: 'verification', holder: '', apart: 'sign-up' });
      } catch (error) {
        // So that the same person can try again.
        await db.transaction().execute(async (trx) => {
          await removeUser(trx, user.id);
          if (invited !== null) await reopenInvitation(trx, invited.id);
          await audit(trx, call, user, 'register', 'failed');
        });
        throw error;
      }
      return { status: 'Verification code sent to your email', ...sessionUserOf(user) };
    },

    async verifyEmail(call) {
      const here = addressKey(call.address);
      await spend(db, limits.wrongCodesHere, `verification ${here}`, call.now);
      const key = { emailKey: emailKey(call.body.email), purpose: 'verification', holder: '' } as const;
      const user = await findUserByEmail(db, call.body.email);
      const isRight = await isCode(db, pepper, key, call.body.code, call.now);
      // A code signs in only where it proves something new, and never past a second factor: that proves the mailbox itself, unless it is an app.
      if (!isRight || user === null || (user.has2fa && user.mailedCodes)) {
        await audit(db, call, user, 'verify-email', 'refused');
        throw new HttpError(400, wrongCode);
      }
      // The first proof of the mailbox makes the account; a later one, or one after an administrator's word, neither verifies nor signs in.
      if (user.emailVerified || user.verificationDecidedAt !== null || user.has2fa) {
        const isProven = await db.transaction().execute(async (trx) => {
          if ((await lockUnchanged(trx, user)) === null) return false;
          await updateUser(trx, user.id, { emailVerified: true });
          await audit(trx, call, user, 'verify-email', 'ok');
          return true;
        });
        if (!isProven) throw new HttpError(400, wrongCode);
        await refund(db, limits.wrongCodesHere, `verification ${here}`, call.now);
        return { status: verifiedSignIn, email: user.email };
      }
      const opened = await openSession(dependencies, call, user, {
        proof: 'mailbox',
        action: 'verify-email',
        prove: async (trx, same) =>
          // An administrator may have decided meanwhile.
          same.verificationDecidedAt === null
            ? updateUser(trx, same.id, { verified: true, emailVerified: true, verificationDecidedAt: call.now })
            : null,
      });
      if (opened === null) throw new HttpError(400, wrongCode);
      await refund(db, limits.wrongCodesHere, `verification ${here}`, call.now);
      if (!opened.isSignedIn) return { status: verifiedSignIn, email: opened.user.email };
      return { status: 'Email verified successfully', ...sessionUserOf(opened.user) };
    },

    async resendVerification(call) {
      const email = call.body.email.trim();
      await spend(db, limits.mailsAsked, addressKey(call.address), call.now, texts.tooManyRequests);
      await refuseEarlyMail(db, 'verification', email, call.now);
      // Asked whether or not the account exists, as is everything before the answer.
      if (!(await dependencies.mailer.works())) throw new HttpError(503, texts.mailFailed);
      const found = await findUserByEmail(db, email);
      const user = found === null || found.emailVerified ? null : found;
      // Not waited for: the time of the answer must not reveal whether the account exists.
      void mailCode(dependencies, call, { email, user, purpose: 'verification', holder: '' }).catch((error: unknown) =>
        call.log.error({ err: error }, 'no verification code was mailed'),
      );
      return { status: 'A new verification code has been sent to your email' };
    },
  };
}
