import { passkeyTexts, wrongPasskey } from '#contract/passkeys.ts';
import { addChallenge } from '#storage/auth/passkey-challenges.ts';
import { endHalfLogins, lockHalfLogin } from '#storage/auth/sessions.ts';
import { listPasskeys } from '#storage/auth/passkeys.ts';
import type { Database } from '#storage/database.ts';
import type { User } from '#storage/users/users.ts';
import { randomBytes } from 'node:crypto';
import { audit } from '../audit/audit.ts';
import type { Handlers } from '../calls/call.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { countedAppTry } from './app-codes.ts';
import type { HalfLogin } from './half-login.ts';
import { answerFactor, halfLoginOf } from './half-login.ts';
import { openSession } from './open-session.ts';
import type { PasskeyFault } from './passkey-proof.ts';
import { challengeLifeMs, takePasskey } from './passkey-proof.ts';
import { needRelyingParty } from './relying-party.ts';
import { shownPasskeys } from './shown-passkeys.ts';

/** The end of a sign-in by a passkey: what it has to sign, and the answer. */
export function passkeySignInHandlers(dependencies: ServerDependencies): Pick<Handlers, 'startPasskeySignIn' | 'signInWithPasskey'> {
  const { db } = dependencies;
  return {
    async startPasskeySignIn(call) {
      const party = needRelyingParty(dependencies);
      const half = await halfLoginOf(dependencies, call);
      const passkeys = half === null ? [] : await listPasskeys(db, half.user.id);
      if (half === null || passkeys.length === 0) throw new HttpError(400, passkeyTexts.noPendingSignIn);
      const challenge = randomBytes(32);
      const isAdded = await db.transaction().execute(async (trx) => {
        if (!(await lockHalfLogin(trx, half.halfLogin, call.now))) return false;
        await addChallenge(trx, { halfLogin: half.halfLogin }, challenge, new Date(call.now.getTime() + challengeLifeMs));
        return true;
      });
      if (!isAdded) throw new HttpError(400, passkeyTexts.noPendingSignIn);
      return { challenge: challenge.toString('base64url'), rp_id: party.id, passkeys: shownPasskeys(passkeys) };
    },

    async signInWithPasskey(call) {
      const { now, body } = call;
      const party = needRelyingParty(dependencies);
      const half = await halfLoginOf(dependencies, call);
      let fault: PasskeyFault = 'no passkey asked for';
      const signIn = async ({ user, halfLogin }: HalfLogin) => {
        // Challenge, half login and session hold together. A wrong answer uses the challenge up, and leaves the half login.
        const prove = async (trx: Database, same: User): Promise<User | null> => {
          if (!(await lockHalfLogin(trx, halfLogin, now))) return null;
          const found = await takePasskey(trx, party, { userId: same.id, holder: { halfLogin }, now }, body);
          if (typeof found === 'string') {
            fault = found;
            return null;
          }
          await endHalfLogins(trx, same.id);
          return same;
        };
        return openSession(dependencies, call, user, { proof: 'app', action: 'sign-in', prove });
      };
      const opened = half === null ? null : await countedAppTry(dependencies, call, half.user, () => signIn(half));
      if (opened !== null) return answerFactor(dependencies, call, opened);
      await audit(db, call, half?.user ?? null, 'sign-in', 'refused', { detail: { reason: fault } });
      throw new HttpError(400, wrongPasskey);
    },
  };
}
