import { IconMail } from '@tabler/icons-react';
import { useState } from 'react';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { CardPanel } from '../ui/card-panel.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { LoadingRows } from '../ui/skeleton.tsx';
import { InvitationTable } from './invitation-table.tsx';
import { InviteForm } from './invite-form.tsx';
import type { Settings } from './settings-draft.ts';
import type { Invitation } from './use-invitations.ts';
import { useInvitations } from './use-invitations.ts';

/** The invitations: mailing one while registration is by invitation, and all that were mailed. */
export function Invitations({ registration }: Pick<Settings, 'registration'>) {
  const state = useInvitations();
  const [asked, setAsked] = useState<Invitation | null>(null); // whether to withdraw it
  const { invitations, loadFailure, actionFailure, busy } = state;
  const open = invitations?.filter((each) => each.state === 'open').length ?? 0;
  const isByInvitation = registration === 'invitation';

  return (
    <CardPanel title="Invitations" flush aside={invitations === undefined ? null : <span>{open} open</span>}>
      {isByInvitation ? (
        <InviteForm isBusy={busy === 'invite'} isHeld={busy !== null} onInvite={state.invite} />
      ) : (
        <p className="inst-note">
          Invitations can be sent and used while only people with an invitation may sign up. Choose that above and save it.
        </p>
      )}
      {actionFailure === null ? null : (
        <div className="inst-message">
          <Banner tone="error" {...actionFailure} />
        </div>
      )}
      {loadFailure === null ? null : (
        <div className="inst-message inst-failure">
          <Banner tone="error" {...loadFailure} />
          <Button variant="secondary" onClick={() => void state.reload()}>
            Try Again
          </Button>
        </div>
      )}
      {invitations === undefined ? (
        loadFailure === null ? (
          <LoadingRows label="Loading invitations" rows={3} className="inst-message" />
        ) : null
      ) : invitations.length === 0 ? (
        <EmptyState
          icon={<IconMail size={22} />}
          text="No invitations yet"
          {...(isByInvitation ? { hint: 'Enter an e-mail address above. The mail brings a code that makes one account.' } : {})}
        />
      ) : (
        <InvitationTable invitations={invitations} busy={busy} onWithdraw={setAsked} />
      )}
      <ConfirmDialog
        opened={asked !== null}
        title="Withdraw Invitation"
        message={`The code that was mailed to ${asked?.email ?? ''} will no longer work.`}
        confirmLabel="Withdraw"
        destructive
        onConfirm={() => {
          if (asked !== null) void state.withdraw(asked);
          setAsked(null);
        }}
        onCancel={() => setAsked(null)}
      />
    </CardPanel>
  );
}
