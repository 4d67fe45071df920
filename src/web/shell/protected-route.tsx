import { Fragment, type ReactNode, useEffect, useState } from 'react';
import { Navigate, useLocation } from 'react-router';
import { dropReturnAddress, keepReturnAddress } from '../address/return-address.ts';
import { sessionEndStore } from '../session/session-end.ts';
import { useSession } from '../session/use-session.ts';

/** Shows its content to signed-in people only; others go to sign in. */
export function ProtectedRoute({ children }: { children: ReactNode }) {
  const isChecking = useSession((session) => session.isChecking);
  const isAuthenticated = useSession((session) => session.isAuthenticated);
  const known = useSession((session) => session.user?.userId);
  const [userId, setUserId] = useState(known);
  if (known !== undefined && known !== userId) setUserId(known); // who is not known for a moment is no other person
  if (isChecking) return <Loading />;
  // Another person, who has signed in at another tab, finds nothing of this one: no open dialog and nothing typed.
  return isAuthenticated ? <Fragment key={userId}>{children}</Fragment> : <ToSignIn />;
}

/** Leads to sign in and notes the address, unless the person left on purpose. */
function ToSignIn() {
  const { search } = useLocation();
  useEffect(() => {
    if (sessionEndStore.getState().reason === 'left') dropReturnAddress();
    else keepReturnAddress(search);
  }, [search]);
  return <Navigate to="/login" replace />;
}

/** Shown while it is not known yet who is signed in, and while the dashboard arrives. */
export function Loading() {
  return (
    <main className="fl-loading">
      <p role="status">Loading...</p>
    </main>
  );
}
