import { invitedRegisterBody, registerBody, registrationClosed } from '#contract/auth.ts';
import { useState } from 'react';
import { Link } from 'react-router';
import { signInApi } from '../api/sign-in-api.ts';
import { messageOf } from '../api/api-error.ts';
import { setUser } from '../session/session-store.ts';
import { Button } from '../ui/button.tsx';
import { MessageLine } from '../ui/message-line.tsx';
import { LoadingRows } from '../ui/skeleton.tsx';
import { firstIssue } from '../ui/first-issue.ts';
import { useSubmission } from '../ui/use-submission.ts';
import { AuthLayout } from './auth-layout.tsx';
import { CodeField, EmailField, InvitationField, NewPasswordFields } from './fields.tsx';
import { signInTone } from './message-tone.ts';
import { linesOf } from './lines-of.ts';
import { useRegistration } from './use-registration.ts';
import { useVerification } from './use-verification.ts';
import { WhereMailsGo } from './where-mails-go.tsx';

/** The sign-up screen; after a sign-up it becomes the confirmation of the e-mail address. */
export function SignUp() {
  const [registered, setRegistered] = useState<{ email: string; status: string } | null>(null);
  const { registration, recheck } = useRegistration();
  if (registered !== null) return <VerifyStep {...registered} />;
  if (registration === null || registration === 'closed') return <NoForm isClosed={registration === 'closed'} />;
  return <NewAccount isInvited={registration === 'invitation'} onRegistered={setRegistered} onFailed={recheck} />;
}

const backToSignIn = (
  <span>
    Already have an account? <Link to="/login">Sign In</Link>
  </span>
);

/** Stands in for the form where nobody may sign up, and until that is known. */
function NoForm({ isClosed }: { isClosed: boolean }) {
  return (
    <AuthLayout title="Sign Up" onSubmit={() => {}} footer={backToSignIn}>
      {isClosed ? <p role="status">{registrationClosed}</p> : <LoadingRows label="Loading" rows={3} height={48} />}
    </AuthLayout>
  );
}

interface NewAccountProps {
  isInvited: boolean; // an account needs the code of an invitation
  onRegistered: (registered: { email: string; status: string }) => void;
  onFailed: () => void;
}

function NewAccount({ isInvited, onRegistered, onFailed }: NewAccountProps) {
  const [email, setEmail] = useState('');
  const [invitationCode, setInvitationCode] = useState('');
  const [password, setPassword] = useState('');
  const [confirmPassword, setConfirmPassword] = useState('');
  const [{ busy, issue, failed }, submit] = useSubmission<'register'>();
  const failure = failed === null ? null : messageOf(failed.error);
  const isBusy = busy !== null;

  const register = () => {
    const body = { email, password, confirmPassword, ...(isInvited ? { invitationCode } : {}) };
    return submit('register', firstIssue(isInvited ? invitedRegisterBody : registerBody, body), async () => {
      const answer = await signInApi.register({ body }).catch((error: unknown) => {
        onFailed(); // who may sign up may have changed since the page was opened
        throw error;
      });
      setUser(answer);
      onRegistered({ email, status: answer.status });
    });
  };

  return (
    <AuthLayout title="Sign Up" intro="Create your account." onSubmit={() => void register()} footer={backToSignIn}>
      <EmailField value={email} onChange={setEmail} invalid={issue?.field === 'email'} />
      <NewPasswordFields
        password={password}
        confirmPassword={confirmPassword}
        onPassword={setPassword}
        onConfirm={setConfirmPassword}
        invalidField={issue?.field}
      />
      {isInvited ? (
        <InvitationField value={invitationCode} onChange={setInvitationCode} invalid={issue?.field === 'invitationCode'} />
      ) : null}
      <MessageLine tone="error" text={issue?.text ?? null} />
      <MessageLine tone="error" text={failure === null ? null : 'Registration failed'} detail={failure} />
      <Button type="submit" size="large" loading={isBusy}>
        {isBusy ? 'Signing Up...' : 'Sign Up'}
      </Button>
    </AuthLayout>
  );
}

function VerifyStep({ email, status }: { email: string; status: string }) {
  const [code, setCode] = useState('');
  const { submission, verify, resend } = useVerification({ email, code }, status);
  const { busy } = submission;
  const { error, message } = linesOf(submission);

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
      <WhereMailsGo />
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
