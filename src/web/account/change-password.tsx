import { passwordTooShort } from '#contract/auth.ts';
import { Modal, PasswordInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { ApiError, detailOf } from '../api/api-error.ts';
import { Button } from '../ui/button.tsx';
import { MessageLine } from '../ui/message-line.tsx';

/** See `ChangePassword`. */
export interface ChangePasswordProps {
  opened: boolean;
  onSaved: () => void;
  onClose: (failure: string | null) => void; // the reason of a failed try that was given up, null without one
}

/** The first check a new password fails, or null. */
export function passwordIssue(password: string, confirmation: string): string | null {
  if (password !== confirmation) return 'Passwords do not match';
  return password.length < 8 ? passwordTooShort : null;
}

/** Asks for a new password; for the current one too once the server wants it. */
export function ChangePassword({ opened, onSaved, onClose }: ChangePasswordProps) {
  return (
    <Modal
      opened={opened}
      onClose={() => onClose(null)}
      title="Change Password"
      size="sm"
      classNames={{ content: 'fl-dialog' }}
      zIndex={300}
    >
      <PasswordForm onSaved={onSaved} onClose={onClose} />
    </Modal>
  );
}

function PasswordForm({ onSaved, onClose }: Omit<ChangePasswordProps, 'opened'>) {
  const [password, setPassword] = useState('');
  const [confirmation, setConfirmation] = useState('');
  const [currentPassword, setCurrentPassword] = useState('');
  const [needsCurrent, setNeedsCurrent] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<{ text: string; detail: string | null } | null>(null);

  const save = async () => {
    const issue = passwordIssue(password, confirmation);
    setError(issue === null ? null : { text: issue, detail: null });
    if (issue !== null) return;
    setBusy(true);
    try {
      await api.updatePassword({ body: { password, ...(needsCurrent ? { currentPassword } : {}) } });
      onSaved();
    } catch (failure) {
      if (failure instanceof ApiError && failure.status === 403) setNeedsCurrent(true);
      setError({ text: 'Failed to change password', detail: detailOf(failure) });
      setBusy(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void save();
  };

  return (
    <form noValidate className="account-form" onSubmit={submit}>
      <MessageLine tone="error" text={error?.text ?? null} detail={error?.detail ?? null} />
      {needsCurrent ? (
        <Entry label="Current Password" autoComplete="current-password" value={currentPassword} onChange={setCurrentPassword} />
      ) : null}
      <Entry label="New Password" autoComplete="new-password" value={password} onChange={setPassword} />
      <Entry label="Confirm Password" autoComplete="new-password" value={confirmation} onChange={setConfirmation} />
      <div className="fl-dialog-actions">
        <Button variant="secondary" onClick={() => onClose(error === null ? null : (error.detail ?? ''))}>
          Cancel
        </Button>
        <Button type="submit" loading={isBusy}>
          Change Password
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
