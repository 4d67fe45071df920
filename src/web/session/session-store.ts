import type { SessionUser } from '#contract/auth.ts';
import { createStore } from 'zustand';
import { persist } from 'zustand/middleware';
import { readRoleFrom } from '../api/sent-role.ts';

/** A sign-in that waits for its second factor. */
export interface PendingLogin {
  userId: string;
  email: string;
  own?: OwnFactors; // which are asked for; none: a mailed code
}

/** What else than a mailed code signs an account in. */
export interface OwnFactors {
  app: boolean;
  passkeys: boolean;
  mailedCodes: boolean; // whether a mailed code would do, too
}

/** Who is signed in, as far as the browser knows. The server decides on its own. */
export interface Session {
  user: SessionUser | null; // kept in the browser, so that a reload knows the role
  isAuthenticated: boolean; // false at start, until the session check or a sign-in says otherwise
  isChecking: boolean; // while the session check at start runs
  pendingLogin: PendingLogin | null;
}

const signedOut: Session = { user: null, isAuthenticated: false, isChecking: false, pendingLogin: null };

/** The session. Readable outside React, because each call names the role. */
export const sessionStore = createStore<Session>()(
  persist((): Session => signedOut, {
    name: 'auth-storage',
    partialize: ({ user }) => ({ user }),
  }),
);

readRoleFrom(() => sessionStore.getState().user?.role ?? '');

/** Makes `user` the signed-in person. */
export function setUser({ email, userId, role, verified, email_verified, has_2fa }: SessionUser): void {
  const user = { email, userId, role, verified, email_verified, has_2fa };
  sessionStore.setState({ user, isAuthenticated: true, isChecking: false, pendingLogin: null });
}

/** Remembers a sign-in that waits for its second factor; nobody is signed in by it. */
export function setPendingLogin({ userId, email, own }: PendingLogin): void {
  sessionStore.setState({ ...signedOut, pendingLogin: { userId, email, ...(own === undefined ? {} : { own }) } });
}

/** Signs out in the browser: all fields cleared. */
export function clearSession(): void {
  sessionStore.setState(signedOut);
}

/** The id a second factor is checked for: of the pending sign-in, else of the signed-in person. */
export function storedUserId(session: Session): string | null {
  return session.pendingLogin?.userId ?? session.user?.userId ?? null;
}
