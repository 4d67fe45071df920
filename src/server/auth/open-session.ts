import type { Database } from '#storage/database.ts';
import { lockSettings } from '#storage/installation/installation-settings.ts';
import { addMail } from '#storage/mails/mail-outbox.ts';
import { mails } from '#mail/texts.ts';
import { endSessionsOf } from '#storage/auth/sessions.ts';
import type { User } from '#storage/users/users.ts';
import { lockUnchanged, updateUser } from '#storage/users/users.ts';
import type { Call } from '../calls/call.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { audit } from '../audit/audit.ts';
import { deviceLifeMs, deviceMark, isDeviceMark } from './device.ts';
import { beginSession } from './sessions.ts';
import { lacksTwoFactor } from './two-factor-rule.ts';

/** A sign-in whose proof has been checked. */
interface SignIn {
  /** What was proven: the password; the mailbox, by a code; both; or the password and an authenticator app or passkey. The last two are a second factor. */
  proof: 'password' | 'mailbox' | 'both' | 'app';
  action: string; // its line of the audit log
  /** Does in the same transaction what else the sign-in depends on, and gives the account as it is then, or null when that fails. */
  prove?: (trx: Database, user: User) => Promise<User | null>;
}

/**
 * Signs a person in: a session cookie, and a mark on the device so that outsiders cannot lock its owner out.
 *
 * `user` is the account as it was when the proof was checked. A password or a second factor that was changed meanwhile
 * makes the proof worthless: then there is no session, and null is returned. An account that must have a second factor and
 * has none is not signed in by a password or a mailbox alone; both together switch its second factor on. The settings are
 * locked first, so that a rule that is switched on meanwhile either holds here or ends the session.
 */
export async function openSession(
  { db, pepper }: ServerDependencies,
  call: Pick<Call<'login'>, 'cookies' | 'now' | 'address' | 'device' | 'requestId'>,
  user: User,
  { proof, action, prove = async (_, same) => same }: SignIn,
): Promise<{ user: User; isSignedIn: boolean } | null> {
  const opened = await db.transaction().execute(async (trx) => {
    const settings = await lockSettings(trx, 'use');
    const same = await lockUnchanged(trx, user);
    if (same === null) return null;
    if (proof === 'password' && lacksTwoFactor(settings, same)) return { proven: same, session: null };
    const proven = await prove(trx, same);
    if (proven === null) return null;
    if (proof === 'app' && !proven.emailVerified) return { proven, session: null }; // neither app nor passkey proves a mailbox
    const isLacking = lacksTwoFactor(settings, proven);
    if (isLacking && proof === 'mailbox') {
      await audit(trx, call, proven, action, 'ok');
      return { proven, session: null };
    }
    const signedIn = isLacking ? await switchOn(trx, proven, call.now) : proven;
    const session = await beginSession(trx, signedIn.id, call.now, call.address, call.device);
    const isFirst = action === 'verify-email'; // the account has just been made
    if (!isFirst && !isDeviceMark(pepper, signedIn, call.cookies.read('device')))
      await addMail(trx, mails.newDevice(signedIn.email, { device: call.device, address: call.address, time: call.now }));
    await audit(trx, call, signedIn, action, 'ok');
    if (isLacking) await audit(trx, call, signedIn, 'set-up-2fa', 'ok', { detail: { required: true } });
    return { proven: signedIn, session };
  });
  if (opened === null) return null;
  const { proven, session } = opened;
  if (session === null) return { user: proven, isSignedIn: false };
  call.cookies.set('session', session.token, session.lifeMs);
  call.cookies.set('device', deviceMark(pepper, user), deviceLifeMs);
  call.cookies.clear('halfLogin');
  return { user: proven, isSignedIn: true };
}

async function switchOn(trx: Database, user: User, now: Date): Promise<User> {
  await endSessionsOf(trx, user.id, now, '2FA was switched on', null);
  await addMail(trx, mails.twoFactorOn(user.email));
  return (await updateUser(trx, user.id, { has2fa: true })) ?? user;
}
