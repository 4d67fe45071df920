import { passwordTooShort } from '#contract/auth.ts';
import { PasswordInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { ApiError } from '../api/api-error.ts';
import { useSending } from '../live/use-sending.ts';
import { reasonOf } from '../session/login-flow.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { MessageLine } from '../ui/message-line.tsx';
import { useSubmission } from '../ui/use-submission.ts';
import type { SectionFailure } from './section-reports.ts';

/** See `ChangePassword`. */
export interface ChangePasswordProps {
  opened: boolean;
  action: 'Change Password' | 'Update Password'; // what the button says
  onSaved: () => void;
  onClose: (failure: SectionFailure | null) => void; // of a try that was given up; null without one
}

/** The first check a new password fails, or null. */
function passwordIssue(password: string, confirmation: string): string | null {
  if (password !== confirmation) return 'Passwords do not match';
  return password.length < 8 ? passwordTooShort : null;
}

/** Asks for a new password; for the current one too once the server wants it. */
export function ChangePassword({ opened, ...form }: ChangePasswordProps) {
  return (
    <Dialog opened={opened} onClose={() => form.onClose(null)} title="Change Password" size="sm" classNames={{ content: 'fl-dialog' }}>
      <PasswordForm {...form} />
    </Dialog>
  );
}

function PasswordForm({ action, onSaved, onClose }: Omit<ChangePasswordProps, 'opened'>) {
  const [password, setPassword] = useState('');
  const [confirmation, setConfirmation] = useState('');
  const [currentPassword, setCurrentPassword] = useState('');
  const [needsCurrent, setNeedsCurrent] = useState(false);
  const [{ busy, issue, failed }, submitCall] = useSubmission<'save'>();
  const sending = useSending('The password may be changed already: try the new one first when you sign in.');
  const failure = failed === null ? null : { text: 'Failed to change password', detail: reasonOf(failed.error) };

  const save = async () => {
    const text = passwordIssue(password, confirmation);
    await submitCall('save', text === null ? null : { text, field: 'password' }, async () => {
      try {
        const body = { password, ...(needsCurrent ? { currentPassword } : {}) };
        await sending.send((signal) => api.updatePassword({ body }, { signal }));
      } catch (error) {
        if (error instanceof ApiError && error.status === 403) setNeedsCurrent(true);
        throw error;
      }
      onSaved();
    });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void save();
  };

  return (
    <form noValidate className="account-form" onSubmit={submit}>
      <MessageLine tone="error" text={issue?.text ?? failure?.text ?? null} detail={failure?.detail ?? null} />
      {needsCurrent ? (
        <Entry label="Current Password" autoComplete="current-password" value={currentPassword} onChange={setCurrentPassword} />
      ) : null}
      <Entry label="New Password" autoComplete="new-password" value={password} onChange={setPassword} />
      <Entry label="Confirm Password" autoComplete="new-password" value={confirmation} onChange={setConfirmation} />
      <div className="fl-dialog-actions">
        <Button variant="secondary" onClick={() => onClose(failure)}>
          Cancel
        </Button>
        <Button type="submit" loading={busy !== null}>
          {action}
        </Button>
      </div>
    </form>
  );
}

interface EntryProps {
  label: string;
  autoComplete: string;
  value: string;
  onChange: (value: string) => void;
}

function Entry({ label, autoComplete, value, onChange }: EntryProps) {
  return (
    <PasswordInput
      label={label}
      autoComplete={autoComplete}
      size="sm"
      value={value}
      visibilityToggleButtonProps={{ 'aria-label': `Show or hide ${label.toLowerCase()}`, tabIndex: 0 }}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
