import './shell.css';
import { AlarmStrip } from '../alarms/alarm-strip.tsx';
import { useConnection } from '../api/connection.ts';
import { useAddressInRouter } from '../address/use-address-in-router.ts';
import { useKeptPulse } from '../live/use-pulse.ts';
import { useChoicesInAddress } from '../monitoring/choices-in-address.ts';
import { TradingBanner } from '../trading/trading-banner.tsx';
import { ConfirmPassword } from './confirm-password.tsx';
import { DashboardTabs } from './dashboard-tabs.tsx';
import { Header, Toggles, useIsPhone } from './header.tsx';
import { useInitialize } from './use-initialize.ts';

/** The shell of the application for signed-in people: header, tabs, footer. */
export function Dashboard() {
  const { isDegraded } = useInitialize();
  const isFailing = useConnection().failingSince !== null;
  const isPhone = useIsPhone();
  useKeptPulse();
  useAddressInRouter();
  useChoicesInAddress();
  return (
    <div className={isFailing ? 'shell shell-lost' : 'shell'}>
      <Header isDegraded={isDegraded} />
      <AlarmStrip />
      <TradingBanner />
      <main className="shell-main">
        <DashboardTabs />
      </main>
      <ConfirmPassword />
      <footer className="shell-footer">
        {isPhone ? <Toggles /> : null}
        <a href="https://www.tradingview.com/" target="_blank" rel="noopener noreferrer">
          Charts by TradingView Lightweight Charts
        </a>
      </footer>
    </div>
  );
}
