import { TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { useSending } from '../../live/use-sending.ts';
import { passkeyAnswer, passkeyReason } from '../../session/passkeys.ts';
import { Button } from '../../ui/button.tsx';
import { MessageLine } from '../../ui/message-line.tsx';
import { useSubmission } from '../../ui/use-submission.ts';

/** See `RemovePasskey`. */
export interface RemovePasskeyProps {
  passkey: { id: string; name: string };
  consequence: string; // what signing in needs afterwards
  hasApp: boolean;
  canUsePasskey: boolean; // in this browser, at this address
  onRemoved: () => void;
  onClose: () => void;
}

/** Asks for a passkey or a code before a passkey is taken away. */
export function RemovePasskey({ passkey, consequence, hasApp, canUsePasskey, onRemoved, onClose }: RemovePasskeyProps) {
  const [code, setCode] = useState('');
  const [{ busy, issue, failed }, submitCall] = useSubmission<'code' | 'passkey'>();
  const sending = useSending('The passkey may be removed already: check the list.');
  const params = { id: passkey.id };
  const byCode = (event: FormEvent) => {
    event.preventDefault();
    const missing = code.trim() === '' ? { text: '2FA code is required', field: 'code' } : null;
    void submitCall('code', missing, async () => {
      await sending.send((signal) => api.removePasskey({ params, body: { code: code.trim() } }, { signal }));
      onRemoved();
    });
  };
  const byPasskey = () =>
    submitCall('passkey', null, async () => {
      await sending.send(async (signal) => {
        const answer = await passkeyAnswer('prove');
        signal.throwIfAborted(); // while the browser asked
        return api.removePasskey({ params, body: { answer } }, { signal });
      });
      onRemoved();
    });
  return (
    <form noValidate className="account-form" autoComplete="off" onSubmit={byCode}>
      <p>
        Remove {passkey.name}? {consequence}
      </p>
      {canUsePasskey ? (
        <Button variant="secondary" loading={busy === 'passkey'} disabled={busy !== null} onClick={() => void byPasskey()}>
          Confirm With a Passkey
        </Button>
      ) : null}
      <TextInput
        label={`${canUsePasskey ? 'Or a ' : 'A '}${hasApp ? 'Code of the App, or a Backup Code' : 'Backup Code'}`}
        autoComplete="one-time-code"
        data-autofocus
        maxLength={40}
        value={code}
        onChange={({ currentTarget: { value } }) => setCode(value)}
      />
      <MessageLine
        tone="error"
        text={issue?.text ?? (failed === null ? null : 'Failed to remove the passkey.')}
        detail={failed === null ? null : passkeyReason(failed.error)}
      />
      <div className="fl-dialog-actions">
        <Button variant="secondary" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" variant="destructive" loading={busy === 'code'} disabled={busy !== null}>
          Remove Passkey
        </Button>
      </div>
    </form>
  );
}
