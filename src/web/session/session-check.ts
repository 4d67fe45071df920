import { signInApi } from '../api/sign-in-api.ts';
import { isOutage } from '../api/outage.ts';
import { noteSessionEnd } from './session-end.ts';
import { clearSession, sessionStore, setUser } from './session-store.ts';

const withoutCheck: ReadonlySet<string> = new Set(['/login', '/register', '/forgot-password', '/verify-email', '/set-up']);

/** Whether an application that starts at `path` asks the server who is signed in. */
export function needsSessionCheck(path: string): boolean {
  return !withoutCheck.has(path);
}

/** How long the sign-in screen waits before it asks an unreachable server again, in ms. */
export const recheckMs = 5000;

/** Asks the server who is signed in; nobody is when the call fails. */
export async function checkSession(): Promise<void> {
  const wasKnown = sessionStore.getState().user !== null;
  sessionStore.setState({ isChecking: true });
  try {
    setUser(await signInApi.getMe({}));
    noteSessionEnd(null);
  } catch (error) {
    if (isOutage(error)) noteSessionEnd('unreachable');
    else if (wasKnown) noteSessionEnd('ended');
    clearSession();
  }
}

/** Asks the server whether the person is still signed in, who sees nothing of it; an outage does not say that it is over. */
export async function recheckSession(): Promise<void> {
  try {
    const user = await signInApi.getMe({});
    if (sessionStore.getState().isAuthenticated) setUser(user); // not left meanwhile
  } catch (error) {
    if (isOutage(error) || !sessionStore.getState().isAuthenticated) return;
    noteSessionEnd('ended');
    clearSession();
  }
}

/** The session check of an application that starts at `path`. */
export async function startSession(path: string): Promise<void> {
  if (needsSessionCheck(path)) await checkSession();
}
