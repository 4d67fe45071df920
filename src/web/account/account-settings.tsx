import { useEffect, useState } from 'react';
import { useUser } from '../session/use-session.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { ChangePassword } from './change-password.tsx';

/** How long 'Changes saved!' stays, in ms. */
export const savedMs = 2000;

/** Who is signed in, and the way to another password. */
export function AccountSettings() {
  const user = useUser();
  const [isOpen, setOpen] = useState(false);
  const [isSaved, setSaved] = useState(false);
  const [failure, setFailure] = useState<string | null>(null); // '' when the server gave no reason

  useEffect(() => {
    if (!isSaved) return undefined;
    const timer = setTimeout(() => setSaved(false), savedMs);
    return () => clearTimeout(timer);
  }, [isSaved]);

  return (
    <div className="account">
      {isSaved ? <Banner tone="success" text="Changes saved!" /> : null}
      {failure === null ? null : <Banner tone="error" text="Failed to change password" detail={failure === '' ? null : failure} />}
      <dl className="account-facts">
        <div>
          <dt>Email</dt>
          <dd>{user?.email ?? 'User'}</dd>
        </div>
        <div>
          <dt>Role</dt>
          <dd>{user?.role ?? '—'}</dd>
        </div>
      </dl>
      <Button
        variant="secondary"
        onClick={() => {
          setFailure(null);
          setOpen(true);
        }}
      >
        Change Password
      </Button>
      <ChangePassword
        opened={isOpen}
        onSaved={() => {
          setOpen(false);
          setSaved(true);
        }}
        onClose={(reason) => {
          setOpen(false);
          setFailure(reason);
        }}
      />
    </div>
  );
}
