import { factorTexts } from '#contract/second-factors.ts';
import type { Authenticator } from '#storage/auth/authenticators.ts';
import { countBackupCodes, takeBackupCode, takeStep } from '#storage/auth/authenticators.ts';
import { countPasskeyBackupCodes, takePasskeyBackupCode } from '#storage/auth/passkeys.ts';
import type { Database } from '#storage/database.ts';
import { addMail } from '#storage/mails/mail-outbox.ts';
import type { User } from '#storage/users/users.ts';
import { updateUser } from '#storage/users/users.ts';
import { mails } from '#mail/texts.ts';
import { audit } from '../audit/audit.ts';
import type { Call } from '../calls/call.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { backupHash, passkeyBackupHash } from './backup-codes.ts';
import { limits, refund, spend } from './limits.ts';
import { countTry, reportMisses, uncountTry } from './second-factor-tries.ts';
import { stepOf } from './totp.ts';

type AppCall = Pick<Call<'signInWithApp'>, 'now' | 'address' | 'requestId'>;

/**
 * Counts a code of an app, a backup code or a passkey before `act` compares it; what `act` refuses with null is wrong. Mailed codes of the
 * sign-in are counted with them: there are as many guesses of all together as there were of one.
 *
 * Fails: 429 after 10 wrong codes within an hour
 */
export async function countedAppTry<T>(
  dependencies: ServerDependencies,
  call: AppCall,
  user: Pick<User, 'id' | 'email' | 'emailKey'>,
  act: () => Promise<T | null>,
): Promise<T | null> {
  const { db } = dependencies;
  const account = `two-factor-login ${user.emailKey}`;
  await spend(db, limits.wrongCodes, account, call.now);
  let right: T | null;
  try {
    right = (await countTry(dependencies, user.id)) ? await act() : null;
  } catch (error) {
    // Nothing was wrong with the code: what it was for is refused, or could not be done.
    await refund(db, limits.wrongCodes, account, call.now);
    await uncountTry(dependencies, user.id);
    throw error;
  }
  if (right === null) await reportMisses(dependencies, call, user);
  else await refund(db, limits.wrongCodes, account, call.now);
  return right;
}

/**
 * Since when what the code is of has been there: the app, or the backup codes, of the app or, without one, beside passkeys. It is used up by it, and the wrong codes of before are
 * forgotten. Null when the code is wrong or was used before; of many at once one is right.
 *
 * Needs: a transaction that has locked the account
 */
export async function takeAppCode(
  trx: Database,
  { authenticatorSecrets }: Pick<ServerDependencies, 'authenticatorSecrets'>,
  call: AppCall,
  { user, app }: { user: User; app: Authenticator | null },
  code: string,
): Promise<Date | null> {
  if (app === null) return takeBackupBesidePasskeys(trx, call, user, code);
  const secret = sharedSecret(authenticatorSecrets, app);
  const step = stepOf(secret, code.replaceAll(/\s/gu, ''), call.now);
  const isOfApp = step !== null && (await takeStep(trx, app.id, step));
  const since = isOfApp ? (app.confirmedAt ?? call.now) : await takeBackupCode(trx, app.id, backupHash(secret, code), call.now);
  if (since === null) return null;
  await updateUser(trx, user.id, { secondFactorMisses: 0 });
  if (!isOfApp) await reportBackupCode(trx, call, user, await countBackupCodes(trx, app.id));
  return since;
}

async function takeBackupBesidePasskeys(trx: Database, call: AppCall, user: User, code: string): Promise<Date | null> {
  const since = await takePasskeyBackupCode(trx, user.id, passkeyBackupHash(user.id, code), call.now);
  if (since === null) return null;
  await updateUser(trx, user.id, { secondFactorMisses: 0 });
  await reportBackupCode(trx, call, user, await countPasskeyBackupCodes(trx, user.id));
  return since;
}

/** The secret that an app shares. Fails: 409 when it was sealed with a key that is lost */
export function sharedSecret(secrets: ServerDependencies['authenticatorSecrets'], app: Authenticator): Buffer {
  try {
    return secrets.open(app, app.sealed);
  } catch (cause) {
    throw new HttpError(409, factorTexts.unreadable, { cause });
  }
}

async function reportBackupCode(trx: Database, call: AppCall, user: User, left: number): Promise<void> {
  await addMail(trx, mails.backupCodeUsed(user.email, left));
  await audit(trx, call, user, 'use-backup-code', 'ok', { detail: { left } });
}
