import { roles } from '#contract/fields.ts';
import { IconChevronRight, IconCheck, IconClock, IconShieldCheckFilled, IconShieldOff } from '@tabler/icons-react';
import { useId } from 'react';
import { Button } from '../ui/button.tsx';
import type { EndSessionsProps } from './end-sessions.tsx';
import { SelectBox } from '../ui/select-box.tsx';
import { changeEdits } from './edits-store.ts';
import { SetBack } from './set-back.tsx';
import type { ManagedUser, UserEdits } from './user-edits.ts';
import { withRole } from './user-edits.ts';
import { UserDetail } from './user-detail.tsx';

/** See `UserRow`. */
export interface UserRowProps {
  user: ManagedUser;
  edits: UserEdits;
  isOpen: boolean;
  isOwn: boolean; // the signed-in admin's own account
  isBusy: boolean;
  onToggle: () => void;
  onVerify: () => void;
  onEdit: () => void;
  onEndSessions: EndSessionsProps['onEnd'];
}

/** One account of the list; opened it shows its bots and keys. */
export function UserRow({ user, edits, isOpen, isOwn, isBusy, onToggle, onVerify, onEdit, onEndSessions }: UserRowProps) {
  const detailId = useId();
  const isLocked = user.role === 'admin';
  const role = isLocked ? user.role : (edits.roles[user.id] ?? user.role);
  const isChanged = role !== user.role;
  const isVerified = user.verified && user.email_verified;
  const setRole = (next: ManagedUser['role']) => changeEdits((before) => withRole(before, user, next));
  return (
    <li
      className="user-row"
      data-user={user.id}
      data-open={isOpen || undefined}
      data-changed={isChanged || undefined}
      aria-label={user.email}
    >
      <button type="button" className="user-toggle" aria-expanded={isOpen} aria-controls={detailId} onClick={onToggle}>
        <IconChevronRight size={14} aria-hidden />
        <span className="user-who">
          <b title={user.display_name}>{user.display_name}</b>
          <span title={user.email}>{user.email}</span>
        </span>
      </button>
      <div className="user-role">
        <SelectBox
          label={`Role of ${user.email}`}
          hideLabel
          options={roles}
          value={role}
          disabled={isLocked || isBusy}
          onChange={setRole}
          className={isChanged ? 'user-select user-select-changed' : 'user-select'}
          {...(isLocked ? { title: 'Cannot change the role of an admin user.' } : {})}
        />
        {isChanged ? <SetBack what={`role of ${user.email}`} to={user.role} disabled={isBusy} onClick={() => setRole(user.role)} /> : null}
      </div>
      <span className={isVerified ? 'user-badge user-good' : 'user-badge user-open'}>
        {isVerified ? <IconCheck size={12} aria-hidden /> : <IconClock size={12} aria-hidden />}
        {isVerified ? 'Verified' : 'Unverified'}
      </span>
      <span className={user.has_2fa ? 'user-2fa user-2fa-on' : 'user-2fa'}>
        {user.has_2fa ? <IconShieldCheckFilled size={14} aria-hidden /> : <IconShieldOff size={14} aria-hidden />}
        {user.has_2fa ? '2FA Enabled' : '2FA Disabled'}
      </span>
      <span className="user-bots fl-number">
        {user.bots.length} {user.bots.length === 1 ? 'bot' : 'bots'}
      </span>
      <div className="user-actions">
        <Button
          variant="secondary"
          disabled={isVerified || isLocked || isBusy}
          aria-label={`Verify ${user.email}`}
          {...(isLocked ? { title: 'Cannot change the verification of an admin user.' } : isVerified ? { title: 'Already verified' } : {})}
          onClick={onVerify}
        >
          Verify
        </Button>
        <Button
          variant="secondary"
          disabled={!isOwn}
          aria-label={`Edit ${user.email}`}
          {...(isOwn ? {} : { title: 'Only your own account; others reset their password by "Forgot password?"' })}
          onClick={onEdit}
        >
          Edit
        </Button>
      </div>
      <div id={detailId} className="user-detail" hidden={!isOpen}>
        {isOpen ? <UserDetail user={user} edits={edits} isOwn={isOwn} isBusy={isBusy} onEndSessions={onEndSessions} /> : null}
      </div>
    </li>
  );
}
