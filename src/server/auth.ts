import { twoFactorSent } from '#contract/auth.ts';
import { texts } from '#contract/errors.ts';
import { addAuditEntry } from '#storage/audit-log.ts';
import { hasOpenCode } from '#storage/codes.ts';
import { addHalfLogin, endHalfLogins, endSession, endSessionsOf, findHalfLogin } from '#storage/sessions.ts';
import type { User } from '#storage/users.ts';
import { addUser, findUser, findUserByEmail, removeUser, updateUser } from '#storage/users.ts';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { codeLife, isCode } from './auth/codes.ts';
import { addressKey, forget, isUsedUp, isWithin, limits, spend } from './auth/limits.ts';
import { mailCode } from './auth/mail-code.ts';
import { hashPassword, isPassword } from './auth/passwords.ts';
import { beginSession, renewSession, sessionLife } from './auth/sessions.ts';
import { newToken, tokenHash } from './auth/tokens.ts';
import type { Call, Handlers } from './call.ts';
import { HttpError } from './http-error.ts';
import { mails } from './mail.ts';
import type { ServerParts } from './parts.ts';

type AuthCall = Pick<Call<'login'>, 'cookies' | 'now' | 'address'>;

const deviceLifeMs = 365 * 86_400_000;
const stepUpMs = 10 * 60_000;

/** Sign-in, sign-up, codes and sessions. */
export function authHandlers(
  parts: ServerParts,
): Pick<
  Handlers,
  | 'getMe'
  | 'login'
  | 'register'
  | 'logout'
  | 'updatePassword'
  | 'forgotPassword'
  | 'resetPassword'
  | 'verifyEmail'
  | 'resendVerification'
  | 'resendTwoFactor'
  | 'setUpTwoFactor'
  | 'verifyTwoFactor'
  | 'refreshSession'
> {
  const { db, pepper } = parts;

  const audit = (
    call: { address: string; requestId: string },
    user: { id: string; role: string } | null,
    action: string,
    result: 'ok' | 'refused',
    target?: string,
  ) =>
    addAuditEntry(db, {
      actorId: user?.id ?? null,
      actorRole: user?.role ?? null,
      action,
      target: target ?? null,
      address: call.address,
      requestId: call.requestId,
      result,
    });

  /** Signs in: a session cookie, and a mark on the device so that outsiders cannot lock its owner out. */
  const signIn = async (call: AuthCall, user: User): Promise<void> => {
    const token = await beginSession(db, user.id, call.now, call.address);
    call.cookies.set('session', token, sessionLife.absolute);
    call.cookies.set('device', deviceMark(pepper, user.id), deviceLifeMs);
    call.cookies.clear('halfLogin');
  };

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
        await audit(call, user, 'sign-in', 'refused');
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
      await signIn(call, user);
      await audit(call, user, 'sign-in', 'ok');
      return { status: 'Login successful', ...sessionUserOf(user) };
    },

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
      await audit(call, user, 'register', 'ok');
      return { status: 'Verification code sent to your email', ...sessionUserOf(user) };
    },

    async logout(call) {
      if (call.caller !== null) {
        await endSession(db, call.caller.sessionId, call.now, 'signed out');
        await audit(call, call.caller, 'sign-out', 'ok');
      }
      call.cookies.clear('session');
      call.cookies.clear('halfLogin');
      return { status: 'Logged out' };
    },

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
      await audit(call, caller, 'change-password', 'ok');
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
      await audit(call, user, 'reset-password', 'ok');
      await parts.mailer
        .send(mails.passwordChanged(user.email))
        .catch((error: unknown) => call.log.error({ err: error }, 'the notice of a reset password was not mailed'));
      return { status: 'Password reset successfully. Please sign in.' };
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
      await signIn(call, verified);
      await audit(call, verified, 'verify-email', 'ok');
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

    async resendTwoFactor(call) {
      const email = call.body.email.trim().toLowerCase();
      const { user, purpose } = await pendingTwoFactor(parts, call);
      if (user === null || user.email.toLowerCase() !== email) throw new HttpError(400, 'Email not found. Please go back to login.');
      await spend(db, limits.mailOfKind, `${purpose} ${email}`, call.now, texts.tooManyRequests);
      await mailCode(parts, user, purpose, call.now, 'already counted');
      return { status: 'A new 2FA code has been sent to your email' };
    },

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
        await signIn(call, proven);
      } else {
        await endSessionsOf(db, user.id, call.now, '2FA was switched on', call.caller?.sessionId ?? null);
      }
      await audit(call, proven, purpose === 'two-factor-login' ? 'sign-in' : 'set-up-2fa', 'ok');
      return { status: '2FA verified successfully', ...sessionUserOf(proven) };
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
        await audit(call, user, 'refresh-reuse', 'refused', renewal.sessionId);
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

function sessionUserOf(user: {
  id: string;
  email: string;
  role: User['role'];
  verified: boolean;
  emailVerified: boolean;
  has2fa: boolean;
}) {
  return {
    email: user.email,
    userId: user.id,
    role: user.role,
    verified: user.verified,
    email_verified: user.emailVerified,
    has_2fa: user.has2fa,
  };
}

function deviceMark(pepper: Buffer, userId: string): string {
  return createHmac('sha256', pepper).update('device').update(userId).digest('base64url');
}

function isDeviceMark(pepper: Buffer, userId: string, mark: string | null): boolean {
  const right = Buffer.from(deviceMark(pepper, userId));
  const given = Buffer.from(mark ?? '');
  return given.length === right.length && timingSafeEqual(given, right);
}
