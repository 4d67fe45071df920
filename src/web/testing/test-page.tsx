import '@fontsource-variable/inter';
import '@mantine/core/styles.css';
import '../ui/ui.css';
import type { SessionUser } from '#contract/auth.ts';
import { builtInServerConfig } from '#contract/settings.ts';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { MemoryRouter, useLocation, useNavigate } from 'react-router';
import { createQueryClient } from '../api/query-client.ts';
import { App } from '../app.tsx';
import { startSession } from '../session/session-check.ts';
import { noteSessionEnd } from '../session/session-end.ts';
import { clearSession } from '../session/session-store.ts';
import { applyTheme } from '../session/theme-store.ts';
import { cssVariables, theme } from '../theme.ts';
import { toastStore } from '../ui/toast.ts';
import { Answerer, problem } from './answerer.ts';
import { pulseOfParts } from './pulse-of-parts.ts';
import { aFreeBalance, aLiveCheck } from './samples/live-check.ts';
import { anAuditRecord } from './samples/audit.ts';
import { aBot, aBotConfig, aHindsight, asLive, asMonitored, liveOf } from './samples/bots.ts';
import { aMail, anInstallation } from './samples/installation.ts';
import { someCandles, someOrders, somePnl } from './samples/monitoring.ts';
import { aHistory } from './samples/rules.ts';
import { someDetails } from './samples/strategies.ts';
import { aTradingView, someLimits } from './samples/trading.ts';
import { aSession, aManagedUser, someFactors } from './samples/users.ts';

/** The application as it starts at `path`, with the address it is at noted below it and a way back, as a browser's. */
export function TestPage({ path, search = '', state }: { path: string; search?: string; state?: object }) {
  return (
    <MemoryRouter initialEntries={[{ pathname: path, search, state }]}>
      <App />
      <Address />
    </MemoryRouter>
  );
}

/** A screen by itself, as it is when something else than the dashboard shows it. */
export function Frame({ children }: { children: ReactNode }) {
  return (
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} forceColorScheme="dark">
      <QueryClientProvider client={createQueryClient()}>{children}</QueryClientProvider>
    </MantineProvider>
  );
}

/** Does what happens before the first drawing. The browser remembers nothing of an earlier start. */
export function startPage(path: string): void {
  localStorage.clear();
  sessionStorage.clear();
  clearSession();
  noteSessionEnd(null);
  toastStore.setState({ toasts: [] }); // a toast of before would lie over what is clicked
  localStorage.setItem('theme', 'dark');
  applyTheme();
  void startSession(path);
}

/** A network with `user` signed in and answers for all that the shell, the status and the bots ask for. */
export function answerFor(user: SessionUser | null): Answerer {
  const bots = [aBot(1), aBot(2, { status: 'paused', mode: 'live' })];
  const network = new Answerer()
    .on('systemStatus', { status: 'ok', version: '0.1.0', time: '2026-11-20T00:00:00.000Z' })
    .on('liveStatus', liveOf(bots.map((bot) => asLive(bot))))
    .on('backtestResults', { results: [] })
    .on('fundMonth', { ledgers: [] })
    .on('availableBots', { data: bots.map(asMonitored) })
    .on('availablePairs', { pairs: ['BTC/USDT', 'ETH/USDT'] })
    .on('pnlMetrics', somePnl())
    .on('orderMetrics', someOrders())
    .on('chartCandles', someCandles(60, 105))
    .on('followStatus', problem(404)) // the page asks by itself
    .on('chartOverlays', { trades: [], stops: [], avwap: [] })
    .on('botDecisionMarks', { marks: [] })
    .on('listBots', bots)
    .on('listArchivedBots', [])
    .on('getBot', ({ path }) => aBotConfig(bots.find(({ id }) => path.endsWith(id)) ?? bots[0]))
    .on('botTrades', [])
    .on('botPnl', [])
    .on('listBotVersions', [])
    .on('strategyDetails', someDetails())
    .on('newBotHindsight', aHindsight())
    .on('botHindsight', aHindsight())
    .on('getSetting', { key: 'server_config', value: builtInServerConfig })
    .on('stakeCurrencies', { stake_currencies: ['USDT'] })
    .on('tradingPairs', { trading_pairs: ['BTC/USDT', 'ETH/USDT', 'SOL/USDT'] })
    .on('listSessions', [aSession(1, { is_current: true })])
    .on('getSecondFactors', someFactors())
    .on('listApiKeys', [])
    .on('listChannels', [])
    .on('countChannels', { people: 0, channels: 0, paused: 0, failing: 0, waiting: 0 })
    .on('listStrategies', { strategies: [] })
    .on('listStrategyFiles', { folder: null, files: [] })
    .on('listRules', { rules: [] })
    .on('candleHistory', () => aHistory())
    .on('listExchanges', { exchanges: [{ id: 'sandbox', name: 'Sandbox' }] })
    .on('listUsers', [aManagedUser(1, { role: 'admin', display_name: 'Admin', email: 'admin@flotilla.example' })])
    .on('checkAudit', { checked_at: '2026-11-21T19:00:02.000Z', records: 18407, broken: null })
    .on('listAudit', { total: 1, records: [anAuditRecord(1)], next: null })
    .on('getInstallation', anInstallation())
    .on('liveCheck', aLiveCheck())
    .on('freeBalance', aFreeBalance())
    .on('getTradingState', aTradingView())
    .on('getLimits', someLimits())
    .on('listPairLocks', { locks: [] })
    .on('listAlarms', [])
    .on('listDifferences', { open: [], unprotected: [], ended: [] })
    .on('listLiveAccounts', { time: '2026-11-22T10:00:00.000Z', accounts: [] })
    .on('listInvitations', [])
    .on('getRegistration', { registration: 'open', mails_go_to: 'server' })
    .on('listMails', { goes_to: 'server', counts: { waiting: 0, sent: 1, failed: 0 }, mails: [aMail(1)], next: null })
    .on('getReportMail', { wanted: false, goes_to: 'server' })
    .on('report', problem(404, 'No report data available for the date.'))
    .on('reportTrades', { modes: [], trades: [] })
    .on('logout', { status: 'Logged out' });
  network.on('pulse', (call) => pulseOfParts(network, call));
  if (user !== null) network.on('getMe', user);
  return network;
}

function Address() {
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  return (
    <>
      <output hidden data-testid="address" data-path={pathname} data-search={search} />
      <button type="button" style={{ position: 'fixed', bottom: 0, left: 0 }} onClick={() => void navigate(-1)}>
        back
      </button>
    </>
  );
}
