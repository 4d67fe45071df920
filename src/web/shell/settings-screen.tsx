import { AccountSettings } from '../account/account-settings.tsx';
import { UserManagement } from '../users/user-management.tsx';

/** The Settings tab of admins: the own account, and below it all accounts. */
export function SettingsScreen() {
  return (
    <div className="shell-stack">
      <section className="shell-stack" aria-labelledby="account-title">
        <h1 id="account-title" className="shell-title">
          Your Account Settings
        </h1>
        <AccountSettings />
      </section>
      <UserManagement editor={<AccountSettings place="user-management" />} />
    </div>
  );
}
