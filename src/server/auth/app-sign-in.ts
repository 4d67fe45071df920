import { wrongTwoFactor } from '#contract/second-factors.ts';
import { endHalfLogins, takeHalfLogin } from '#storage/auth/sessions.ts';
import type { Database } from '#storage/database.ts';
import type { User } from '#storage/users/users.ts';
import { audit } from '../audit/audit.ts';
import type { Handlers } from '../calls/call.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { countedAppTry, takeAppCode } from './app-codes.ts';
import { ownFactors } from './factor-account.ts';
import type { HalfLogin } from './half-login.ts';
import { answerFactor, halfLoginOf } from './half-login.ts';
import { openSession } from './open-session.ts';

/** The end of a sign-in by an authenticator app, or by a backup code. */
export function appSignInHandlers(dependencies: ServerDependencies): Pick<Handlers, 'signInWithApp'> {
  const { db } = dependencies;
  return {
    async signInWithApp(call) {
      const half = await halfLoginOf(dependencies, call);
      const signIn = async ({ user, halfLogin }: HalfLogin) => {
        // Half login, code and session hold together: each is used up once, and only for a session.
        const prove = async (trx: Database, same: User): Promise<User | null> => {
          const factors = await ownFactors(trx, same.id);
          if (factors === null || !(await takeHalfLogin(trx, halfLogin))) return null;
          if ((await takeAppCode(trx, dependencies, call, { user: same, app: factors.app }, call.body.code)) === null)
            throw new WrongCode();
          await endHalfLogins(trx, same.id);
          return same;
        };
        return openSession(dependencies, call, user, { proof: 'app', action: 'sign-in', prove }).catch((error: unknown) => {
          if (error instanceof WrongCode) return null; // and the half login is there again
          throw error;
        });
      };
      const isAsked = half !== null && (await ownFactors(db, half.user.id)) !== null;
      const opened = isAsked ? await countedAppTry(dependencies, call, half.user, () => signIn(half)) : null;
      if (opened !== null) return answerFactor(dependencies, call, opened);
      await audit(db, call, half?.user ?? null, 'sign-in', 'refused', { detail: { reason: 'wrong 2FA code' } });
      throw new HttpError(400, wrongTwoFactor);
    },
  };
}

/** Undoes the transaction of a sign-in whose code is wrong. */
class WrongCode extends Error {}
