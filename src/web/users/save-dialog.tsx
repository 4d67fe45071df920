import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { ModeTag } from '../ui/mode-tag.tsx';
import { ChangeText } from '../ui/save-bar.tsx';
import type { PendingChange } from './user-edits.ts';

/** See `SaveDialog`. */
export interface SaveDialogProps {
  opened: boolean;
  changes: readonly PendingChange[];
  isBusy: boolean;
  onConfirm: () => void;
  onCancel: () => void;
}

/** Asks before the pending changes are saved, and says what they are and whom they reach. */
export function SaveDialog({ opened, changes, isBusy, onConfirm, onCancel }: SaveDialogProps) {
  return (
    <ConfirmDialog
      opened={opened}
      title="Save All Changes"
      message="Are you sure you want to save all changes?"
      confirmLabel="Save Changes"
      loading={isBusy}
      onConfirm={onConfirm}
      onCancel={onCancel}
    >
      <ul className="users-changes" tabIndex={0} aria-label="Changes">
        {changes.map((change) => (
          <li key={`${change.kind} ${change.id}`}>
            <ChangeText change={change} /> {change.kind === 'status' && change.mode === 'live' ? <ModeTag mode="live" /> : null}
          </li>
        ))}
      </ul>
      {changes.some((change) => change.kind === 'status' && change.mode === 'live' && change.to === 'active') ? (
        <p className="users-changes-live" role="note">
          A live bot that becomes active sends its orders to the exchange.
        </p>
      ) : null}
      {consequences(changes).map((sentence) => (
        <p key={sentence} className="users-changes-note">
          {sentence}
        </p>
      ))}
    </ConfirmDialog>
  );
}

/** What follows from changes of roles, a sentence each. */
function consequences(changes: readonly PendingChange[]): string[] {
  const roles = changes.filter(({ kind }) => kind === 'role');
  return [
    ...(roles.length > 0 ? ['Anyone whose role changes is signed out everywhere and must sign in again.'] : []),
    ...(roles.some(({ to }) => to === 'admin') ? ['An admin stays an admin: the role cannot be changed afterwards.'] : []),
  ];
}
