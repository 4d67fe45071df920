import { emailBody, resetPasswordBody } from '#contract/auth.ts';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { api } from '../api/api.ts';
import { messageOf } from '../api/api-error.ts';
import { Button } from '../ui/button.tsx';
import { MessageLine } from '../ui/message-line.tsx';
import { AuthLayout } from './auth-layout.tsx';
import { CodeField, EmailField, PasswordField } from './fields.tsx';
import { firstIssue } from './first-issue.ts';
import { useAuthState } from './navigation.ts';

/** Sets a new password by a mailed code. */
export function ResetPassword() {
  const navigate = useNavigate();
  const { email: known, message: messageBefore = null } = useAuthState();
  const [email, setEmail] = useState(known ?? '');
  const [code, setCode] = useState('');
  const [password, setPassword] = useState('');
  const [confirmPassword, setConfirmPassword] = useState('');
  const [busy, setBusy] = useState<'reset' | 'resend' | null>(null);
  const [field, setField] = useState('');
  const [error, setError] = useState<string | null>(null);
  const [success, setSuccess] = useState<string | null>(messageBefore);

  const run = async (what: 'reset' | 'resend', issue: ReturnType<typeof firstIssue>, action: () => Promise<void>) => {
    setField(issue?.field ?? '');
    setError(issue?.text ?? null);
    setSuccess(null);
    if (issue !== null) return;
    setBusy(what);
    try {
      await action();
    } catch (failure) {
      setError(messageOf(failure));
    } finally {
      setBusy(null);
    }
  };
  const reset = () => {
    const body = { email, code, password, confirmPassword };
    return run('reset', firstIssue(resetPasswordBody, body), async () => {
      const { status } = await api.resetPassword({ body });
      await navigate('/login', { state: { email, message: status } });
    });
  };
  const resend = () =>
    run('resend', firstIssue(emailBody, { email }), async () => {
      setSuccess((await api.forgotPassword({ body: { email } })).status);
    });

  return (
    <AuthLayout
      title="Reset Password"
      intro="Enter the code from the email, and a new password."
      onSubmit={() => void reset()}
      footer={<Link to="/login">Back to Sign In</Link>}
    >
      <EmailField value={email} onChange={setEmail} locked={known !== undefined} invalid={field === 'email'} />
      <CodeField label="Reset Code" value={code} onChange={setCode} invalid={field === 'code'} />
      <PasswordField label="New Password" isNew value={password} onChange={setPassword} invalid={field === 'password'} />
      <PasswordField
        label="Confirm Password"
        isNew
        value={confirmPassword}
        onChange={setConfirmPassword}
        invalid={field === 'confirmPassword'}
      />
      <MessageLine tone="error" text={error} />
      <MessageLine tone="success" text={success} />
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
