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
import { BotAlerts } from '../differences/bot-alerts.tsx';
import { ReArm } from '../trading/re-arm.tsx';
import { LiveBanner } from '../trading/live-banner.tsx';
import { hasDraft, resetDraft } from '../bots/configure/draft-store.ts';
import { FleetStrip } from '../fleet/fleet-strip.tsx';
import { MonitoringDashboard } from '../monitoring/monitoring.tsx';
import { discardDrafts } from '../paper-trades/drafts-store.ts';
import { isAdmin } from '../session/permissions.ts';
import { useUser } from '../session/use-session.ts';
import { discardDraft } from '../strategy/draft-store.ts';
import { loadLateParts } from '../ui/late.ts';
import type { Tab } from '../ui/tab-strip.tsx';
import { TabStrip } from '../ui/tab-strip.tsx';
import { openBotOfRules } from './bot-of-rules.ts';
import { openBotOfRun } from './bot-of-run.ts';
import { PageTitle } from './page-title.tsx';
import { CommandPalette } from './command-palette.tsx';
import { noProfits, ProfitsLink } from './profits-link.tsx';
import { ReportsTab } from './reports-tab.tsx';
import { discardEdits } from '../users/edits-store.ts';

const BotsTab = lazy(() => import('./bots-tab.tsx').then((module) => ({ default: module.BotsTab })));
const BacktestScreen = lazy(() => import('../backtest/backtest-screen.tsx').then((module) => ({ default: module.BacktestScreen })));
const StrategyScreen = lazy(() => import('../strategy/strategy-screen.tsx').then((module) => ({ default: module.StrategyScreen })));
const FundScreen = lazy(() => import('../fund/fund-screen.tsx').then((module) => ({ default: module.FundScreen })));
const PaperTrades = lazy(() => import('../paper-trades/paper-trades.tsx').then((module) => ({ default: module.PaperTrades })));
const TradeOrdersPage = lazy(() => import('../trade-orders/trade-orders.tsx').then((module) => ({ default: module.TradeOrdersPage })));
const WhyPage = lazy(() => import('../why/why-page.tsx').then((module) => ({ default: module.WhyPage })));
const FundThisMonth = lazy(() => import('./fund-this-month.tsx').then((module) => ({ default: module.FundThisMonth })));
const SettingsScreen = lazy(() => import('./settings-screen.tsx').then((module) => ({ default: module.SettingsScreen })));

/** The values of the tabs, in their order; the last three are for admins. */
export type DashboardTab = 'status' | 'strategy' | 'bot_control' | 'backtest' | 'reports' | 'fund' | 'paper_trades' | 'settings';

const firstTab: DashboardTab = 'status';

/** Those from which it is one press to what the bots made. */
const aboutBots: ReadonlySet<DashboardTab> = new Set(['status', 'bot_control']);

/** How long Status has been open when what it needs only at a press is fetched, in ms. */
const restMs = 10_000;

const adminOnly: ReadonlySet<DashboardTab> = new Set(['fund', 'paper_trades', 'settings']);

const tabs: readonly Tab<DashboardTab>[] = [
  { value: 'status', label: 'Status', icon: <IconActivity size={15} aria-hidden />, panel: <Live of={<StatusPanel />} /> },
  {
    value: 'strategy',
    label: 'Strategy',
    icon: <IconRoute size={15} aria-hidden />,
    panel: (
      <Suspense fallback={<div className="fl-panel shell-waiting" />}>
        <StrategyScreen onUseForBot={openBotOfRules} />
      </Suspense>
    ),
  },
  {
    value: 'bot_control',
    label: 'Bots',
    icon: <IconRobot size={15} aria-hidden />,
    panel: (
      <Live
        of={
          <Suspense fallback={<div className="fl-panel shell-waiting" />}>
            <BotsTab />
          </Suspense>
        }
      />
    ),
  },
  {
    value: 'backtest',
    label: 'Backtest',
    icon: <IconHistory size={15} aria-hidden />,
    panel: (
      <Suspense fallback={<div className="fl-panel shell-waiting" />}>
        <BacktestScreen onMakeBot={openBotOfRun} />
      </Suspense>
    ),
  },
  {
    value: 'reports',
    label: 'Reports',
    icon: <IconFileText size={15} aria-hidden />,
    panel: <ReportsTab />,
  },
  {
    value: 'fund',
    label: 'Fund',
    icon: <IconBriefcase size={15} aria-hidden />,
    panel: (
      <Suspense fallback={<div className="fl-panel shell-waiting" />}>
        <FundScreen />
      </Suspense>
    ),
  },
  {
    value: 'paper_trades',
    label: 'Paper Trades',
    icon: <IconNotebook size={15} aria-hidden />,
    panel: (
      <Suspense fallback={<div className="fl-panel shell-waiting" />}>
        <PaperTrades />
      </Suspense>
    ),
  },
  {
    value: 'settings',
    label: 'Settings',
    icon: <IconSettings size={15} aria-hidden />,
    panel: (
      <Suspense fallback={<div className="fl-panel shell-waiting" />}>
        <SettingsScreen />
      </Suspense>
    ),
  },
];

/** The tabs of the dashboard that the person's role has. */
export function DashboardTabs() {
  const user = useUser();
  const chosen = useAddressValue('tab') ?? firstTab;
  useEffect(() => {
    // A reload or a closed window would drop what is typed about a bot: the browser asks first.
    const ask = (event: BeforeUnloadEvent) => {
      if (hasDraft()) event.preventDefault();
    };
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, []);
  useEffect(
    () => () => {
      resetBacktests();
      discardEdits();
      discardDraft();
      resetDraft();
      discardDrafts();
    },
    [],
  );
  // Every other screen needs them at once; a Status at rest has them before the server is away.
  useEffect(() => {
    if (chosen !== firstTab) return loadLateParts();
    const timer = setTimeout(loadLateParts, restMs);
    return () => clearTimeout(timer);
  }, [chosen]);
  const allowed = tabs.filter(({ value }) => isAdmin(user) || !adminOnly.has(value));
  const value = allowed.find((tab) => tab.value === chosen)?.value ?? firstTab;
  // The first tab is the one of an address that names none.
  return (
    <>
      <PageTitle screen={allowed.find((tab) => tab.value === value)?.label ?? 'Status'} />
      <TabStrip
        label="Dashboard"
        tabs={allowed}
        value={value}
        aside={aboutBots.has(value) ? <ProfitsLink /> : undefined}
        onChange={(next) =>
          changeAddress({ tab: next === firstTab ? null : next, trade: null, order: null, view: null, ...noWhy, ...noProfits })
        }
      />
      <CommandPalette screens={allowed} firstScreen={firstTab} />
    </>
  );
}

/** Leaves the page that says why a bot did or did not trade. */
const noWhy = { why: null, days: null, symbol: null, gate: null } as const;

const letEnter = ({ id, nickname }: { id: string; nickname: string }): ReactNode => (
  <ReArm target={{ level: 'bot', id }} subject={`Bot ${nickname}`} label="Let it enter again" />
);

/** A screen about bots, or what was opened from it: the orders of a trade, or why a bot did or did not trade; above both, whether bots of the viewer trade live. */
function Live({ of }: { of: ReactNode }) {
  const tradeId = useAddressValue('order');
  const whyBotId = useAddressValue('why');
  return (
    <div className="shell-stack">
      <LiveBanner />
      <BotAlerts reArmOf={letEnter} />
      <Suspense fallback={<div className="fl-panel shell-waiting" />}>
        {tradeId !== null ? (
          <TradeOrdersPage tradeId={tradeId} onLeave={() => changeAddress({ order: null })} />
        ) : whyBotId !== null ? (
          <WhyPage key={whyBotId} botId={whyBotId} onLeave={() => changeAddress(noWhy)} />
        ) : (
          of
        )}
      </Suspense>
    </div>
  );
}

/** See there; it is needed once. */
const openFirstBot = (): void => void import('./first-bot.ts').then((module) => module.openFirstBot());

/** The fleet, and below it the bot that is watched; for an investor above both what the fund made this month. */
function StatusPanel() {
  const isInvestor = useUser()?.role === 'investor';
  return (
    <div className="shell-stack">
      <h1 className="fl-visually-hidden">Status</h1>
      {isInvestor ? (
        <Suspense fallback={<div className="fl-panel shell-waiting-month" />}>
          <FundThisMonth />
        </Suspense>
      ) : null}
      <FleetStrip onFirstBot={openFirstBot} />
      <MonitoringDashboard />
    </div>
  );
}
