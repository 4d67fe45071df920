import './shell.css';
import { useChoicesInAddress } from '../monitoring/choices-in-address.ts';
import { DashboardTabs } from './dashboard-tabs.tsx';
import { Header } from './header.tsx';
import { useInitialize } from './use-initialize.ts';

/** The shell of the application for signed-in people: header, tabs, footer. */
export function Dashboard() {
  const { isDegraded } = useInitialize();
  useChoicesInAddress();
  return (
    <div className="shell">
      <Header isDegraded={isDegraded} />
      <main className="shell-main">
        <DashboardTabs />
      </main>
      <footer className="shell-footer">
        <a href="https://www.tradingview.com/" target="_blank" rel="noopener noreferrer">
          Charts by TradingView Lightweight Charts
        </a>
      </footer>
    </div>
  );
}
