import { Button } from '../ui/button.tsx';
import { formatMoment } from '../ui/moment.ts';
import type { Invitation } from './use-invitations.ts';

/** See `InvitationTable`. */
export interface InvitationTableProps {
  invitations: readonly Invitation[];
  busy: string | null; // id of the one that is being withdrawn
  onWithdraw: (invitation: Invitation) => void;
}

/** The invitations that were mailed and what became of them, the newest first. */
export function InvitationTable({ invitations, busy, onWithdraw }: InvitationTableProps) {
  return (
    <div className="inst-scroll" role="region" aria-label="Invitations, scrollable" tabIndex={0}>
      <table className="inst-table" aria-label="Invitations">
        <thead>
          <tr>
            {['Email', 'Role', 'State', 'Invited By', 'Sent (UTC)', 'Valid Until (UTC)'].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
            <th scope="col">
              <span className="fl-visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {invitations.map((invitation) => (
            <tr key={invitation.id}>
              <th scope="row" className="inst-email" title={invitation.email}>
                {invitation.email}
              </th>
              <td data-title="Role">{invitation.role}</td>
              <td data-title="State">
                <span className={`inst-state inst-state-${invitation.state}`}>{invitation.state}</span>
              </td>
              <td data-title="Invited by" className="inst-email" title={invitation.invited_by ?? undefined}>
                {invitation.invited_by ?? 'a removed account'}
              </td>
              <td data-title="Sent" className="fl-number">
                {shortMoment(invitation.created_at)}
              </td>
              <td data-title="Valid until" className="fl-number">
                {shortMoment(invitation.expires_at)}
              </td>
              <td className="inst-action">
                {invitation.state === 'open' ? (
                  <Button
                    variant="secondary"
                    size="small"
                    aria-label={`Withdraw the invitation of ${invitation.email}`}
                    loading={busy === invitation.id}
                    disabled={busy !== null}
                    onClick={() => onWithdraw(invitation)}
                  >
                    Withdraw
                  </Button>
                ) : null}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function shortMoment(moment: string): string {
  return formatMoment(moment).slice(0, 16);
}
