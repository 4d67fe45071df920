import { TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { useSending } from '../../live/use-sending.ts';
import { reasonOf } from '../../session/login-flow.ts';
import { Button } from '../../ui/button.tsx';
import { MessageLine } from '../../ui/message-line.tsx';
import { useSubmission } from '../../ui/use-submission.ts';

const words = {
  app: {
    button: 'Remove App',
    failure: 'Failed to remove the authenticator app',
    whenLeft: 'The authenticator app may be removed already: check your account settings.',
  },
  mail: {
    button: 'Stop Mailed Codes',
    failure: 'Failed to stop mailed codes',
    whenLeft: 'Mailed codes may be stopped already: check your account settings.',
  },
} as const;

/** See `StopFactor`. */
export interface StopFactorProps {
  factor: 'app' | 'mail';
  label?: string; // of the code
  consequence: string; // what signing in needs afterwards
  onStopped: () => void;
  onClose: () => void;
}

/** Asks for a code before a second factor is taken away. */
export function StopFactor({ factor, label = 'Code of the App, or a Backup Code', consequence, onStopped, onClose }: StopFactorProps) {
  const [code, setCode] = useState('');
  const [{ busy, issue, failed }, submitCall] = useSubmission<'stop'>();
  const sending = useSending(words[factor].whenLeft);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const missing = code.trim() === '' ? { text: '2FA code is required', field: 'code' } : null;
    void submitCall('stop', missing, async () => {
      const input = { body: { code: code.trim() } };
      await sending.send((signal) =>
        factor === 'app' ? api.stopAuthenticator(input, { signal }) : api.stopMailedCodes(input, { signal }),
      );
      onStopped();
    });
  };
  return (
    <form noValidate className="account-form" autoComplete="off" onSubmit={submit}>
      <p>{consequence}</p>
      <TextInput
        label={label}
        autoComplete="one-time-code"
        data-autofocus
        maxLength={40}
        value={code}
        onChange={({ currentTarget: { value } }) => setCode(value)}
      />
      <MessageLine
        tone="error"
        text={issue?.text ?? (failed === null ? null : words[factor].failure)}
        detail={failed === null ? null : reasonOf(failed.error)}
      />
      <div className="fl-dialog-actions">
        <Button variant="secondary" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" variant="destructive" loading={busy !== null}>
          {words[factor].button}
        </Button>
      </div>
    </form>
  );
}
