import type { SessionUser } from '#contract/auth.ts';
import { useStore } from 'zustand';
import type { Session } from './session-store.ts';
import { sessionStore } from './session-store.ts';

/** A part of the session, followed. */
export function useSession<T>(select: (session: Session) => T): T {
  return useStore(sessionStore, select);
}

/** The signed-in person, or null. */
export function useUser(): SessionUser | null {
  return useSession((session) => session.user);
}
