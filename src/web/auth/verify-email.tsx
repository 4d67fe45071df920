import { useState } from 'react';
import { Link } from 'react-router';
import { messageOf } from '../api/api-error.ts';
import { Button } from '../ui/button.tsx';
import { MessageLine } from '../ui/message-line.tsx';
import { AuthLayout } from './auth-layout.tsx';
import { CodeField, EmailField } from './fields.tsx';
import { verifyTone } from './message-tone.ts';
import { useAuthState } from './navigation.ts';
import { useVerification } from './use-verification.ts';
import { WhereMailsGo } from './where-mails-go.tsx';

/** The confirmation of an e-mail address by a mailed code. */
export function VerifyEmail() {
  const known = useAuthState().email;
  const [email, setEmail] = useState(known ?? '');
  const [code, setCode] = useState('');
  const { submission, verify, resend } = useVerification({ email, code });
  const { busy, issue, failed, notice } = submission;
  const field = issue?.field ?? '';
  const message = issue?.text ?? (failed === null ? notice : messageOf(failed.error));

  return (
    <AuthLayout
      title="Verify Your Email"
      intro="Enter the code we sent to your email address."
      onSubmit={() => void verify()}
      footer={<Link to="/login">Back to Sign In</Link>}
    >
      <EmailField value={email} onChange={setEmail} locked={known !== undefined} invalid={field === 'email'} />
      <CodeField label="Verification Code" value={code} onChange={setCode} invalid={field === 'code'} />
      <WhereMailsGo />
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
