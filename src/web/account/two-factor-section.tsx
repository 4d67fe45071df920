import { TextInput } from '@mantine/core';
import { IconShieldCheckFilled } from '@tabler/icons-react';
import type { FormEvent } from 'react';
import { useRef, useState } from 'react';
import { api } from '../api/api.ts';
import { reasonOf } from '../session/login-flow.ts';
import { setUser } from '../session/session-store.ts';
import { useUser } from '../session/use-session.ts';
import { Button } from '../ui/button.tsx';
import { MessageLine } from '../ui/message-line.tsx';
import { AccountSection } from './account-section.tsx';
import type { Reports, SettingsPlace } from './section-reports.ts';
import { noSessionUser } from './section-reports.ts';

const resent = 'A new 2FA code has been sent to your email';

const wrongCode: Record<SettingsPlace, string> = {
  account: 'Invalid or expired 2FA code. Please try again.',
  'user-management': 'Invalid 2FA code. Please try again.',
};

/** The second factor: off, a code on its way, or on. */
export function TwoFactorSection({ place, onSaved, onFailed }: Reports & { place: SettingsPlace }) {
  const user = useUser();
  const [isCodeSent, setCodeSent] = useState(false);
  const [code, setCode] = useState('');
  const [notice, setNotice] = useState<string | null>(null);
  const content = useRef<HTMLDivElement>(null);
  const [busy, setBusy] = useState<'setup' | 'verify' | 'resend' | null>(null);

  /** The button that had the focus is gone: it goes to the one in its place, else to the text. */
  const keepFocus = () => requestAnimationFrame(() => (content.current?.querySelector('button') ?? content.current)?.focus());

  /** Makes a call; a failure is shown at the top under its fixed text. */
  const run = async (button: 'setup' | 'verify' | 'resend', failureText: string, call: () => Promise<void>) => {
    onFailed(null);
    setNotice(null);
    setBusy(button);
    try {
      await call();
    } catch (error) {
      onFailed({ text: failureText, detail: reasonOf(error) });
    }
    setBusy(null);
  };
  const setUp = () =>
    run('setup', 'Failed to send 2FA code. Please try again.', async () => {
      await api.setUpTwoFactor({ params: { id: user?.userId ?? '' } });
      setCode('');
      setCodeSent(true);
    });
  const verify = () => {
    if (user === null) return onFailed(noSessionUser);
    return run('verify', wrongCode[place], async () => {
      setUser(await api.verifyTwoFactor({ params: { id: user.userId }, body: { code } }));
      setCodeSent(false);
      onSaved();
      keepFocus();
    });
  };
  const resend = () => {
    if (user === null) return onFailed(noSessionUser);
    return run('resend', 'Failed to resend 2FA code. Please try again.', async () => {
      await api.resendTwoFactor({ body: { email: user.email } });
      setNotice(resent);
    });
  };
  const cancel = () => {
    setCodeSent(false);
    setNotice(null);
    onFailed(null);
    keepFocus();
  };

  return (
    <AccountSection title="Two-Factor Authentication">
      <div ref={content} tabIndex={-1} className="account-content">
        {user?.has_2fa === true ? (
          <p className="account-on">
            <IconShieldCheckFilled size={16} aria-hidden />
            2FA is enabled for your account
          </p>
        ) : isCodeSent ? (
          <CodeForm
            email={user?.email ?? ''}
            code={code}
            notice={notice}
            busy={busy}
            onChange={setCode}
            onVerify={() => void verify()}
            onResend={() => void resend()}
            onCancel={cancel}
          />
        ) : (
          <div className="account-section">
            <p className="account-hint">Once it is on, we email you a code at every sign-in.</p>
            <div className="account-buttons">
              <Button
                variant="secondary"
                disabled={user === null}
                loading={busy === 'setup'}
                {...(user === null ? { title: noSessionUser.text } : {})}
                onClick={() => void setUp()}
              >
                Setup 2FA
              </Button>
            </div>
          </div>
        )}
      </div>
    </AccountSection>
  );
}

interface CodeFormProps {
  email: string;
  code: string;
  notice: string | null;
  busy: 'setup' | 'verify' | 'resend' | null;
  onChange: (code: string) => void;
  onVerify: () => void;
  onResend: () => void;
  onCancel: () => void;
}

function CodeForm({ email, code, notice, busy, onChange, onVerify, onResend, onCancel }: CodeFormProps) {
  const isComplete = code.length === 6;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isComplete && busy === null) onVerify();
  };
  return (
    <form noValidate className="account-section" onSubmit={submit}>
      <p>A 6-digit code was sent to {email}</p>
      <div className="account-code-line">
        <TextInput
          label="2FA Code"
          inputMode="numeric"
          autoComplete="one-time-code"
          data-autofocus
          autoFocus
          value={code}
          classNames={{ input: 'account-code' }}
          onChange={(event) => onChange(event.currentTarget.value.replaceAll(/\D/gu, '').slice(0, 6))}
        />
        <Button
          type="submit"
          disabled={!isComplete || busy !== null}
          loading={busy === 'verify'}
          {...(isComplete ? {} : { title: 'Needs all 6 digits' })}
        >
          Verify Code
        </Button>
      </div>
      <MessageLine tone="success" text={notice} />
      <div className="account-buttons">
        <Button variant="secondary" disabled={busy !== null} loading={busy === 'resend'} onClick={onResend}>
          Resend Code
        </Button>
        <Button variant="ghost" disabled={busy === 'verify'} onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
