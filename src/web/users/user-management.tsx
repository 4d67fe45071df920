import './users.css';
import { IconLock } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { texts } from '#contract/errors.ts';
import { isAdmin } from '../session/permissions.ts';
import { useUser } from '../session/use-session.ts';
import { CardPanel } from '../ui/card-panel.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { UserList } from './user-list-panel.tsx';

/** The accounts of this installation, for admins; `editor` is the content of the dialog that edits the own one. */
export function UserManagement({ editor }: { editor: ReactNode }) {
  const user = useUser();
  if (user !== null && isAdmin(user)) return <UserList ownId={user.userId} editor={editor} />;
  return (
    <CardPanel title="User Management">
      <EmptyState icon={<IconLock size={22} />} text={user === null ? texts.notAuthenticated : texts.adminRequired} minHeight={240} />
    </CardPanel>
  );
}
