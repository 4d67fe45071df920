import { emailBody, resetPasswordBody } from '#contract/auth.ts';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { signInApi } from '../api/sign-in-api.ts';
import { messageOf } from '../api/api-error.ts';
import { Button } from '../ui/button.tsx';
import { MessageLine } from '../ui/message-line.tsx';
import { firstIssue } from '../ui/first-issue.ts';
import { useSubmission } from '../ui/use-submission.ts';
import { AuthLayout } from './auth-layout.tsx';
import { CodeField, EmailField, NewPasswordFields } from './fields.tsx';
import { useAuthState } from './navigation.ts';
import { WhereMailsGo } from './where-mails-go.tsx';

/** Sets a new password by a mailed code. */
export function ResetPassword() {
  const navigate = useNavigate();
  const { email: known, message: messageBefore = null } = useAuthState();
  const [email, setEmail] = useState(known ?? '');
  const [code, setCode] = useState('');
  const [password, setPassword] = useState('');
  const [confirmPassword, setConfirmPassword] = useState('');
  const [{ busy, issue, failed, notice }, submit] = useSubmission<'reset' | 'resend'>(messageBefore);
  const field = issue?.field ?? '';

  const reset = () => {
    const body = { email, code, password, confirmPassword };
    return submit('reset', firstIssue(resetPasswordBody, body), async () => {
      const { status } = await signInApi.resetPassword({ body });
      await navigate('/login', { state: { email, message: status } });
    });
  };
  const resend = () =>
    submit('resend', firstIssue(emailBody, { email }), async () => (await signInApi.forgotPassword({ body: { email } })).status);

  return (
    <AuthLayout
      title="Reset Password"
      intro="Enter the code from the email, and a new password."
      onSubmit={() => void reset()}
      footer={<Link to="/login">Back to Sign In</Link>}
    >
      <EmailField value={email} onChange={setEmail} locked={known !== undefined} invalid={field === 'email'} />
      <CodeField label="Reset Code" value={code} onChange={setCode} invalid={field === 'code'} />
      <WhereMailsGo />
      <NewPasswordFields
        label="New Password"
        password={password}
        confirmPassword={confirmPassword}
        onPassword={setPassword}
        onConfirm={setConfirmPassword}
        invalidField={field}
      />
      <MessageLine tone="error" text={issue?.text ?? (failed === null ? null : messageOf(failed.error))} />
      <MessageLine tone="success" text={notice} />
      <div className="auth-actions">
        <Button type="submit" size="large" loading={busy === 'reset'} disabled={busy !== null}>
          {busy === 'reset' ? 'Resetting...' : 'Reset Password'}
        </Button>
        <Button variant="ghost" loading={busy === 'resend'} disabled={busy !== null} onClick={() => void resend()}>
          Resend Reset Code
        </Button>
      </div>
    </AuthLayout>
  );
}
