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
import { useEffect } from 'react';
import { changeAddress, useAddressValue } from '../address/address.ts';
import type { UseTry } from '../backtest/optimization/try-for-bot.ts';
import type { MakeBot } from '../backtest/run-actions.tsx';
import type { UseForBot } from '../backtest/what-if/use-for-bot.ts';
import { BotAlerts } from '../differences/bot-alerts.tsx';
import type { TradingSwitch } from '../live/use-trading-state.ts';
import { ReArm } from '../trading/re-arm.tsx';
import { LiveBanner } from '../trading/live-banner.tsx';
import { hasDraft } from '../bots/configure/draft-store.ts';
import { FleetStrip } from '../fleet/fleet-strip.tsx';
import { MonitoringDashboard } from '../monitoring/monitoring.tsx';
import { isAdmin } from '../session/permissions.ts';
import { useUser } from '../session/use-session.ts';
import { loadLateParts } from '../ui/late.ts';
import { onDemand } from '../ui/on-demand.tsx';
import type { Tab } from '../ui/tab-strip.tsx';
import { TabStrip } from '../ui/tab-strip.tsx';
import { openBotOfRules } from './bot-of-rules.ts';
import { PageTitle } from './page-title.tsx';
import { CommandPalette } from './command-palette.tsx';
import { noProfits, ProfitsLink } from './profits-link.tsx';
import { ReportsTab } from './reports-tab.tsx';
import { openWhereAsked } from './where-asked.ts';

const waiting = <div className="fl-panel shell-waiting" />;
const BotsTab = onDemand(() => import('./bots-tab.tsx').then((module) => module.BotsTab), waiting);
const BacktestScreen = onDemand(() => import('../backtest/backtest-screen.tsx').then((module) => module.BacktestScreen), waiting);
const StrategyScreen = onDemand(() => import('../strategy/strategy-screen.tsx').then((module) => module.StrategyScreen), waiting);
const FundScreen = onDemand(() => import('../fund/fund-screen.tsx').then((module) => module.FundScreen), waiting);
const PaperTrades = onDemand(() => import('../paper-trades/paper-trades.tsx').then((module) => module.PaperTrades), waiting);
const TradeOrdersPage = onDemand(() => import('../trade-orders/trade-orders.tsx').then((module) => module.TradeOrdersPage), waiting);
const WhyPage = onDemand(() => import('../why/why-page.tsx').then((module) => module.WhyPage), waiting);
const RefusedPanel = onDemand(() => import('../why/refused-panel.tsx').then((module) => module.RefusedPanel), waiting);
const FundThisMonth = onDemand(
  () => import('./fund-this-month.tsx').then((module) => module.FundThisMonth),
  <div className="fl-panel shell-waiting-month" />,
);
const SettingsScreen = onDemand(() => import('./settings-screen.tsx').then((module) => module.SettingsScreen), waiting);

// What opens the form of a bot is fetched with the first press.
const openBotOfRun: MakeBot = (...run) => openWhereAsked(async () => (await import('./bot-of-run.ts')).botOfRun(...run));
const openBotOfTry: UseTry = (...tried) => openWhereAsked(async () => (await import('./bot-of-try.ts')).botOfTry(...tried));
const openBotOfWhatIf: UseForBot = (turned) => openWhereAsked(async () => (await import('./bot-of-what-if.ts')).botOfWhatIf(turned));

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
    panel: <StrategyScreen onUseForBot={openBotOfRules} />,
  },
  {
    value: 'bot_control',
    label: 'Bots',
    icon: <IconRobot size={15} aria-hidden />,
    panel: <Live of={<BotsTab />} />,
  },
  {
    value: 'backtest',
    label: 'Backtest',
    icon: <IconHistory size={15} aria-hidden />,
    panel: <BacktestScreen onMakeBot={openBotOfRun} onUseTry={openBotOfTry} onUseForBot={openBotOfWhatIf} refused={RefusedPanel} />,
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
    panel: <FundScreen />,
  },
  {
    value: 'paper_trades',
    label: 'Paper Trades',
    icon: <IconNotebook size={15} aria-hidden />,
    panel: <PaperTrades />,
  },
  {
    value: 'settings',
    label: 'Settings',
    icon: <IconSettings size={15} aria-hidden />,
    panel: <SettingsScreen />,
  },
];

/** The tabs of the dashboard that the person's role has. */
export function DashboardTabs() {
  const user = useUser();
  const chosen = useAddressValue('tab') ?? firstTab;
  const view = useAddressValue('view');
  useEffect(() => {
    // A reload or a closed window would drop what is typed about a bot: the browser asks first.
    const ask = (event: BeforeUnloadEvent) => {
      if (hasDraft()) event.preventDefault();
    };
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, []);
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
          changeAddress({
            tab: next === firstTab ? null : next,
            trade: null,
            order: null,
            view: null,
            ...noWhy,
            ...noProfits,
            // What is opened on a view stays for its tab only where that is shown again as it was: on the first view.
            ...(view === null ? {} : { run: null, compare: null }),
          })
        }
      />
      <CommandPalette screens={allowed} firstScreen={firstTab} />
    </>
  );
}

/** Leaves the page that says why a bot did or did not trade. */
const noWhy = { why: null, days: null, symbol: null, gate: null } as const;

const letEnter = (of: TradingSwitch): ReactNode => <ReArm of={of} subject={`Bot ${of.name ?? ''}`} label="Let it enter again" />;

/** A screen about bots, or what was opened from it: the orders of a trade, or why a bot did or did not trade; above both, whether bots of the viewer trade live. */
function Live({ of }: { of: ReactNode }) {
  const tradeId = useAddressValue('order');
  const whyBotId = useAddressValue('why');
  return (
    <div className="shell-stack">
      <LiveBanner />
      <BotAlerts reArmOf={letEnter} />
      {tradeId !== null ? (
        <TradeOrdersPage tradeId={tradeId} onLeave={() => changeAddress({ order: null })} />
      ) : whyBotId !== null ? (
        <WhyPage key={whyBotId} botId={whyBotId} onLeave={() => changeAddress(noWhy)} />
      ) : (
        of
      )}
    </div>
  );
}

/** See there; it is needed once. */
const openFirstBot = (): void => void openWhereAsked(async () => (await import('./first-bot.ts')).makeFirstBot());

/** The fleet, and below it the bot that is watched; for an investor above both what the fund made this month. */
function StatusPanel() {
  const isInvestor = useUser()?.role === 'investor';
  return (
    <div className="shell-stack">
      <h1 className="fl-visually-hidden">Status</h1>
      {isInvestor ? <FundThisMonth /> : null}
      <FleetStrip onFirstBot={openFirstBot} />
      <MonitoringDashboard />
    </div>
  );
}
