import { inviteBody, invitedRoles } from '#contract/installation.ts';
import { TextInput } from '@mantine/core';
import { IconMailPlus } from '@tabler/icons-react';
import type { FormEvent } from 'react';
import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { firstIssue } from '../ui/first-issue.ts';
import { SelectBox } from '../ui/select-box.tsx';

/** See `InviteForm`. */
export interface InviteFormProps {
  isBusy: boolean;
  isHeld: boolean; // while something else is done with the invitations
  onInvite: (body: { email: string; role: (typeof invitedRoles)[number] }) => Promise<boolean>;
}

/** Invites somebody by e-mail; what was entered stays when that fails. */
export function InviteForm({ isBusy, isHeld, onInvite }: InviteFormProps) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<(typeof invitedRoles)[number]>('trader');
  const [fault, setFault] = useState<string | null>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const issue = firstIssue(inviteBody, { email, role });
    setFault(issue?.text ?? null);
    if (issue === null && (await onInvite({ email: email.trim(), role }))) setEmail((now) => (now === email ? '' : now)); // the next may stand there
  };
  return (
    <form noValidate className="inst-invite" aria-label="Invite" onSubmit={(event) => void submit(event)}>
      <TextInput
        className="inst-invite-email"
        aria-label="Email to invite"
        placeholder="Email to invite"
        type="email"
        value={email}
        error={fault}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <SelectBox className="inst-invite-role" label="Role" hideLabel options={invitedRoles} value={role} onChange={setRole} />
      <Button type="submit" loading={isBusy} disabled={isHeld} icon={<IconMailPlus size={14} aria-hidden />}>
        {isBusy ? 'Sending...' : 'Send Invitation'}
      </Button>
    </form>
  );
}
