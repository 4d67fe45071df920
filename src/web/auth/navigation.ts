import { useLocation } from 'react-router';

/** What one auth screen passes to the next. */
export interface AuthState {
  email?: string; // the account
  message?: string; // a success to show
}

/** What the screen before has passed on; empty when the address was typed. */
export function useAuthState(): AuthState {
  const state: unknown = useLocation().state;
  if (typeof state !== 'object' || state === null) return {};
  const { email, message } = state as Record<string, unknown>;
  return {
    ...(typeof email === 'string' && email !== '' ? { email } : {}),
    ...(typeof message === 'string' ? { message } : {}),
  };
}
