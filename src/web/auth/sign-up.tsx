import { emailBody, registerBody, verifyEmailBody } from '#contract/auth.ts';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { api } from '../api/api.ts';
import { messageOf } from '../api/api-error.ts';
import { afterSignIn } from '../session/login-flow.ts';
import { setUser } from '../session/session-store.ts';
import { Button } from '../ui/button.tsx';
import { MessageLine } from '../ui/message-line.tsx';
import { AuthLayout } from './auth-layout.tsx';
import { CodeField, EmailField, PasswordField } from './fields.tsx';
import { firstIssue } from './first-issue.ts';
import { signInTone } from './message-tone.ts';

/** The sign-up screen; after a sign-up it becomes the confirmation of the e-mail address. */
export function SignUp() {
  const [registered, setRegistered] = useState<{ email: string; status: string } | null>(null);
  return registered === null ? <NewAccount onRegistered={setRegistered} /> : <VerifyStep {...registered} />;
}

const backToSignIn = (
  <span>
    Already have an account? <Link to="/login">Sign In</Link>
  </span>
);

function NewAccount({ onRegistered }: { onRegistered: (registered: { email: string; status: string }) => void }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [confirmPassword, setConfirmPassword] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [issue, setIssue] = useState<ReturnType<typeof firstIssue>>(null);
  const [failure, setFailure] = useState<string | null>(null);

  const register = async () => {
    const body = { email, password, confirmPassword };
    const found = firstIssue(registerBody, body);
    setIssue(found);
    setFailure(null);
    if (found !== null) return;
    setBusy(true);
    try {
      const answer = await api.register({ body });
      setUser(answer);
      onRegistered({ email, status: answer.status });
    } catch (error) {
      setFailure(messageOf(error));
    } finally {
      setBusy(false);
    }
  };

  return (
    <AuthLayout title="Sign Up" intro="Create your account." onSubmit={() => void register()} footer={backToSignIn}>
      <EmailField value={email} onChange={setEmail} invalid={issue?.field === 'email'} />
      <PasswordField label="Password" isNew value={password} onChange={setPassword} invalid={issue?.field === 'password'} />
      <PasswordField
        label="Confirm Password"
        isNew
        value={confirmPassword}
        onChange={setConfirmPassword}
        invalid={issue?.field === 'confirmPassword'}
      />
      <MessageLine tone="error" text={issue?.text ?? null} />
      <MessageLine tone="error" text={failure === null ? null : 'Registration failed'} detail={failure} />
      <Button type="submit" size="large" loading={isBusy}>
        {isBusy ? 'Signing Up...' : 'Sign Up'}
      </Button>
    </AuthLayout>
  );
}

function VerifyStep({ email, status }: { email: string; status: string }) {
  const navigate = useNavigate();
  const [code, setCode] = useState('');
  const [busy, setBusy] = useState<'verify' | 'resend' | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [message, setMessage] = useState<string | null>(status);

  const run = async (what: 'verify' | 'resend', invalid: string | null, action: () => Promise<void>) => {
    setError(invalid);
    setMessage(null);
    if (invalid !== null) return;
    setBusy(what);
    try {
      await action();
    } catch (failure) {
      const text = messageOf(failure);
      if (signInTone(text) === 'error') setMessage(text);
      else setError(text);
    } finally {
      setBusy(null);
    }
  };
  const verify = () =>
    run('verify', firstIssue(verifyEmailBody, { email, code })?.text ?? null, async () => {
      const answer = await api.verifyEmail({ body: { email, code } });
      setUser(answer);
      const { path, state } = afterSignIn(answer);
      await navigate(path, { state });
    });
  const resend = () =>
    run('resend', firstIssue(emailBody, { email })?.text ?? null, async () => {
      setMessage((await api.resendVerification({ body: { email } })).status);
    });

  return (
    <AuthLayout
      title="Verify Email"
      intro={
        <>
          We sent a code to <strong>{email}</strong>.
        </>
      }
      onSubmit={() => void verify()}
      footer={
        <span>
          Already verified? <Link to="/login">Sign In</Link>
        </span>
      }
    >
      <CodeField label="Verification Code" value={code} onChange={setCode} invalid={error !== null} />
      <MessageLine tone="error" text={error} />
      <MessageLine tone={signInTone(message ?? '')} text={message} />
      <div className="auth-actions">
        <Button type="submit" size="large" loading={busy === 'verify'} disabled={busy !== null}>
          {busy === 'verify' ? 'Verifying...' : 'Verify Email'}
        </Button>
        <Button variant="ghost" loading={busy === 'resend'} disabled={busy !== null} onClick={() => void resend()}>
          Resend verification code
        </Button>
      </div>
    </AuthLayout>
  );
}
