import { wrongTwoFactor } from '#contract/second-factors.ts';
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { api } from '../api/api.ts';
import { afterAppSignIn, reasonOf } from '../session/login-flow.ts';
import { Button } from '../ui/button.tsx';
import { MessageLine } from '../ui/message-line.tsx';
import { useSubmission } from '../ui/use-submission.ts';
import { AuthLayout } from './auth-layout.tsx';
import { CodeField } from './fields.tsx';
import { useAuthState } from './navigation.ts';

/** See `AppFactor`. */
export interface AppFactorProps {
  mailedCodes: boolean; // whether a code by mail would do, too
  onMailed: () => void; // one is on its way
}

/** A sign-in that waits for a code of the authenticator app, or a backup code. */
export function AppFactor(props: AppFactorProps) {
  const [isBackup, setBackup] = useState(false);
  return <FactorForm key={String(isBackup)} {...props} isBackup={isBackup} onTurn={() => setBackup(!isBackup)} />;
}

/** One of the two kinds of code: what was entered and said about the other is gone with it. */
function FactorForm({ mailedCodes, onMailed, isBackup, onTurn }: AppFactorProps & { isBackup: boolean; onTurn: () => void }) {
  const navigate = useNavigate();
  const { email } = useAuthState();
  const [code, setCode] = useState('');
  const [{ busy, issue, failed }, submit] = useSubmission<'verify' | 'mail'>();
  const failure = failed === null ? null : failed.button === 'verify' ? wrongTwoFactor : 'Failed to send a code by mail. Please try again.';

  const verify = () => {
    const wrong =
      code.trim() === ''
        ? { text: isBackup ? 'Backup code is required' : '2FA code is required', field: 'code' }
        : !isBackup && code.length !== 6
          ? { text: 'Please enter a valid 6-digit 2FA code', field: 'code' }
          : null;
    return submit('verify', wrong, async () => {
      const { path, state } = afterAppSignIn(await api.signInWithApp({ body: { code: code.trim() } }));
      await navigate(path, { state });
    });
  };
  const mail = () =>
    submit('mail', null, async () => {
      await api.resendTwoFactor({ body: { email: email ?? '' } });
      onMailed();
    });
  return (
    <AuthLayout
      title="Two-Factor Authentication"
      intro={isBackup ? 'Enter one of your backup codes. Each works once.' : 'Enter the 6-digit code that your authenticator app shows.'}
      onSubmit={() => void verify()}
      footer={<Link to="/login">Back to Sign In</Link>}
    >
      {isBackup ? (
        <TextInput
          label="Backup Code"
          size="sm"
          autoComplete="off"
          autoFocus
          spellCheck={false}
          value={code}
          error={failed?.button === 'verify'}
          onChange={({ currentTarget: { value } }) => setCode(value.slice(0, 40))}
        />
      ) : (
        <CodeField label="2FA Code" value={code} onChange={setCode} invalid={failed?.button === 'verify'} />
      )}
      <MessageLine tone="error" text={issue?.text ?? failure} detail={failed === null ? null : reasonOf(failed.error)} />
      <div className="auth-actions">
        <Button type="submit" size="large" loading={busy === 'verify'} disabled={busy !== null}>
          {isBackup ? 'Verify Backup Code' : 'Verify 2FA Code'}
        </Button>
        <Button variant="ghost" disabled={busy !== null} onClick={onTurn}>
          {isBackup ? 'Use the Authenticator App' : 'Use a Backup Code'}
        </Button>
        {mailedCodes ? (
          <Button variant="ghost" loading={busy === 'mail'} disabled={busy !== null} onClick={() => void mail()}>
            Send a Code by Mail
          </Button>
        ) : null}
      </div>
    </AuthLayout>
  );
}
