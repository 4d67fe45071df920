import { verificationSent } from '#contract/auth.ts';
import { wrongTwoFactor } from '#contract/second-factors.ts';
import { findAuthenticator } from '#storage/auth/authenticators.ts';
import { endHalfLogins, findHalfLogin, takeHalfLogin } from '#storage/auth/sessions.ts';
import type { Database } from '#storage/database.ts';
import type { User } from '#storage/users/users.ts';
import { findUser } from '#storage/users/users.ts';
import { audit } from '../audit/audit.ts';
import type { Handlers } from '../calls/call.ts';
import { HttpError } from '../http/http-error.ts';
import { tokenHash } from '../http/tokens.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { countedAppTry, takeAppCode } from './app-codes.ts';
import { isMailDue, mailCode } from './mail-code.ts';
import { openSession } from './open-session.ts';
import { sessionUserOf } from './session-user.ts';

/** The end of a sign-in by an authenticator app. */
export function appSignInHandlers(dependencies: ServerDependencies): Pick<Handlers, 'signInWithApp'> {
  const { db } = dependencies;
  return {
    async signInWithApp(call) {
      const half = call.cookies.read('halfLogin');
      const halfLogin = half === null ? null : tokenHash(half);
      const userId = halfLogin === null ? null : await findHalfLogin(db, halfLogin, call.now);
      const user = userId === null ? null : await findUser(db, userId);
      // Half login, code and session hold together: each is used up once, and only for a session.
      const prove = async (trx: Database, same: User): Promise<User | null> => {
        const app = await findAuthenticator(trx, same.id);
        if (app === null || halfLogin === null || !(await takeHalfLogin(trx, halfLogin))) return null;
        if (!(await takeAppCode(trx, dependencies, call, { user: same, app }, call.body.code))) throw new WrongCode();
        await endHalfLogins(trx, same.id);
        return same;
      };
      const signIn = async (of: User) =>
        openSession(dependencies, call, of, { proof: 'app', action: 'sign-in', prove }).catch((error: unknown) => {
          if (error instanceof WrongCode) return null; // and the half login is there again
          throw error;
        });
      const hasApp = user !== null && (await findAuthenticator(db, user.id)) !== null;
      const opened = hasApp ? await countedAppTry(dependencies, call, user, () => signIn(user)) : null;
      if (opened === null) {
        await audit(db, call, user, 'sign-in', 'refused', { detail: { reason: 'wrong 2FA code' } });
        throw new HttpError(400, wrongTwoFactor);
      }
      if (opened.isSignedIn) return { status: '2FA verified successfully', ...sessionUserOf(opened.user) };
      const { email } = opened.user;
      call.cookies.clear('halfLogin');
      await audit(db, call, opened.user, 'sign-in', 'refused', { detail: { reason: 'e-mail not verified' } });
      if (await isMailDue(db, 'verification', email, call.now))
        await mailCode(dependencies, call, { email, user: opened.user, purpose: 'verification', holder: '' }).catch((error: unknown) =>
          call.log.error({ err: error }, 'no verification code was mailed'),
        );
      return { status: verificationSent, email };
    },
  };
}

/** Undoes the transaction of a sign-in whose code is wrong. */
class WrongCode extends Error {}
