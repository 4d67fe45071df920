import { IconAlertTriangle, IconChartLine, IconListDetails, IconLogout, IconMoon, IconUserCircle } from '@tabler/icons-react';
import { useMediaQuery } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAddressValue } from '../address/address.ts';
import { AccountDialog } from '../account/account-dialog.tsx';
import { setShowOrders, setShowPnl, useChoices } from '../monitoring/dashboard-store.ts';
import { logout } from '../session/logout.ts';
import { toggleTheme, useTheme } from '../session/theme-store.ts';
import { useUser } from '../session/use-session.ts';
import { StopAll } from '../trading/stop-all.tsx';
import { Button } from '../ui/button.tsx';
import { Logo } from '../ui/logo.tsx';
import { Switch } from '../ui/switch.tsx';
import { ConnectionPill } from './connection-pill.tsx';

/** Whether the screen is a phone's: there the switches stand at the end of the page, and the page begins higher. */
export function useIsPhone(): boolean {
  return useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
}

/** The header: logo, switches, connection, the person, logout. */
export function Header({ isDegraded }: { isDegraded: boolean }) {
  const isPhone = useIsPhone();
  return (
    <header className="shell-header">
      <Logo />
      {isPhone ? null : <Toggles />}
      <ConnectionPill />
      {isDegraded ? (
        <p className="shell-degraded" role="status">
          <IconAlertTriangle size={14} aria-hidden /> Some services are unavailable
        </p>
      ) : null}
      <div className="shell-stop">
        <StopAll />
      </div>
      <div className="shell-person">
        <Person />
        <Logout />
      </div>
    </header>
  );
}

/** The switches of what Status shows, and of the look. */
export function Toggles() {
  const showPnl = useChoices((choices) => choices.showPnl);
  const showOrders = useChoices((choices) => choices.showOrders);
  const isDark = useTheme() === 'dark';
  const tab = useAddressValue('tab');
  const isElsewhere = tab !== null && tab !== 'status';
  const elsewhere = { disabled: isElsewhere, reason: isElsewhere ? 'Shows or hides a panel of the Status tab' : undefined };
  return (
    <div className="shell-toggles">
      <IconChartLine size={14} aria-hidden />
      <Switch label="PnL" size="small" checked={showPnl} onChange={setShowPnl} {...elsewhere} />
      <IconListDetails size={14} aria-hidden />
      <Switch label="Orders" size="small" checked={showOrders} onChange={setShowOrders} {...elsewhere} />
      <IconMoon size={14} aria-hidden />
      <Switch label="Dark" size="small" checked={isDark} onChange={toggleTheme} />
    </div>
  );
}

function Person() {
  const user = useUser();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="shell-user" title="Your Account Settings" onClick={() => setOpen(true)}>
        <IconUserCircle size={18} aria-hidden />
        {user === null ? (
          <span>User</span>
        ) : (
          <span className="shell-who">
            <span className="shell-email" title={user.email}>
              {user.email}
            </span>
            <span className="shell-role">{user.role}</span>
          </span>
        )}
      </button>
      <AccountDialog opened={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}

function Logout() {
  const [isBusy, setBusy] = useState(false);
  const queryClient = useQueryClient();
  const leave = async () => {
    setBusy(true);
    await logout(() => queryClient.cancelQueries());
  };
  return (
    <Button
      variant="secondary"
      className="shell-logout"
      title="Logout"
      loading={isBusy}
      icon={<IconLogout size={14} aria-hidden />}
      onClick={() => void leave()}
    >
      {isBusy ? 'Logging out...' : 'Logout'}
    </Button>
  );
}
