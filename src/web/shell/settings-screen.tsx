import type { ReactNode } from 'react';
import { AccountSettings } from '../account/account-settings.tsx';
import { useAddressValue } from '../address/address.ts';
import { AuditLog } from '../audit/audit-log.tsx';
import { InstallationSettings } from '../installation/installation-settings.tsx';
import { LiveAccounts } from '../live-accounts/live-accounts.tsx';
import { LimitsPanel } from '../limits/limits-panel.tsx';
import { MailOutbox } from '../mails/mail-outbox.tsx';
import { KillSwitch } from '../trading/kill-switch.tsx';
import { UserManagement } from '../users/user-management.tsx';
import type { SettingsView } from './settings-rail.tsx';
import { SettingsRail, settingsView } from './settings-rail.tsx';

/** The Settings tab of admins: its pages, and the way from one to the other. */
export function SettingsScreen() {
  const view = settingsView(useAddressValue('view'));
  return (
    <div className="shell-settings">
      <SettingsRail view={view} />
      {pages[view]}
    </div>
  );
}

const pages: Readonly<Record<SettingsView, ReactNode>> = {
  account: <AccountAndUsers />,
  limits: <SwitchAndLimits />,
  installation: <InstallationSettings />,
  mail: <MailOutbox />,
  audit: <AuditLog />,
};

/** What keeps bots from trading: the kill switch and the limits of the whole server; and how the accounts stand that are traded with. */
function SwitchAndLimits() {
  return (
    <div className="shell-stack">
      <KillSwitch />
      <LiveAccounts />
      <LimitsPanel target={{ level: 'server' }} note="of all bots that trade at an exchange, together; amounts by stake currency" />
    </div>
  );
}

/** The own account, and below it all accounts. */
function AccountAndUsers() {
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
