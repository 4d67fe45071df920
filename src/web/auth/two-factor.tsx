import { twoFactorBody } from '#contract/auth.ts';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { api } from '../api/api.ts';
import { ApiError } from '../api/api-error.ts';
import { afterSignIn, networkFailure } from '../session/login-flow.ts';
import { setUser, storedUserId } from '../session/session-store.ts';
import { useSession } from '../session/use-session.ts';
import { Button } from '../ui/button.tsx';
import { MessageLine } from '../ui/message-line.tsx';
import { AuthLayout } from './auth-layout.tsx';
import { CodeField } from './fields.tsx';
import { firstIssue } from './first-issue.ts';
import { twoFactorTone } from './message-tone.ts';
import { useAuthState } from './navigation.ts';

const wrongCode = 'Invalid or expired 2FA code. Please try again.';
const resendFailed = 'Failed to resend 2FA code. Please try again.';
const resent = 'A new 2FA code has been sent to your email';

/** The second factor of a sign-in. */
export function TwoFactor() {
  const navigate = useNavigate();
  const { email } = useAuthState();
  const userId = useSession(storedUserId);
  const [code, setCode] = useState('');
  const [busy, setBusy] = useState<'verify' | 'resend' | null>(null);
  const [message, setMessage] = useState<string | null>(null);
  const [detail, setDetail] = useState<string | null>(null);

  const run = async (what: 'verify' | 'resend', failed: string, action: () => Promise<void>) => {
    setBusy(what);
    setMessage(null);
    setDetail(null);
    try {
      await action();
    } catch (failure) {
      setMessage(failed);
      setDetail(reasonOf(failure));
    } finally {
      setBusy(null);
    }
  };
  const refuse = (text: string) => {
    setMessage(text);
    setDetail(null);
  };
  const verify = async () => {
    const issue = firstIssue(twoFactorBody, { code });
    if (issue !== null) return refuse(issue.text);
    if (userId === null) return refuse('User ID not found');
    await run('verify', wrongCode, async () => {
      const answer = await api.verifyTwoFactor({ params: { id: userId }, body: { code } });
      setUser(answer);
      const { path, state } = afterSignIn(answer);
      await navigate(path, { state });
    });
  };
  const resend = async () => {
    if (email === undefined) return refuse('Email not found. Please go back to login.');
    await run('resend', resendFailed, async () => {
      await api.resendTwoFactor({ body: { email } });
      setMessage(resent);
    });
  };

  return (
    <AuthLayout
      title="Two-Factor Authentication"
      intro={
        email === undefined ? undefined : (
          <>
            We sent a 6-digit code to <strong>{email}</strong>.
          </>
        )
      }
      onSubmit={() => void verify()}
      footer={<Link to="/login">Back to Sign In</Link>}
    >
      <CodeField label="2FA Code" value={code} onChange={setCode} invalid={message !== null && twoFactorTone(message) === 'error'} />
      <MessageLine tone={twoFactorTone(message ?? '')} text={message} detail={detail} />
      <div className="auth-actions">
        <Button type="submit" size="large" loading={busy === 'verify'} disabled={busy !== null}>
          Verify 2FA Code
        </Button>
        <Button variant="ghost" loading={busy === 'resend'} disabled={busy !== null} onClick={() => void resend()}>
          Resend 2FA Code
        </Button>
      </div>
    </AuthLayout>
  );
}

/** Why a call failed, below the fixed text: the server's sentence, or that no answer came. */
function reasonOf(failure: unknown): string | null {
  if (!(failure instanceof ApiError)) return null;
  return failure.isNetworkError ? networkFailure : failure.detail;
}
