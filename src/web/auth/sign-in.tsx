import { emailBody, loginBody } from '#contract/auth.ts';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { signInApi } from '../api/sign-in-api.ts';
import { afterLogin, loginFailure } from '../session/login-flow.ts';
import { sessionEndTexts, useSessionEnd } from '../session/session-end.ts';
import { useSessionRecheck } from '../session/use-session-recheck.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { MessageLine } from '../ui/message-line.tsx';
import { firstIssue } from '../ui/first-issue.ts';
import { useSubmission } from '../ui/use-submission.ts';
import { AuthLayout } from './auth-layout.tsx';
import { EmailField, PasswordField } from './fields.tsx';
import { signInTone } from './message-tone.ts';
import { linesOf } from './lines-of.ts';
import { useAuthState } from './navigation.ts';

/** The sign-in screen, with its forgot-password mode. */
export function SignIn() {
  const { email: knownEmail = '', message = null } = useAuthState();
  const [email, setEmail] = useState(knownEmail);
  const [isForgotten, setForgotten] = useState(false);
  return isForgotten ? (
    <ForgotPassword email={email} onEmail={setEmail} onBack={() => setForgotten(false)} />
  ) : (
    <Credentials email={email} onEmail={setEmail} onForgot={() => setForgotten(true)} message={message} />
  );
}

interface CredentialsProps {
  email: string;
  onEmail: (email: string) => void;
  onForgot: () => void;
  message: string | null; // from the screen before
}

function Credentials({ email, onEmail, onForgot, message: messageBefore }: CredentialsProps) {
  const navigate = useNavigate();
  const [password, setPassword] = useState('');
  const [submission, submit] = useSubmission<'sign-in'>(messageBefore);
  const field = submission.issue?.field ?? '';
  const { error, message } = linesOf(submission, loginFailure);
  const isBusy = submission.busy !== null;
  const end = useSessionEnd();
  useSessionRecheck();

  const signIn = () => {
    const body = { email, password };
    return submit('sign-in', firstIssue(loginBody, body), async () => {
      const { path, state } = afterLogin(await signInApi.login({ body }));
      await navigate(path, { state });
    });
  };

  return (
    <AuthLayout
      title="Sign In"
      intro="Sign in to your control room."
      onSubmit={() => void signIn()}
      footer={
        <span>
          New here? <Link to="/register">Sign Up</Link>
        </span>
      }
    >
      {end === null || end === 'left' ? null : <Banner tone="warning" text={sessionEndTexts[end]} />}
      <EmailField value={email} onChange={onEmail} invalid={field === 'email'} autoFocus={email === ''} />
      <PasswordField label="Password" value={password} onChange={setPassword} invalid={field === 'password'} autoFocus={email !== ''} />
      <button type="button" className="auth-link" onClick={onForgot}>
        Forgot password?
      </button>
      <MessageLine tone="error" text={error} />
      <MessageLine tone={signInTone(message ?? '')} text={message} />
      <Button type="submit" size="large" loading={isBusy}>
        {isBusy ? 'Signing In...' : 'Sign In'}
      </Button>
    </AuthLayout>
  );
}

interface ForgotPasswordProps {
  email: string;
  onEmail: (email: string) => void;
  onBack: () => void;
}

function ForgotPassword({ email, onEmail, onBack }: ForgotPasswordProps) {
  const navigate = useNavigate();
  const [submission, submit] = useSubmission<'send'>();
  const { error, message } = linesOf(submission);

  const sendCode = () =>
    submit('send', firstIssue(emailBody, { email }), async () => {
      const { status } = await signInApi.forgotPassword({ body: { email } });
      await navigate('/reset-password', { state: { email, message: status } });
    });

  return (
    <AuthLayout
      title="Forgot Password"
      intro="We'll email you a reset code."
      onSubmit={() => void sendCode()}
      footer={
        <>
          <button type="button" className="auth-link" onClick={onBack}>
            Back to Sign In
          </button>
          <Link to="/reset-password" className="auth-link">
            I already have a code
          </Link>
        </>
      }
    >
      <EmailField value={email} onChange={onEmail} invalid={error !== null} />
      <MessageLine tone="error" text={error} />
      <MessageLine tone={signInTone(message ?? '')} text={message} />
      <Button type="submit" size="large" loading={submission.busy !== null}>
        Send Reset Code
      </Button>
    </AuthLayout>
  );
}
