import { Loader } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useMemo, useState } from 'react';
import { useAuthCheck } from '../session/use-auth-check.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { CardPanel } from '../ui/card-panel.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { SaveBar } from '../ui/save-bar.tsx';
import { discardEdits, useEdits } from './edits-store.ts';
import { Pager } from './pager.tsx';
import { SaveDialog } from './save-dialog.tsx';
import { useUsers } from './use-users.ts';
import type { ManagedUser } from './user-edits.ts';
import { pendingChanges } from './user-edits.ts';
import { UserFilters } from './user-filters.tsx';
import { everyone, matchesUser, pageCount, pageSize } from './user-list.ts';
import { UserRow } from './user-row.tsx';

/** The list of all accounts: filters, rows, pages, and the changes that wait to be saved. */
export function UserList({ ownId, editor }: { ownId: string; editor: ReactNode }) {
  const check = useAuthCheck();
  const { users, loadFailure, actionFailure, isBusy, reload, verify, endSessions, saveAll, cancelSaving } = useUsers(check.isDone);
  const edits = useEdits();
  const [filter, setFilter] = useState(everyone);
  const [page, setPage] = useState(1);
  const [openIds, setOpenIds] = useState<ReadonlySet<string>>(new Set());
  const [isAsking, setAsking] = useState(false);
  const [isEditing, setEditing] = useState(false);
  const found = useMemo(() => (users ?? []).filter((user) => matchesUser(user, filter)), [users, filter]);
  const changes = useMemo(() => pendingChanges(edits, users ?? []), [edits, users]);
  const current = Math.min(page, pageCount(found.length));
  const failure = check.failure === null ? loadFailure : { text: check.failure, detail: null };

  const toggle = (id: string) =>
    setOpenIds(openIds.has(id) ? new Set([...openIds].filter((each) => each !== id)) : new Set([...openIds, id]));
  const verifyOne = async (user: ManagedUser) => {
    await verify(user);
    // Its button is disabled now and has lost the focus.
    requestAnimationFrame(() => {
      if (document.activeElement === document.body) focusOn(`[data-user="${CSS.escape(user.id)}"] .user-toggle`);
    });
  };
  const save = async () => {
    const isSaved = await saveAll(changes);
    setAsking(false);
    // The button that asked is gone with the last pending change.
    if (isSaved) requestAnimationFrame(() => focusOn('.users-panel input'));
  };

  const cancelSave = () => {
    cancelSaving();
    setAsking(false);
  };

  return (
    <div className="users-panel">
      <CardPanel
        title="User Management"
        flush
        aside={
          <UserFilters
            count={users === undefined ? null : `${found.length} of ${users.length} users`}
            filter={filter}
            onChange={(next) => {
              setFilter(next);
              setPage(1);
            }}
          />
        }
      >
        {failure === null ? null : (
          <div className="users-failure">
            <Banner tone="error" {...failure} />
            <Button variant="secondary" onClick={() => (check.failure === null ? void reload() : check.again())}>
              Try Again
            </Button>
          </div>
        )}
        {users === undefined ? (
          failure === null ? (
            <div className="users-loading" role="status">
              <Loader size={22} aria-hidden />
              <span className="fl-visually-hidden">Loading users</span>
            </div>
          ) : null
        ) : found.length === 0 ? (
          <EmptyState
            icon={<IconUsers size={22} />}
            text={users.length === 0 ? 'No users available' : 'No users match your filters'}
            minHeight={240}
          />
        ) : (
          <div className="users-grid">
            <div className="users-head" aria-hidden>
              {['User', 'Role', 'Verification', 'Two-Factor', 'Bots', ''].map((title) => (
                <span key={title}>{title}</span>
              ))}
            </div>
            <ul className="users-rows" aria-label="Users">
              {found.slice((current - 1) * pageSize, current * pageSize).map((user) => (
                <UserRow
                  key={user.id}
                  user={user}
                  edits={edits}
                  isOpen={openIds.has(user.id)}
                  isOwn={user.userId === ownId}
                  isBusy={isBusy}
                  onToggle={() => toggle(user.id)}
                  onVerify={() => void verifyOne(user)}
                  onEdit={() => setEditing(true)}
                  onEndSessions={(signal) => endSessions(user, signal)}
                />
              ))}
            </ul>
          </div>
        )}
        {found.length === 0 ? null : <Pager page={current} total={found.length} onChange={setPage} />}
      </CardPanel>
      <div className="users-dock">
        {actionFailure === null ? null : <Banner tone="error" {...actionFailure} />}
        {changes.length === 0 ? null : (
          <SaveBar
            changes={changes.map(({ kind, id, name, from, to }) => ({ key: `${kind} ${id}`, name, from, to }))}
            note="nothing is sent before you save"
            saveText="Save All Changes"
            isBusy={isBusy}
            isInFlow
            onDiscard={discardEdits}
            onSave={() => setAsking(true)}
          />
        )}
      </div>
      <SaveDialog opened={isAsking} changes={changes} isBusy={isBusy} onConfirm={() => void save()} onCancel={cancelSave} />
      <Dialog
        opened={isEditing}
        onClose={() => {
          setEditing(false);
          void reload(); // the second factor may be on now
        }}
        title="Edit User"
        size="lg"
        classNames={{ content: 'fl-dialog' }}
      >
        {editor}
      </Dialog>
    </div>
  );
}

function focusOn(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.focus({ preventScroll: true });
}
