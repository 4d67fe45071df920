import { api } from '../api/api.ts';
import { clearSession, sessionStore, setUser } from './session-store.ts';

const withoutCheck: ReadonlySet<string> = new Set(['/login', '/register', '/forgot-password', '/verify-email']);

/** Whether an application that starts at `path` asks the server who is signed in. */
export function needsSessionCheck(path: string): boolean {
  return !withoutCheck.has(path);
}

/** Asks the server who is signed in; nobody is when the call fails. */
export async function checkSession(): Promise<void> {
  sessionStore.setState({ isChecking: true });
  try {
    setUser(await api.getMe({}));
  } catch {
    clearSession();
  }
}

/** The session check of an application that starts at `path`. */
export async function startSession(path: string): Promise<void> {
  if (needsSessionCheck(path)) await checkSession();
}
