import {
  IconActivity,
  IconBriefcase,
  IconFileText,
  IconHistory,
  IconNotebook,
  IconRobot,
  IconRoute,
  IconSettings,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { lazy, Suspense, useEffect } from 'react';
import { changeAddress, useAddressValue } from '../address/address.ts';
import { resetBacktests } from '../backtest/backtest-store.ts';
import { BotsScreen } from '../bots/bots-screen.tsx';
import { MonitoringDashboard } from '../monitoring/monitoring.tsx';
import { isAdmin } from '../session/permissions.ts';
import { useUser } from '../session/use-session.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import type { Tab } from '../ui/tab-strip.tsx';
import { TabStrip } from '../ui/tab-strip.tsx';

const BacktestScreen = lazy(() => import('../backtest/backtest-screen.tsx').then((module) => ({ default: module.BacktestScreen })));

/** The values of the tabs, in their order; the last three are for admins. */
export type DashboardTab = 'status' | 'strategy' | 'bot_control' | 'backtest' | 'reports' | 'fund' | 'paper_trades' | 'settings';

const firstTab: DashboardTab = 'status';

const adminOnly: ReadonlySet<DashboardTab> = new Set(['fund', 'paper_trades', 'settings']);

const tabs: readonly Tab<DashboardTab>[] = [
  { value: 'status', label: 'Status', icon: <IconActivity size={15} aria-hidden />, panel: <MonitoringDashboard /> },
  {
    value: 'strategy',
    label: 'Strategy',
    icon: <IconRoute size={15} aria-hidden />,
    panel: <Soon icon={<IconRoute size={22} />} text="Strategy configuration will be here soon" />,
  },
  { value: 'bot_control', label: 'Bots', icon: <IconRobot size={15} aria-hidden />, panel: <BotsScreen /> },
  {
    value: 'backtest',
    label: 'Backtest',
    icon: <IconHistory size={15} aria-hidden />,
    panel: (
      <Suspense fallback={<div className="fl-panel shell-waiting" />}>
        <BacktestScreen />
      </Suspense>
    ),
  },
  {
    value: 'reports',
    label: 'Reports',
    icon: <IconFileText size={15} aria-hidden />,
    panel: <Soon icon={<IconFileText size={22} />} text="Daily reports will be here soon" />,
  },
  {
    value: 'fund',
    label: 'Fund',
    icon: <IconBriefcase size={15} aria-hidden />,
    panel: <Soon icon={<IconBriefcase size={22} />} text="The fund overview and the investor summary will be here soon" />,
  },
  {
    value: 'paper_trades',
    label: 'Paper Trades',
    icon: <IconNotebook size={15} aria-hidden />,
    panel: <Soon icon={<IconNotebook size={22} />} text="The review of paper trades will be here soon" />,
  },
  {
    value: 'settings',
    label: 'Settings',
    icon: <IconSettings size={15} aria-hidden />,
    panel: <Soon icon={<IconSettings size={22} />} text="User management will be here soon" />,
  },
];

/** The tabs of the dashboard that the person's role has. */
export function DashboardTabs() {
  const user = useUser();
  const chosen = useAddressValue('tab') ?? firstTab;
  useEffect(() => resetBacktests, []);
  const allowed = tabs.filter(({ value }) => isAdmin(user) || !adminOnly.has(value));
  const value = allowed.find((tab) => tab.value === chosen)?.value ?? firstTab;
  // The first tab is the one of an address that names none.
  return (
    <TabStrip
      label="Dashboard"
      tabs={allowed}
      value={value}
      onChange={(next) => changeAddress({ tab: next === firstTab ? null : next, trade: null })}
    />
  );
}

function Soon({ icon, text }: { icon: ReactNode; text: string }) {
  return (
    <div className="fl-panel">
      <EmptyState icon={icon} text={text} minHeight={360} />
    </div>
  );
}
