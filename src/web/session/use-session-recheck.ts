import { useEffect } from 'react';
import { useNavigate } from 'react-router';
import { checkSession, recheckMs } from './session-check.ts';
import { useSessionEnd } from './session-end.ts';
import { sessionStore } from './session-store.ts';

/**
 * While the server could not be asked who is signed in, asks again every few seconds, and goes to the dashboard when a
 * session turns out to be there. So an outage does not cost anybody a sign-in.
 */
export function useSessionRecheck(): void {
  const navigate = useNavigate();
  const isUnreachable = useSessionEnd() === 'unreachable';

  useEffect(() => {
    if (!isUnreachable) return;
    const again = async () => {
      await checkSession();
      if (sessionStore.getState().isAuthenticated) await navigate('/', { replace: true });
    };
    const timer = setInterval(() => void again(), recheckMs);
    return () => clearInterval(timer);
  }, [isUnreachable, navigate]);
}
