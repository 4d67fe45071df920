import { noTwoFactorAfterReset } from '#contract/auth.ts';
import { texts } from '#contract/errors.ts';
import type { Authenticator } from '#storage/auth/authenticators.ts';
import { findAuthenticator } from '#storage/auth/authenticators.ts';
import { hasPasskey } from '#storage/auth/passkeys.ts';
import { lockLiveSession } from '#storage/auth/sessions.ts';
import type { Database } from '#storage/database.ts';
import { lockSettings } from '#storage/installation/installation-settings.ts';
import type { User } from '#storage/users/users.ts';
import { findUser, lockUnchanged } from '#storage/users/users.ts';
import type { Call } from '../calls/call.ts';
import { HttpError } from '../http/http-error.ts';
import { refuseAfterReset } from './recent-reset.ts';

/** What a change of second factors knows of its call. */
export type FactorCall = Pick<Call<'stopAuthenticator'>, 'caller' | 'now' | 'address' | 'requestId'>;

/** The caller's account. Fails: 403 on the day after a reset of its password */
export async function accountOf(db: Database, { caller, now }: FactorCall): Promise<User> {
  await refuseAfterReset(db, caller.id, now, noTwoFactorAfterReset);
  const user = await findUser(db, caller.id);
  if (user === null) throw new HttpError(401, texts.notAuthenticated);
  return user;
}

/** Locks the account, its session and the rule of the installation, in the sequence of every sign-in. Fails: 401 when the session has ended meanwhile */
export async function lockAccount(trx: Database, { caller }: FactorCall, user: User): Promise<User> {
  await lockSettings(trx, 'use');
  const same = await lockUnchanged(trx, user);
  if (same === null) throw new HttpError(409, texts.changedMeanwhile);
  if (!(await lockLiveSession(trx, caller.sessionId))) throw new HttpError(401, texts.notAuthenticated);
  return same;
}

/** What an account signs in with besides mailed codes. */
export interface OwnFactors {
  app: Authenticator | null;
  hasPasskeys: boolean;
}

/** See `OwnFactors`; null when there is neither. */
export async function ownFactors(db: Database, userId: string): Promise<OwnFactors | null> {
  const app = await findAuthenticator(db, userId);
  const hasPasskeys = await hasPasskey(db, userId);
  return app === null && !hasPasskeys ? null : { app, hasPasskeys };
}
