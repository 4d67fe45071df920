import { wrongTwoFactor } from '#contract/second-factors.ts';
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { signInApi } from '../api/sign-in-api.ts';
import { afterAppSignIn } from '../session/login-flow.ts';
import { hasPasskeys, passkeyAnswer, passkeyReason } from '../session/passkeys.ts';
import type { OwnFactors } from '../session/session-store.ts';
import { Button } from '../ui/button.tsx';
import type { Issue } from '../ui/first-issue.ts';
import { MessageLine } from '../ui/message-line.tsx';
import { useSubmission } from '../ui/use-submission.ts';
import { AuthLayout } from './auth-layout.tsx';
import { CodeField } from './fields.tsx';
import { useAuthState } from './navigation.ts';

type Kind = 'passkey' | 'app' | 'backup';

const words: Record<Kind, { intro: string; verify: string; turn: string }> = {
  passkey: {
    intro: 'Confirm with a passkey of your account: with this device, your phone or a security key.',
    verify: 'Use a Passkey',
    turn: 'Use a Passkey',
  },
  app: {
    intro: 'Enter the 6-digit code that your authenticator app shows.',
    verify: 'Verify 2FA Code',
    turn: 'Use the Authenticator App',
  },
  backup: { intro: 'Enter one of your backup codes. Each works once.', verify: 'Verify Backup Code', turn: 'Use a Backup Code' },
};

const failures = {
  passkey: 'Failed to sign in with a passkey.',
  code: wrongTwoFactor,
  mail: 'Failed to send a code by mail. Please try again.',
};

/** See `OwnFactor`. */
export interface OwnFactorProps {
  factors: OwnFactors;
  onMailed: () => void; // a code by mail is on its way
}

/** A sign-in that waits for a passkey, a code of the authenticator app, or a backup code. */
export function OwnFactor({ factors, onMailed }: OwnFactorProps) {
  const canUsePasskey = factors.passkeys && hasPasskeys();
  const kinds: Kind[] = [...(canUsePasskey ? ['passkey' as const] : []), ...(factors.app ? ['app' as const] : []), 'backup'];
  const [kind, setKind] = useState<Kind>(kinds[0] ?? 'backup');
  return (
    <FactorForm
      key={kind}
      kind={kind}
      others={kinds.filter((other) => other !== kind)}
      lacksPasskeys={factors.passkeys && !canUsePasskey}
      onTurn={setKind}
      mailedCodes={factors.mailedCodes}
      onMailed={onMailed}
    />
  );
}

interface FactorFormProps {
  kind: Kind;
  others: readonly Kind[];
  lacksPasskeys: boolean; // the account has some, and the browser has none here
  mailedCodes: boolean;
  onTurn: (kind: Kind) => void;
  onMailed: () => void;
}

/** One of the kinds: what was entered and said about another is gone with it. */
function FactorForm({ kind, others, lacksPasskeys, mailedCodes, onTurn, onMailed }: FactorFormProps) {
  const navigate = useNavigate();
  const { email } = useAuthState();
  const [code, setCode] = useState('');
  const [{ busy, issue, failed }, submit] = useSubmission<'passkey' | 'code' | 'mail'>();

  const verify = () =>
    submit(kind === 'passkey' ? 'passkey' : 'code', issueOf(kind, code), async () => {
      const answer =
        kind === 'passkey'
          ? await signInApi.signInWithPasskey({ body: await passkeyAnswer('sign-in') })
          : await signInApi.signInWithApp({ body: { code: code.trim() } });
      const { path, state } = afterAppSignIn(answer);
      await navigate(path, { state });
    });
  const mail = () =>
    submit('mail', null, async () => {
      await signInApi.resendTwoFactor({ body: { email: email ?? '' } });
      onMailed();
    });
  const isWrong = failed?.button === 'code';
  return (
    <AuthLayout
      title="Two-Factor Authentication"
      intro={words[kind].intro}
      onSubmit={() => void verify()}
      footer={<Link to="/login">Back to Sign In</Link>}
    >
      {kind === 'backup' ? (
        <TextInput
          label="Backup Code"
          size="sm"
          autoComplete="off"
          autoFocus
          spellCheck={false}
          value={code}
          error={isWrong}
          onChange={({ currentTarget: { value } }) => setCode(value.slice(0, 40))}
        />
      ) : null}
      {kind === 'app' ? <CodeField label="2FA Code" value={code} onChange={setCode} invalid={isWrong} /> : null}
      {lacksPasskeys ? <p className="auth-intro">This browser cannot use your passkeys here: they need https.</p> : null}
      <MessageLine
        tone="error"
        text={issue?.text ?? (failed === null ? null : failures[failed.button])}
        detail={failed === null ? null : passkeyReason(failed.error)}
      />
      <div className="auth-actions">
        <Button type="submit" size="large" loading={busy === 'passkey' || busy === 'code'} disabled={busy !== null}>
          {words[kind].verify}
        </Button>
        {others.map((other) => (
          <Button key={other} variant="ghost" disabled={busy !== null} onClick={() => onTurn(other)}>
            {words[other].turn}
          </Button>
        ))}
        {mailedCodes ? (
          <Button variant="ghost" loading={busy === 'mail'} disabled={busy !== null} onClick={() => void mail()}>
            Send a Code by Mail
          </Button>
        ) : null}
      </div>
    </AuthLayout>
  );
}

function issueOf(kind: Kind, code: string): Issue | null {
  if (kind === 'passkey') return null;
  if (code.trim() === '') return { text: kind === 'backup' ? 'Backup code is required' : '2FA code is required', field: 'code' };
  return kind === 'app' && code.length !== 6 ? { text: 'Please enter a valid 6-digit 2FA code', field: 'code' } : null;
}
