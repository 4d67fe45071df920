import type { CallReply } from '#contract/client.ts';
import { TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { useSending } from '../../live/use-sending.ts';
import { reasonOf } from '../../session/login-flow.ts';
import { Button } from '../../ui/button.tsx';
import type { Issue } from '../../ui/first-issue.ts';
import { MessageLine } from '../../ui/message-line.tsx';
import { useCopiedText } from '../../ui/use-copied-text.ts';
import { useSubmission } from '../../ui/use-submission.ts';
import { AppCodeField } from './app-code-field.tsx';
import { QrCode } from './qr-code.tsx';

/** See `SetUpApp`. */
export interface SetUpAppProps {
  made: CallReply<'startAuthenticator'>; // the secret of the new app
  replaces: boolean; // an app is in use, whose code is needed
  onConfirmed: (backupCodes: string[]) => void;
  onClose: () => void;
}

const whenLeft = 'The app may be set up already: check your account settings, and make new backup codes if it is.';

/** Shows the secret of a new app, and takes its first code. */
export function SetUpApp({ made, replaces, onConfirmed, onClose }: SetUpAppProps) {
  const [{ busy, issue, failed }, submitCall] = useSubmission<'confirm'>();
  const sending = useSending(whenLeft);
  const [note, copy] = useCopiedText();
  const [code, setCode] = useState('');
  const [present, setPresent] = useState('');

  const wrong = (): Issue | null => {
    if (code.length !== 6) return { text: 'Enter the 6-digit code that the app shows', field: 'code' };
    return replaces && present.trim() === '' ? { text: 'Enter a code of the app in use, or a backup code', field: 'present' } : null;
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void submitCall('confirm', wrong(), async () => {
      const body = { code, ...(replaces ? { present_code: present.trim() } : {}) };
      onConfirmed((await sending.send((signal) => api.confirmAuthenticator({ body }, { signal }))).backup_codes);
    });
  };

  return (
    <form noValidate className="account-form" autoComplete="off" onSubmit={submit}>
      <p>Scan this code with an authenticator app, or type the secret into it. Then enter the code that the app shows.</p>
      <div className="app-secret">
        <QrCode text={made.uri} label="QR code of the secret" />
        <div className="app-secret-text">
          <code aria-label="Secret">{made.secret.match(/.{1,4}/gu)?.join(' ')}</code>
          <Button variant="secondary" onClick={() => copy(made.secret)}>
            Copy Secret
          </Button>
          <p className="account-hint" role="status">
            {note}
          </p>
        </div>
      </div>
      <AppCodeField label={replaces ? 'Code of the New App' : '2FA Code'} value={code} onChange={setCode} />
      {replaces ? (
        <TextInput
          label="Code of the App in Use, or a Backup Code"
          autoComplete="off"
          maxLength={40}
          value={present}
          onChange={({ currentTarget: { value } }) => setPresent(value)}
        />
      ) : null}
      <MessageLine
        tone="error"
        text={issue?.text ?? (failed === null ? null : 'Failed to set up the authenticator app')}
        detail={failed === null ? null : reasonOf(failed.error)}
      />
      <div className="fl-dialog-actions">
        <Button variant="secondary" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" loading={busy !== null}>
          Confirm
        </Button>
      </div>
    </form>
  );
}
