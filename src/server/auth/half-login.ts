import { verificationSent } from '#contract/auth.ts';
import type { CallReply } from '#contract/client.ts';
import { findHalfLogin } from '#storage/auth/sessions.ts';
import type { User } from '#storage/users/users.ts';
import { findUser } from '#storage/users/users.ts';
import { audit } from '../audit/audit.ts';
import type { Call } from '../calls/call.ts';
import { tokenHash } from '../http/tokens.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { isMailDue, mailCode } from './mail-code.ts';
import { sessionUserOf } from './session-user.ts';

/** A right password whose second factor is awaited, in the browser of the call. */
export interface HalfLogin {
  user: User;
  halfLogin: Buffer; // the hash of its token
}

/** The half login of the browser; null when there is none or it has run out. */
export async function halfLoginOf(
  { db }: ServerDependencies,
  call: Pick<Call<'signInWithApp'>, 'cookies' | 'now'>,
): Promise<HalfLogin | null> {
  const token = call.cookies.read('halfLogin');
  if (token === null) return null;
  const halfLogin = tokenHash(token);
  const userId = await findHalfLogin(db, halfLogin, call.now);
  const user = userId === null ? null : await findUser(db, userId);
  return user === null ? null : { user, halfLogin };
}

/** The answer to a second factor of one's own that was right: the session, or a code to prove the mailbox, where that is missing. */
export async function answerFactor(
  dependencies: ServerDependencies,
  call: Pick<Call<'signInWithApp'>, 'cookies' | 'now' | 'address' | 'requestId' | 'log'>,
  opened: { user: User; isSignedIn: boolean },
): Promise<CallReply<'signInWithApp'>> {
  const { db } = dependencies;
  if (opened.isSignedIn) return { status: '2FA verified successfully', ...sessionUserOf(opened.user) };
  const { email } = opened.user;
  call.cookies.clear('halfLogin');
  await audit(db, call, opened.user, 'sign-in', 'refused', { detail: { reason: 'e-mail not verified' } });
  if (await isMailDue(db, 'verification', email, call.now))
    await mailCode(dependencies, call, { email, user: opened.user, purpose: 'verification', holder: '' }).catch((error: unknown) =>
      call.log.error({ err: error }, 'no verification code was mailed'),
    );
  return { status: verificationSent, email };
}
