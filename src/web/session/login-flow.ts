import { appAsked, twoFactorSent } from '#contract/auth.ts';
import type { CallReply } from '#contract/client.ts';
import { texts } from '#contract/errors.ts';
import { ApiError } from '../api/api-error.ts';
import { clearSession, setPendingLogin, setUser } from './session-store.ts';

/** A place to go to, with what it is to know. */
export interface Destination {
  path: string;
  state?: { email: string; message?: string };
}

/** Stores what the answer of a sign-in says and returns where to go. */
export function afterLogin(answer: CallReply<'login'>): Destination {
  const state = { email: answer.email };
  if ('mailed_codes' in answer) {
    const { userId, email, status, mailed_codes: mailedCodes, passkeys } = answer;
    setPendingLogin({ userId, email, own: { app: status === appAsked, passkeys, mailedCodes } });
    return { path: '/2fa', state };
  }
  if (answer.status === twoFactorSent || !('role' in answer)) {
    setPendingLogin(answer);
    return { path: '/2fa', state };
  }
  setUser(answer);
  if (answer.has_2fa) return { path: '/2fa', state };
  return afterSignIn(answer);
}

/** Where a signed-in person goes: to the dashboard once the e-mail is confirmed. */
export function afterSignIn(user: { email: string; email_verified: boolean }): Destination {
  return user.email_verified ? { path: '/dashboard' } : { path: '/verify-email', state: { email: user.email } };
}

/** Stores what the answer to an authenticator app, a backup code or a passkey says and returns where to go: to prove the mailbox first, where that is missing. */
export function afterAppSignIn(answer: CallReply<'signInWithApp'>): Destination {
  if (!('role' in answer)) {
    clearSession();
    return { path: '/verify-email', state: { email: answer.email } };
  }
  setUser(answer);
  return afterSignIn(answer);
}

/** Stores what the answer to a confirmed e-mail says and returns where to go: to sign in, where a second factor is still missing. */
export function afterVerification(answer: CallReply<'verifyEmail'>): Destination {
  if (!('role' in answer)) {
    clearSession(); // what the sign-up has stored is not a session
    return { path: '/login', state: { email: answer.email, message: answer.status } };
  }
  setUser(answer);
  return afterSignIn(answer);
}

/** The text of a failed sign-in. */
export function loginFailure(error: unknown): string {
  if (!(error instanceof ApiError)) return 'Login failed';
  if (error.detail !== null) return error.detail;
  if (error.isNetworkError) return networkFailure;
  return error.status === 401 ? 'Invalid email or password' : 'Login failed';
}

/** Said when no answer came. */
const networkFailure = 'Network error: Unable to connect to the server';

/** What is said where the server answered that it cannot answer; the header says the same. */
const serverFailure = 'Server error: it cannot answer now, and is asked again';

/** Why a call failed, below a fixed text: the server's sentence, that it has an error, or that no answer came. */
export function reasonOf(failure: unknown): string | null {
  if (!(failure instanceof ApiError)) return null;
  if (failure.isNetworkError) return networkFailure;
  const isUnsaid = failure.detail === null || failure.detail === texts.general;
  return isUnsaid && (failure.status ?? 0) >= 500 ? serverFailure : failure.detail;
}
