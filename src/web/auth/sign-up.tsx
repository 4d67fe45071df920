import { emailBody, registerBody, verifyEmailBody } from '#contract/auth.ts';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { api } from '../api/api.ts';
import { messageOf } from '../api/api-error.ts';
import { afterVerification } from '../session/login-flow.ts';
import { setUser } from '../session/session-store.ts';
import { Button } from '../ui/button.tsx';
import { MessageLine } from '../ui/message-line.tsx';
import { firstIssue } from '../ui/first-issue.ts';
import { useSubmission } from '../ui/use-submission.ts';
import { AuthLayout } from './auth-layout.tsx';
import { CodeField, EmailField, PasswordField } from './fields.tsx';
import { signInTone } from './message-tone.ts';
import { linesOf } from './lines-of.ts';

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
  const [{ busy, issue, failed }, submit] = useSubmission<'register'>();
  const failure = failed === null ? null : messageOf(failed.error);
  const isBusy = busy !== null;

  const register = () => {
    const body = { email, password, confirmPassword };
    return submit('register', firstIssue(registerBody, body), async () => {
      const answer = await api.register({ body });
      setUser(answer);
      onRegistered({ email, status: answer.status });
    });
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
  const [submission, submit] = useSubmission<'verify' | 'resend'>(status);
  const { busy } = submission;
  const { error, message } = linesOf(submission);

  const verify = () =>
    submit('verify', firstIssue(verifyEmailBody, { email, code }), async () => {
      const { path, state } = afterVerification(await api.verifyEmail({ body: { email, code } }));
      await navigate(path, { state });
    });
  const resend = () =>
    submit('resend', firstIssue(emailBody, { email }), async () => (await api.resendVerification({ body: { email } })).status);

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
