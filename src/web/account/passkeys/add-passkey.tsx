import { TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { useSending } from '../../live/use-sending.ts';
import { newPasskey, passkeyReason } from '../../session/passkeys.ts';
import { Button } from '../../ui/button.tsx';
import { MessageLine } from '../../ui/message-line.tsx';
import { useSubmission } from '../../ui/use-submission.ts';

const whenLeft = 'The passkey may be added already: check the list. If it is your first one, make new backup codes.';

/** Names a new passkey and has the browser make it. */
export function AddPasskey({ onAdded, onClose }: { onAdded: (backupCodes: string[]) => void; onClose: () => void }) {
  const [name, setName] = useState('');
  const [{ busy, issue, failed }, submitCall] = useSubmission<'add'>();
  const sending = useSending(whenLeft);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const missing = name.trim() === '' ? { text: 'Name is required', field: 'name' } : null;
    void submitCall('add', missing, async () => {
      const added = await sending.send(async (signal) => {
        const passkey = await newPasskey();
        signal.throwIfAborted(); // while the browser asked
        return api.addPasskey({ body: { name: name.trim(), passkey } }, { signal });
      });
      onAdded(added.backup_codes);
    });
  };
  return (
    <form noValidate className="account-form" autoComplete="off" onSubmit={submit}>
      <p>Your browser asks where to keep the passkey: on this device, on your phone or on a security key.</p>
      <TextInput
        label="Name"
        description="By which you know it later, as “Work laptop”"
        data-autofocus
        maxLength={60}
        value={name}
        error={issue !== null}
        onChange={({ currentTarget: { value } }) => setName(value)}
      />
      <MessageLine
        tone="error"
        text={issue?.text ?? (failed === null ? null : 'Failed to add a passkey.')}
        detail={failed === null ? null : passkeyReason(failed.error)}
      />
      <div className="fl-dialog-actions">
        <Button variant="secondary" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" loading={busy !== null}>
          Add Passkey
        </Button>
      </div>
    </form>
  );
}
