import { PasswordInput } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { messageOf } from '../../api/api-error.ts';
import { Button } from '../../ui/button.tsx';
import { useSubmission } from '../../ui/use-submission.ts';

/** Asks for the current password, because it was last checked more than ten minutes ago. */
export function PasswordStep({ onConfirmed }: { onConfirmed: () => void }) {
  const [password, setPassword] = useState('');
  const [{ busy, issue, failed }, submit] = useSubmission<'check'>();
  const check = () => {
    const missing = password === '' ? { text: 'Password is required', field: 'password' } : null;
    void submit('check', missing, async () => {
      await api.confirmPassword({ body: { password } });
      setPassword('');
      onConfirmed();
    });
  };
  return (
    <form
      noValidate
      className="live-password"
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation(); // React hands events of a dialog on to the form that opened it
        check();
      }}
    >
      <PasswordInput
        label="Current Password"
        description="Last checked more than ten minutes ago"
        autoComplete="current-password"
        value={password}
        error={issue?.text ?? (failed === null ? null : messageOf(failed.error))}
        visibilityToggleButtonProps={{ 'aria-label': 'Show or hide current password', tabIndex: 0 }}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <Button type="submit" variant="secondary" loading={busy !== null}>
        Check Password
      </Button>
    </form>
  );
}
