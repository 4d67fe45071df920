import { useEffect } from 'react';
import { Navigate, Route, Routes, useLocation, useNavigate } from 'react-router';
import { keepReturnAddress } from './address/return-address.ts';
import { logoutEvent } from './api/refresh.ts';
import { SignIn } from './auth/sign-in.tsx';
import { noteSessionEnd } from './session/session-end.ts';
import { clearSession, sessionStore } from './session/session-store.ts';
import { Loading, ProtectedRoute } from './shell/protected-route.tsx';
import { onDemand } from './ui/on-demand.tsx';

// Most people only sign in: the other screens before the dashboard come when they are opened.
const SignUp = onDemand(() => import('./auth/sign-up.tsx').then((module) => module.SignUp), <Loading />);
const VerifyEmail = onDemand(() => import('./auth/verify-email.tsx').then((module) => module.VerifyEmail), <Loading />);
const TwoFactor = onDemand(() => import('./auth/two-factor.tsx').then((module) => module.TwoFactor), <Loading />);
const SetUp = onDemand(() => import('./auth/set-up.tsx').then((module) => module.SetUp), <Loading />);
const ResetPassword = onDemand(() => import('./auth/reset-password.tsx').then((module) => module.ResetPassword), <Loading />);
const Dashboard = onDemand(() => import('./shell/dashboard.tsx').then((module) => module.Dashboard), <Loading />);

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
            <Dashboard />
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
