import { useQuery } from '@tanstack/react-query';
import { signInApi } from '../api/sign-in-api.ts';
import { ApiError } from '../api/api-error.ts';
import { setUser } from './session-store.ts';
import { useSession } from './use-session.ts';

/** What a check of the session says: under way, the person is who the page takes them for, or the text of its failure. */
export interface AuthCheck {
  isDone: boolean; // it has succeeded
  failure: string | null;
  again: () => void;
}

/** Asks the server who is signed in when a settings screen opens, so that role and second factor on it are those of now. */
export function useAuthCheck(): AuthCheck {
  const check = useQuery({
    queryKey: ['auth-check'],
    queryFn: async ({ signal }) => {
      const user = await signInApi.getMe({}, { signal });
      setUser(user);
      return user;
    },
    enabled: useSession(({ isAuthenticated }) => isAuthenticated),
    meta: { what: 'the signed-in person' },
  });
  return { isDone: check.isSuccess, failure: check.isError ? authFailure(check.error) : null, again: () => void check.refetch() };
}

/** The text of a failed check. */
function authFailure(error: unknown): string {
  return error instanceof ApiError && error.status === 401
    ? 'Authentication failed. Please log in again.'
    : 'Failed to authenticate. Please try again.';
}
