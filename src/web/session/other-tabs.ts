import { checkSession, recheckSession } from './session-check.ts';
import { sessionStore } from './session-store.ts';

/**
 * Asks the server again who is signed in when another tab of the browser has signed out or in as somebody else: both
 * share the cookie, so this tab would act for a person it does not show. Until the answer comes it shows nothing where somebody else
 * is signed in there, or was left on purpose (nothing is kept then), and what it shows where nobody is: that may only be a tab whose sign-in has
 * not ended yet, or that could not ask. Answers how to stop.
 */
export function followOtherTabs(): () => void {
  const follow = ({ key, newValue }: StorageEvent) => {
    const { user, isAuthenticated } = sessionStore.getState();
    if (key !== 'auth-storage' || !isAuthenticated || newValue?.includes(user?.userId ?? '') === true) return;
    void (newValue?.includes('"user":null') === true ? recheckSession() : checkSession());
  };
  window.addEventListener('storage', follow);
  return () => window.removeEventListener('storage', follow);
}
