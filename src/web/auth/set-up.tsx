import { setUpBody } from '#contract/auth.ts';
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { signInApi } from '../api/sign-in-api.ts';
import { messageOf } from '../api/api-error.ts';
import { Button } from '../ui/button.tsx';
import { firstIssue } from '../ui/first-issue.ts';
import { MessageLine } from '../ui/message-line.tsx';
import { useSubmission } from '../ui/use-submission.ts';
import { AuthLayout } from './auth-layout.tsx';
import { EmailField, NewPasswordFields } from './fields.tsx';

/** The making of the first admin, with the code that the server has printed. */
export function SetUp() {
  const navigate = useNavigate();
  const [code, setCode] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [confirmPassword, setConfirmPassword] = useState('');
  const [{ busy, issue, failed }, submit] = useSubmission<'set-up'>();
  const field = issue?.field ?? '';

  const make = () => {
    const body = { code, email, password, confirmPassword };
    return submit('set-up', firstIssue(setUpBody, body), async () => {
      const { status } = await signInApi.makeFirstAdmin({ body });
      await navigate('/login', { state: { email, message: status } });
    });
  };

  return (
    <AuthLayout
      title="Set Up Flotilla"
      intro="Make the first admin. The server has printed a code for it at its start."
      onSubmit={() => void make()}
      footer={<Link to="/login">Back to Sign In</Link>}
    >
      <TextInput
        label="Set-up Code"
        size="sm"
        autoComplete="one-time-code"
        autoCapitalize="characters"
        spellCheck={false}
        autoFocus
        value={code}
        error={field === 'code'}
        onChange={(event) => setCode(event.currentTarget.value)}
      />
      <EmailField value={email} onChange={setEmail} invalid={field === 'email'} />
      <NewPasswordFields
        password={password}
        confirmPassword={confirmPassword}
        onPassword={setPassword}
        onConfirm={setConfirmPassword}
        invalidField={field}
      />
      <MessageLine tone="error" text={issue?.text ?? (failed === null ? null : messageOf(failed.error))} />
      <Button type="submit" size="large" loading={busy !== null}>
        {busy === null ? 'Create Admin' : 'Creating...'}
      </Button>
    </AuthLayout>
  );
}
