import { emailBody, verifyEmailBody } from '#contract/auth.ts';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { api } from '../api/api.ts';
import { messageOf } from '../api/api-error.ts';
import { afterVerification } from '../session/login-flow.ts';
import { Button } from '../ui/button.tsx';
import { MessageLine } from '../ui/message-line.tsx';
import { firstIssue } from '../ui/first-issue.ts';
import { useSubmission } from '../ui/use-submission.ts';
import { AuthLayout } from './auth-layout.tsx';
import { CodeField, EmailField } from './fields.tsx';
import { verifyTone } from './message-tone.ts';
import { useAuthState } from './navigation.ts';

/** The confirmation of an e-mail address by a mailed code. */
export function VerifyEmail() {
  const navigate = useNavigate();
  const known = useAuthState().email;
  const [email, setEmail] = useState(known ?? '');
  const [code, setCode] = useState('');
  const [{ busy, issue, failed, notice }, submit] = useSubmission<'verify' | 'resend'>();
  const field = issue?.field ?? '';
  const message = issue?.text ?? (failed === null ? notice : messageOf(failed.error));

  const verify = () =>
    submit('verify', firstIssue(verifyEmailBody, { email, code }), async () => {
      const { path, state } = afterVerification(await api.verifyEmail({ body: { email, code } }));
      await navigate(path, { state });
    });
  const resend = () =>
    submit('resend', firstIssue(emailBody, { email }), async () => (await api.resendVerification({ body: { email } })).status);

  return (
    <AuthLayout
      title="Verify Your Email"
      intro="Enter the code we sent to your email address."
      onSubmit={() => void verify()}
      footer={<Link to="/login">Back to Sign In</Link>}
    >
      <EmailField value={email} onChange={setEmail} locked={known !== undefined} invalid={field === 'email'} />
      <CodeField label="Verification Code" value={code} onChange={setCode} invalid={field === 'code'} />
      <MessageLine tone={verifyTone(message ?? '')} text={message} />
      <div className="auth-actions">
        <Button type="submit" size="large" loading={busy === 'verify'} disabled={busy !== null}>
          {busy === 'verify' ? 'Verifying...' : 'Verify Email'}
        </Button>
        <Button variant="ghost" loading={busy === 'resend'} disabled={busy !== null} onClick={() => void resend()}>
          Resend Verification Code
        </Button>
      </div>
    </AuthLayout>
  );
}
