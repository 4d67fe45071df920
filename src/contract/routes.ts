import { alarmRoutes } from './alarms.ts';
import { apiKeyRoutes } from './api-keys.ts';
import { auditRoutes } from './audit.ts';
import { authRoutes } from './auth.ts';
import { backtestRoutes } from './backtests.ts';
import { botRoutes } from './bots.ts';
import { bulkRoutes } from './bulk.ts';
import { candleHistoryRoutes } from './candle-history.ts';
import { certificateRoutes } from './certificates.ts';
import { channelRoutes } from './channels.ts';
import { chartRoutes } from './chart.ts';
import { decisionRoutes } from './decisions.ts';
import { differenceRoutes } from './differences.ts';
import { liveAccountRoutes } from './live-accounts.ts';
import { exchangeRoutes } from './exchanges.ts';
import { followRoutes } from './follow.ts';
import { fundRoutes } from './fund.ts';
import { installationRoutes } from './installation.ts';
import { investorRoutes } from './investors.ts';
import { limitRoutes } from './limits.ts';
import { liveCheckRoutes } from './live-check.ts';
import { mailRoutes } from './mails.ts';
import { metricsRoutes } from './metrics.ts';
import { passkeyRoutes } from './passkeys.ts';
import { portfolioRoutes } from './portfolios.ts';
import { profitRoutes } from './profits.ts';
import { pulseRoutes } from './pulse.ts';
import { reportRoutes } from './reports.ts';
import { ruleStrategyRoutes } from './rule-strategies.ts';
import { secondFactorRoutes } from './second-factors.ts';
import { settingsRoutes } from './settings.ts';
import { studyRoutes } from './studies.ts';
import { strategyRoutes } from './strategies.ts';
import { strategyFileRoutes } from './strategy-files.ts';
import { systemRoutes } from './system.ts';
import { tradingStateRoutes } from './trading-states.ts';
import { pairLockRoutes } from './pair-locks.ts';
import { manualActionRoutes } from './manual-actions.ts';
import { tradeOrderRoutes } from './trade-orders.ts';
import { tradeRoutes } from './trades.ts';
import { userRoutes } from './users.ts';
import { whatIfRoutes } from './what-if.ts';

/** Every call of the API. The server mounts this table, the browser's client and the documentation are derived from it. */
export const routes = {
  ...authRoutes,
  ...secondFactorRoutes,
  ...passkeyRoutes,
  ...auditRoutes,
  ...mailRoutes,
  ...systemRoutes,
  ...chartRoutes,
  ...metricsRoutes,
  ...settingsRoutes,
  ...userRoutes,
  ...installationRoutes,
  ...strategyRoutes,
  ...strategyFileRoutes,
  ...ruleStrategyRoutes,
  ...candleHistoryRoutes,
  ...exchangeRoutes,
  ...botRoutes,
  ...certificateRoutes,
  ...bulkRoutes,
  ...decisionRoutes,
  ...liveCheckRoutes,
  ...backtestRoutes,
  ...portfolioRoutes,
  ...whatIfRoutes,
  ...studyRoutes,
  ...fundRoutes,
  ...investorRoutes,
  ...apiKeyRoutes,
  ...channelRoutes,
  ...tradeRoutes,
  ...tradeOrderRoutes,
  ...manualActionRoutes,
  ...pairLockRoutes,
  ...reportRoutes,
  ...profitRoutes,
  ...tradingStateRoutes,
  ...limitRoutes,
  ...alarmRoutes,
  ...differenceRoutes,
  ...liveAccountRoutes,
  ...pulseRoutes,
  ...followRoutes,
} as const;

/** See `routes`. */
export type Routes = typeof routes;

/** The name of a call, e.g. 'listBots'. */
export type RouteName = keyof Routes;
