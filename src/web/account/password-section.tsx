import { IconKey } from '@tabler/icons-react';
import { useState } from 'react';
import { useUser } from '../session/use-session.ts';
import { Button } from '../ui/button.tsx';
import { AccountSection } from './account-section.tsx';
import { ChangePassword } from './change-password.tsx';
import type { Reports, SettingsPlace } from './section-reports.ts';
import { noSessionUser } from './section-reports.ts';

/** The way to another password. */
export function PasswordSection({ place, onSaved, onFailed }: Reports & { place: SettingsPlace }) {
  const user = useUser();
  const [isOpen, setOpen] = useState(false);
  return (
    <AccountSection title="Password">
      <div className="account-section">
        <p className="account-hint">Changing it ends your other sessions and sends you an email.</p>
        <div className="account-buttons">
          <Button
            variant="secondary"
            icon={<IconKey size={14} aria-hidden />}
            onClick={() => {
              onFailed(user === null ? noSessionUser : null);
              setOpen(user !== null);
            }}
          >
            Change Password
          </Button>
        </div>
      </div>
      <ChangePassword
        opened={isOpen}
        action={place === 'account' ? 'Change Password' : 'Update Password'}
        onSaved={() => {
          setOpen(false);
          onSaved();
        }}
        onClose={(failed) => {
          setOpen(false);
          onFailed(failed);
        }}
      />
    </AccountSection>
  );
}
