import { PasswordInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { useEffect, useRef, useState } from 'react';
import { api } from '../api/api.ts';
import { messageOf } from '../api/api-error.ts';
import { askForPasswordBy } from '../api/password-needed.ts';
import { untilAborted } from '../live/until-aborted.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Button } from '../ui/button.tsx';
import { MessageLine } from '../ui/message-line.tsx';
import { useSubmission } from '../ui/use-submission.ts';

/** Asks for the password again when a call needs that, and continues the call once it was right. */
export function ConfirmPassword() {
  const [opened, setOpened] = useState(false);
  const answer = useRef<(confirmed: boolean) => void>(() => {});
  useEffect(
    () =>
      askForPasswordBy(
        () =>
          new Promise((resolve) => {
            answer.current = resolve;
            setOpened(true);
          }),
      ),
    [],
  );
  useEffect(() => () => answer.current(false), []); // signed out meanwhile: whoever waits is not left waiting
  const close = (confirmed: boolean) => {
    setOpened(false);
    answer.current(confirmed);
  };
  return (
    <Dialog opened={opened} onClose={() => close(false)} title="Confirm Your Password" size="sm" classNames={{ content: 'fl-dialog' }}>
      <PasswordEntry onConfirmed={() => close(true)} onCancel={() => close(false)} />
    </Dialog>
  );
}

function PasswordEntry({ onConfirmed, onCancel }: { onConfirmed: () => void; onCancel: () => void }) {
  const [password, setPassword] = useState('');
  const [{ busy, issue, failed }, submitCall] = useSubmission<'confirm'>();
  // Once it is closed nothing goes out any more, and no answer that comes late is one to the next question.
  const [left] = useState(() => new AbortController());
  useEffect(() => () => left.abort(), [left]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation(); // React hands events of a dialog on to the form that opened it
    const missing = password === '' ? { text: 'Password is required', field: 'password' } : null;
    void submitCall('confirm', missing, async () => {
      const { signal } = left;
      await untilAborted(api.confirmPassword({ body: { password } }, { signal }), signal);
      onConfirmed();
    });
  };
  return (
    <form noValidate className="account-form" onSubmit={submit}>
      <p className="fl-dialog-message">This needs your current password, because it was last checked more than ten minutes ago.</p>
      <MessageLine tone="error" text={issue?.text ?? (failed === null ? null : messageOf(failed.error))} />
      <PasswordInput
        label="Current Password"
        autoComplete="current-password"
        size="sm"
        data-autofocus
        value={password}
        visibilityToggleButtonProps={{ 'aria-label': 'Show or hide current password', tabIndex: 0 }}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <div className="fl-dialog-actions">
        <Button variant="secondary" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" loading={busy !== null}>
          Confirm
        </Button>
      </div>
    </form>
  );
}
