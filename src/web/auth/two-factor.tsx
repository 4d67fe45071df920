import { twoFactorBody } from '#contract/auth.ts';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { signInApi } from '../api/sign-in-api.ts';
import { afterSignIn, reasonOf } from '../session/login-flow.ts';
import { setUser, storedUserId } from '../session/session-store.ts';
import { useSession } from '../session/use-session.ts';
import { Button } from '../ui/button.tsx';
import { MessageLine } from '../ui/message-line.tsx';
import { firstIssue } from '../ui/first-issue.ts';
import { onDemand } from '../ui/on-demand.tsx';
import { useSubmission } from '../ui/use-submission.ts';
import { AuthLayout } from './auth-layout.tsx';
import { CodeField } from './fields.tsx';
import { twoFactorTone } from './message-tone.ts';
import { useAuthState } from './navigation.ts';
import { WhereMailsGo } from './where-mails-go.tsx';

const wrongCode = 'Invalid or expired 2FA code. Please try again.';
const resendFailed = 'Failed to resend 2FA code. Please try again.';
const resent = 'A new 2FA code has been sent to your email';

const OwnFactor = onDemand(() => import('./own-factor.tsx').then((module) => module.OwnFactor), <p className="fl-loading">Loading...</p>);

/** The second factor of a sign-in: a passkey or a code of the authenticator app where there is one, else a mailed code. */
export function TwoFactor() {
  const own = useSession(({ pendingLogin }) => pendingLogin?.own) ?? null;
  const [isByMail, setByMail] = useState(false);
  if (own === null || isByMail) return <MailedCode notice={isByMail ? resent : null} />;
  return <OwnFactor factors={own} onMailed={() => setByMail(true)} />;
}

function MailedCode({ notice: noticeBefore }: { notice: string | null }) {
  const navigate = useNavigate();
  const { email } = useAuthState();
  const userId = useSession(storedUserId);
  const [code, setCode] = useState('');
  const [{ busy, issue, failed, notice }, submit] = useSubmission<'verify' | 'resend'>(noticeBefore);
  const message = issue?.text ?? (failed === null ? notice : failed.button === 'verify' ? wrongCode : resendFailed);
  const detail = failed === null ? null : reasonOf(failed.error);

  const verify = () => {
    const wrong = firstIssue(twoFactorBody, { code }) ?? (userId === null ? { text: 'User ID not found', field: '' } : null);
    return submit('verify', wrong, async () => {
      const answer = await signInApi.verifyTwoFactor({ params: { id: userId ?? '' }, body: { code } });
      setUser(answer);
      const { path, state } = afterSignIn(answer);
      await navigate(path, { state });
    });
  };
  const resend = () => {
    const wrong = email === undefined ? { text: 'Email not found. Please go back to login.', field: '' } : null;
    return submit('resend', wrong, async () => {
      await signInApi.resendTwoFactor({ body: { email: email ?? '' } });
      return resent;
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
      <WhereMailsGo />
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
