import { createStore, useStore } from 'zustand';

/**
 * Why nobody is signed in: the server ended the session, the person left, or the server could not be asked. Null before
 * anybody was signed in, and while somebody is.
 */
export type SessionEnd = 'ended' | 'left' | 'unreachable' | null;

/** See `SessionEnd`. */
export const sessionEndStore = createStore<{ reason: SessionEnd }>(() => ({ reason: null }));

/** Notes why the session is over. */
export function noteSessionEnd(reason: SessionEnd): void {
  sessionEndStore.setState({ reason });
}

/** Why the session is over, followed. */
export function useSessionEnd(): SessionEnd {
  return useStore(sessionEndStore, ({ reason }) => reason);
}

/** What the sign-in screen says of it. */
export const sessionEndTexts: Record<Exclude<SessionEnd, null | 'left'>, string> = {
  ended: 'Your session has ended. Please sign in again.',
  unreachable: 'The server cannot be reached. This page continues by itself as soon as it answers.',
};
