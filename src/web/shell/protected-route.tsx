import type { ReactNode } from 'react';
import { Navigate } from 'react-router';
import { useSession } from '../session/use-session.ts';

/** Shows its content to signed-in people only; others go to sign in. */
export function ProtectedRoute({ children }: { children: ReactNode }) {
  const isChecking = useSession((session) => session.isChecking);
  const isAuthenticated = useSession((session) => session.isAuthenticated);
  if (isChecking) return <Loading />;
  return isAuthenticated ? children : <Navigate to="/login" replace />;
}

/** Shown while it is not known yet who is signed in, and while the dashboard arrives. */
export function Loading() {
  return (
    <main className="fl-loading">
      <p role="status">Loading...</p>
    </main>
  );
}
