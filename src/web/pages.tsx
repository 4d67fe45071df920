import { lazy, Suspense, useEffect } from 'react';
import { Navigate, Route, Routes, useLocation, useNavigate } from 'react-router';
import { keepReturnAddress } from './address/return-address.ts';
import { logoutEvent } from './api/refresh.ts';
import { ResetPassword } from './auth/reset-password.tsx';
import { SetUp } from './auth/set-up.tsx';
import { SignIn } from './auth/sign-in.tsx';
import { SignUp } from './auth/sign-up.tsx';
import { TwoFactor } from './auth/two-factor.tsx';
import { VerifyEmail } from './auth/verify-email.tsx';
import { noteSessionEnd } from './session/session-end.ts';
import { clearSession, sessionStore } from './session/session-store.ts';
import { Loading, ProtectedRoute } from './shell/protected-route.tsx';

const Dashboard = lazy(() => import('./shell/dashboard.tsx').then((module) => ({ default: module.Dashboard })));

/** Every address of the application. */
export function Pages() {
  useLogoutEvent();
  return (
    <Routes>
      <Route path="/login" element={<SignIn />} />
      <Route path="/register" element={<SignUp />} />
      <Route path="/verify-email" element={<VerifyEmail />} />
      <Route path="/2fa" element={<TwoFactor />} />
      <Route path="/set-up" element={<SetUp />} />
      <Route path="/reset-password" element={<ResetPassword />} />
      <Route
        path="/"
        element={
          <ProtectedRoute>
            <Suspense fallback={<Loading />}>
              <Dashboard />
            </Suspense>
          </ProtectedRoute>
        }
      />
      <Route path="*" element={<ToDashboard />} />
    </Routes>
  );
}

/** Any other address is the dashboard's, with what its query names. */
function ToDashboard() {
  const { search } = useLocation();
  return <Navigate to={{ pathname: '/', search }} replace />;
}

/** A session that could not be renewed ends here: it is cleared and the person is sent to sign in. */
function useLogoutEvent(): void {
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  useEffect(() => {
    const end = () => {
      // Who was never signed in here has lost nothing.
      if (sessionStore.getState().user !== null) noteSessionEnd('ended');
      clearSession();
      if (pathname === '/') keepReturnAddress(search);
      if (pathname !== '/login') void navigate('/login', { replace: true });
    };
    window.addEventListener(logoutEvent, end);
    return () => window.removeEventListener(logoutEvent, end);
  }, [navigate, pathname, search]);
}
