import type { AxeResults } from 'axe-core';
import axe from 'axe-core';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import type { Theme } from './session/theme-store.ts';
import { applyTheme } from './session/theme-store.ts';
import { draftsStore } from './strategy/rules/drafts/drafts-store.ts';
import type { Answerer } from './testing/answerer.ts';
import { problem } from './testing/answerer.ts';
import { holdMoments } from './testing/held-time.ts';
import { anAuditRecord } from './testing/samples/audit.ts';
import { aBot, aHindsight, aBotVersion, aSnapshot } from './testing/samples/bots.ts';
import {
  aCertificate,
  aCertifiedTrade,
  certifiedDay,
  newestCertificates,
  noCertificate,
  someCertificates,
} from './testing/samples/certificates.ts';
import { idOf } from './testing/samples/ids.ts';
import { aFundOverview, anInvestorRow } from './testing/samples/fund.ts';
import { aMail, anInstallation } from './testing/samples/installation.ts';
import { aRuleStrategy, aUsingBot, someRules } from './testing/samples/rules.ts';
import { aLastBacktest, aStrategy, someDetails } from './testing/samples/strategies.ts';
import { aLedger, someSums } from './testing/samples/profits.ts';
import { aBotTrade, aPaperTrade } from './testing/samples/trades.ts';
import { aTradingView, setSince } from './testing/samples/trading.ts';
import { aManagedBot, aManagedUser, anInvitation, aUser } from './testing/samples/users.ts';
import { answerFor, startPage, TestPage } from './testing/test-page.tsx';

let network: Answerer;
beforeAll(() => page.viewport(1440, 1000));
afterEach(async () => {
  await cleanup();
  network.stop();
});

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What is wrong with the page as it is drawn now, in the light look and in the dark one. */
async function findings(): Promise<string[]> {
  const found: string[] = [];
  for (const theme of ['light', 'dark'] as const) {
    await show(theme);
    const { violations }: AxeResults = await axe.run(document.body, { runOnly: tags });
    found.push(...violations.map(({ id, nodes }) => `${theme}: ${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`));
  }
  return found;
}

/** Draws the page in a look, to the end. */
async function show(theme: Theme): Promise<void> {
  localStorage.setItem('theme', theme);
  applyTheme();
  await new Promise(requestAnimationFrame);
  await Promise.all(document.getAnimations().map(async ({ finished }) => finished.catch(() => {})));
}

describe('in both looks', () => {
  const open = async (path: string, answers: (network: Answerer) => Answerer = (same) => same, search = '') => {
    network = answers(answerFor(aUser('admin')));
    startPage(path);
    draftsStore.setState(draftsStore.getInitialState());
    localStorage.setItem('theme', 'dark');
    applyTheme();
    return render(<TestPage path={path} search={search} />);
  };

  test.each(['/login', '/register', '/verify-email', '/2fa', '/reset-password'])(
    '%s has no findings, with a message shown',
    async (path) => {
      await open(path, (net) => net.on('getMe', problem(403)));
      await page
        .getByRole('button')
        .filter({ hasNotText: /forgot|show|resend/iu })
        .last()
        .click();
      expect(await findings()).toEqual([]);
    },
  );

  test('the status tab has no findings', async () => {
    await open('/');
    await expect.element(page.getByRole('figure', { name: 'PnL chart of BTC/USDT' })).toBeVisible();
    await expect.element(page.getByRole('table', { name: 'Order Log' })).toBeVisible();
    expect(await findings()).toEqual([]);
  });

  test('why a bot did or did not trade, with a check chosen, has no findings', async () => {
    const refused = { gate: 'slots-full', count: 2 };
    const funnel = { candles: 60, signals: 3, refused: [refused], entered: 1, closed: 1, won: 1 };
    const decision = {
      candle_time: '2026-11-21T06:40:00.000Z',
      symbol: 'BTC/USDT',
      action: 'none',
      gate: 'slots-full',
      direction: 'long',
      tag: 'cross',
      confidence: 0.5,
      price: 81_000,
      seen: { values: { rsi: 29 }, price_age_ms: 400, numbers: { open: 3, most: 3 } },
    } as const;
    await open(
      '/',
      (net) =>
        net.on('botDecisions', {
          from: '2026-11-20T07:00:00.000Z',
          to: '2026-11-21T07:00:00.000Z',
          decisions: [decision],
          next: null,
          funnels: { range: funnel, hour: funnel, day: funnel },
          nearest: { hour: null, day: null },
        }),
      `?why=${idOf(101)}&gate=slots-full`,
    );
    await expect.element(page.getByText('3 of 3 trades open', { exact: false })).toBeVisible();
    expect(await findings()).toEqual([]);
    const { candle_time, symbol, direction } = decision;
    const entry = {
      candle_time,
      symbol,
      direction,
      outcome: 'closed' as const,
      why: null,
      profit: -5.9,
      closed_at: candle_time,
      exit_reason: 'roi',
    };
    const sums = [{ currency: 'USDT', profit: -5.9, won: 0, lost: 1, open: 0, open_profit: 0 }];
    const about = {
      from: '2026-11-20T07:00:00.000Z',
      to: '2026-11-21T07:00:00.000Z',
      until: '2026-11-21T07:00:00.000Z',
      refused: 1,
      left_out: 0,
    };
    network.on('replayRefused', { state: 'done', why: null, replay: { ...about, entries: [entry], sums } });
    await page.getByRole('button', { name: 'Replay Without This Check' }).click();
    await expect.element(page.getByText('not real', { exact: false })).toBeVisible();
    expect(await findings()).toEqual([]);
  });

  test('the bots tab, its dialogs and toasts have no findings', async () => {
    await open('/');
    await page.getByRole('tab', { name: 'Bots' }).click();
    await page.getByRole('button', { name: 'Switch to Live' }).click();
    await expect.element(page.getByRole('dialog')).toBeVisible();
    expect(await findings()).toEqual([]);
    network.on('changeBotMode', problem(409, 'Bot has open trades'));
    await page.getByLabelText("Type the bot's name").fill('Bot 1');
    await page.getByRole('button', { name: 'Confirm' }).click();
    await expect.element(page.getByText('Failed to change bot mode: Bot has open trades')).toBeVisible();
    expect(await findings()).toEqual([]);
  });

  test('the settings tab, opened, with pending changes, its dialogs and messages, has no findings', async () => {
    const users = [
      aManagedUser(1, { role: 'admin', display_name: 'Admin', email: 'admin@flotilla.example', has_2fa: true }),
      aManagedUser(2, {
        bots: [aManagedBot(1, { mode: 'live' }), aManagedBot(2, { status: 'stopped' }), aManagedBot(3, { status: 'paused' })],
        verified: false,
      }),
    ];
    await open('/', (net) => net.on('listUsers', users).on('changeRole', problem(403, 'Admin access required')));
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'User 2 user2@flotilla.example' }).click();
    await expect.element(page.getByRole('heading', { name: 'Trading Bots' })).toBeVisible();
    expect(await findings()).toEqual([]);
    for (const [name, option] of [
      ['Role of user2@flotilla.example', 'operator'],
      ['Status of Bot 1', 'paused'],
      ['Status of Bot 2', 'active'],
      ['Status of Bot 3', 'active'],
    ] as const) {
      await page.getByRole('combobox', { name }).click();
      await page.getByRole('option', { name: option }).click();
    }
    expect(await findings()).toEqual([]);
    await page.getByRole('button', { name: 'Save All Changes' }).click();
    await expect.element(page.getByRole('dialog')).toBeVisible();
    expect(await findings()).toEqual([]);
    await page.getByRole('button', { name: 'Save Changes' }).click();
    await expect.element(page.getByText('Failed to save changes.')).toBeVisible();
    expect(await findings()).toEqual([]);
    await page.getByRole('button', { name: 'Edit admin@flotilla.example' }).click();
    await expect.element(page.getByRole('dialog', { name: 'Edit User' })).toBeVisible();
    expect(await findings()).toEqual([]);
  });

  test('the audit log, complete and damaged, with an opened record, without any and not loaded, has no findings', async () => {
    const records = [
      anAuditRecord(3, { action: 'verify-user', detail: { from: { verified: false }, to: { verified: true }, owner: 'mira' } }),
      anAuditRecord(2, { actor: null, actor_role: null, result: 'refused' }),
      anAuditRecord(1, { action: 'register', result: 'failed' }),
    ];
    await open('/', (net) => net.on('listAudit', { total: 3, records, next: null }));
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByRole('link', { name: 'Audit Log' }).click();
    await page.getByRole('button', { name: /00:03:00/u }).click();
    await expect.element(page.getByRole('heading', { name: 'What changed' })).toBeVisible();
    await expect.element(page.getByText(/Log intact/u)).toBeVisible();
    expect(await findings()).toEqual([]);
    network.on('checkAudit', {
      checked_at: '2026-11-21T19:00:02.000Z',
      records: 1,
      broken: { id: '2', time: '2026-11-20T00:02:00.112Z' },
    });
    await page.getByRole('button', { name: 'Check Again' }).click();
    await expect.element(page.getByText(/The log is damaged/u)).toBeVisible();
    network.on('listAudit', () => new Promise(() => undefined));
    await page.getByRole('button', { name: 'Export CSV' }).click();
    await expect.element(page.getByText('Exporting...')).toBeVisible();
    expect(await findings()).toEqual([]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    network.on('listAudit', { total: 0, records: [], next: null });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await expect.element(page.getByText('No records match your filters')).toBeVisible();
    network.on('checkAudit', problem(403, 'Admin access required')).on('listAudit', problem(403, 'Admin access required'));
    await page.getByRole('button', { name: 'Check Again' }).click();
    await page.getByRole('combobox', { name: 'Period' }).click();
    await page.getByRole('option', { name: 'all time' }).click();
    await expect.element(page.getByText('Failed to load the audit log. Please try again.')).toBeVisible();
    await expect.element(page.getByText(/The log could not be checked/u)).toBeVisible();
    expect(await findings()).toEqual([]);
  });

  test('the settings of the installation, with faults, pending changes, dialogs and invitations, have no findings', async () => {
    const states = ['open', 'used', 'withdrawn', 'expired'] as const;
    await open('/', (net) =>
      net
        .on('getInstallation', anInstallation({ registration: 'invitation' }))
        .on(
          'listInvitations',
          states.map((state, i) => anInvitation(i + 1, { state })),
        )
        .on('changeInstallation', problem(409, 'The settings were changed by somebody else. Reload and try again.')),
    );
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByRole('link', { name: 'Installation' }).click();
    await expect.element(page.getByRole('table', { name: 'Invitations' })).toBeVisible();
    expect(await findings()).toEqual([]);
    const idle = page.getByRole('textbox', { name: 'Idle time' });
    await idle.fill('10');
    await page.getByRole('button', { name: 'Save Changes' }).click();
    await expect.element(page.getByText('The idle time must be between 15 minutes and 24 hours')).toBeVisible();
    expect(await findings()).toEqual([]);
    await idle.fill('60');
    await page.getByRole('textbox', { name: 'Session length' }).fill('24');
    await page.getByRole('button', { name: 'Save Changes' }).click();
    const dialog = page.getByRole('dialog');
    await expect.element(dialog).toBeVisible();
    expect(await findings()).toEqual([]);
    await dialog.getByRole('button', { name: 'Save Changes' }).click();
    await expect.element(page.getByRole('button', { name: 'Reload' })).toBeVisible();
    expect(await findings()).toEqual([]);
    await page.getByRole('button', { name: 'Withdraw the invitation of guest-1@example.com' }).click();
    await expect.element(page.getByRole('dialog', { name: 'Withdraw Invitation' })).toBeVisible();
    expect(await findings()).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard' }).click();
  });

  test('the kill switch: the dialog of Stop all, the banners, the page and its dialogs have no findings', async () => {
    const set = {
      name: null,
      set_by: 'admin@flotilla.example',
      ...setSince('2026-11-21T14:22:07.000Z'),
      reason: 'person',
      may_re_arm: true,
      closing_all: null,
    } as const;
    await open('/', (net) =>
      net.on(
        'getTradingState',
        aTradingView({
          own: 'halted',
          server: 'reducing',
          all_bots: 34,
          all_open_trades: 9,
          switches: [
            { ...set, level: 'server', id: null, state: 'reducing' },
            { ...set, level: 'bot', id: aManagedBot(1).id, name: 'Grid on second key', state: 'halted', set_by: null },
          ],
        }),
      ),
    );
    await expect.element(page.getByText('Bot Grid on second key: trading is halted')).toBeVisible();
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByRole('link', { name: 'Limits and Kill Switch' }).click();
    await expect.element(page.getByRole('table', { name: 'Switches' })).toBeVisible();
    expect(await findings()).toEqual([]);
    for (const name of ['Stop all', 'Halt all']) {
      await page.getByRole('button', { name, exact: true }).click();
      await expect.element(page.getByRole('dialog')).toBeVisible();
      expect(await findings()).toEqual([]);
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    }
  });

  test.each(['closed', 'invitation'] as const)('sign-up with registration %s has no findings', async (registration) => {
    await open('/register', (net) => net.on('getMe', problem(403)).on('getRegistration', { registration, mails_go_to: 'server' }));
    if (registration === 'closed') await expect.element(page.getByText(/^Registration is closed\./u)).toBeVisible();
    else await expect.element(page.getByLabelText('Invitation Code')).toBeVisible();
    expect(await findings()).toEqual([]);
  });

  test('the outbox, with a mail in each state and a test mail that failed, without any and not loaded, has no findings', async () => {
    const mails = [
      aMail(3, { state: 'failed', sent_at: null, tries: 20, last_error: 'The mail server cannot be reached (ECONNREFUSED).' }),
      aMail(2, { state: 'waiting', sent_at: null, tries: 0, next_try_at: '2026-11-20T00:09:30.000Z' }),
      aMail(1),
    ];
    const counts = { waiting: 1, sent: 1, failed: 1 };
    const error = 'The mail server offers no encryption, and the password is not sent without it.';
    await open('/', (net) =>
      net
        .on('listMails', { goes_to: 'server', counts, mails, next: aMail(1).id })
        .on('sendTestMail', { recipient: 'admin@flotilla.example', error }),
    );
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByRole('link', { name: 'Mail', exact: true }).click();
    await page.getByRole('button', { name: 'Send Test Mail' }).click();
    await expect.element(page.getByText(error)).toBeVisible();
    await expect.element(page.getByText('3 mails, older ones not loaded')).toBeVisible();
    expect(await findings()).toEqual([]);
    network.on('listMails', { goes_to: 'files', counts: { waiting: 0, sent: 0, failed: 0 }, mails: [], next: null });
    await page.getByRole('combobox', { name: 'State' }).click();
    await page.getByRole('option', { name: 'Failed' }).click();
    await expect.element(page.getByText('No mail has failed')).toBeVisible();
    expect(await findings()).toEqual([]);
    network.on('listMails', problem(403, 'Admin access required'));
    await page.getByRole('combobox', { name: 'State' }).click();
    await page.getByRole('option', { name: 'Waiting' }).click();
    await expect.element(page.getByText('Failed to load the mails. Please try again.')).toBeVisible();
    expect(await findings()).toEqual([]);
  });

  test('the review of paper trades has no findings, with a comment typed and a failed one', async () => {
    holdMoments(2000);
    const trades = [aPaperTrade(3, { pnl: null, status: 'open', direction: 'short' }), aPaperTrade(2, { pnl: -2 }), aPaperTrade(1)];
    await open('/', (net) => net.on('listTrades', trades).on('addTradeNote', problem(404, 'Trade not found')));
    await page.getByRole('tab', { name: 'Paper Trades' }).click();
    await page.getByPlaceholder('Add ML comment').first().fill('too early');
    await page
      .getByRole('button', { name: /^Save the comment/u })
      .first()
      .click();
    await expect.element(page.getByText(/Failed to save comment for trade/u)).toBeVisible();
    expect(await findings()).toEqual([]);
    await page.getByRole('combobox', { name: 'Outcome' }).click();
    await page.getByRole('option', { name: 'win' }).click();
    await expect.element(page.getByText('Showing 1 of 3')).toBeVisible();
    expect(await findings()).toEqual([]);
  });

  test('the fund overview has no findings, with and without data, and when it fails', async () => {
    await open('/', (net) => net.on('fundOverview', aFundOverview()));
    await page.getByRole('tab', { name: 'Fund' }).click();
    await expect.element(page.getByRole('table', { name: 'Strategy Allocation' })).toBeVisible();
    await expect.element(page.getByRole('figure')).toBeVisible();
    expect(await findings()).toEqual([]);
    await cleanup();
    network.stop();
    await open('/', (net) =>
      net.on('fundOverview', aFundOverview({ strategy_allocation: {}, top_traders: [], bottom_traders: [], pnl_history: [] })),
    );
    await page.getByRole('tab', { name: 'Fund' }).click();
    await expect.element(page.getByText('No strategy allocations')).toBeVisible();
    expect(await findings()).toEqual([]);
    await cleanup();
    network.stop();
    await open('/', (net) => net.on('fundOverview', problem(403)));
    await page.getByRole('tab', { name: 'Fund' }).click();
    await expect.element(page.getByText('An unexpected error occurred')).toBeVisible();
    expect(await findings()).toEqual([]);
  });

  test('the investor summary has no findings, with each mode and with what is wrong said', async () => {
    const rows = [
      anInvestorRow(1),
      anInvestorRow(2, { mode: 'paper', total_pnl: -1, roi_percent: -1 }),
      anInvestorRow(3, { mode: 'testnet' }),
    ];
    await open('/', (net) => net.on('fundOverview', aFundOverview()).on('investorSummary', rows));
    await page.getByRole('tab', { name: 'Fund' }).click();
    await page.getByRole('tab', { name: 'Investor' }).click();
    await expect.element(page.getByText('Showing 1 to 3 of 3')).toBeVisible();
    await page.getByLabelText('Trader Id').fill('x');
    await page.getByRole('button', { name: 'Load', exact: true }).click();
    await expect.element(page.getByText('Invalid trader ID format')).toBeVisible();
    expect(await findings()).toEqual([]);
  });

  test('the daily report has no findings, with figures and without', async () => {
    await open('/');
    await page.getByRole('tab', { name: 'Reports' }).click();
    await expect.element(page.getByText('No report data available for the date.')).toBeVisible();
    expect(await findings()).toEqual([]);
    network.on('report', { total_trades: 8, net_pnl: -0.75, win_rate: 0.5, max_drawdown: 16, avg_stop_size: 0.8, average_confidence: 0.7 });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await expect.element(page.getByText('Average Confidence')).toBeVisible();
    expect(await findings()).toEqual([]);
  });

  test('certificates, with a decision that differs, failed and none, have no findings', async () => {
    const differing = [{ symbol: 'BTC/USDT', candle_time: `${certifiedDay}T14:05:00.000Z` }];
    const trades = [
      aCertifiedTrade(),
      aCertifiedTrade({ direction: 'short', parts: {}, difference: '0' }),
      aCertifiedTrade({ made: null, parts: { decision: '-1' }, why: 'the decision differs on the same candles' }),
      aCertifiedTrade({ promised: null, parts: { unexplained: '2' }, why: 'nothing on record says why' }),
    ];
    const decisions = { recorded: 96, same: 95, failed: 1, of_data: 0, differing };
    await open(
      '/',
      (net) =>
        net
          .on('listBots', [aBot(1), aBot(2)])
          .on('newestCertificates', newestCertificates([aBot(1), aBot(2)]))
          .on('botCertificates', someCertificates())
          .on('botCertificate', aCertificate({}, { trades, decisions, parts: { unexplained: '2', decision: '-1', fee: '-0.2' } })),
      `?tab=reports&view=certificates&day=${certifiedDay}`,
    );
    await expect.element(page.getByText('A decision differs on the same candles')).toBeVisible();
    await expect.element(page.getByRole('figure', { name: 'Share of the promise that arrived, day by day' })).toBeVisible();
    expect(await findings()).toEqual([]);
    network.on(
      'botCertificate',
      noCertificate({ state: 'failed', why: 'The file of the strategy is not kept any more, so the day cannot be replayed.' }),
    );
    await page.getByRole('button', { name: 'Previous day' }).click();
    await expect.element(page.getByRole('button', { name: 'Try Again' })).toBeVisible();
    expect(await findings()).toEqual([]);
    network.on('botCertificate', noCertificate({ why: 'The bot did not run on this day', can_replay: false }));
    await page.getByRole('button', { name: 'Previous day' }).click();
    await expect.element(page.getByText('The bot did not run on this day')).toBeVisible();
    expect(await findings()).toEqual([]);
  });

  test('the profits of a range, with trades, without any and not loaded, have no findings', async () => {
    const days = [{ day: `${new Date().toISOString().slice(0, 7)}-01`, ...someSums() }];
    await open('/', (net) =>
      net
        .on('profits', { time: '2026-11-20T00:00:00.000Z', ledgers: [aLedger({ mode: 'testnet', days }), aLedger({ days })] })
        .on('fundMonth', { ledgers: [] }),
    );
    await page.getByRole('link', { name: 'Profits this month' }).click();
    await expect.element(page.getByRole('table', { name: 'Profits by Bot' })).toBeVisible();
    await expect.element(page.getByRole('figure', { name: 'Running total of the range' })).toBeVisible();
    expect(await findings()).toEqual([]);
    network.on('profits', { time: '2026-11-20T00:00:00.000Z', ledgers: [] });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await expect.element(page.getByText('No trade was closed in this range')).toBeVisible();
    expect(await findings()).toEqual([]);
    network.on('profits', problem(403, 'Admin access required'));
    await page.getByRole('button', { name: 'Refresh' }).click();
    await expect.element(page.getByText('Failed to load profits')).toBeVisible();
    expect(await findings()).toEqual([]);
  });

  test('the tabs about a bot, with faults, dialogs and a history, have no findings', async () => {
    await open('/', (net) =>
      net
        .on('botTrades', [
          aBotTrade(1),
          aBotTrade(2, { status: 'failed', pnl: -1 }),
          aBotTrade(3, { side: 'sell', pnl: null, status: 'open' }),
        ])
        .on('botPnl', [aSnapshot(1), aSnapshot(2, { net_pnl: -1, win_rate: 0 })])
        .on('listBotVersions', [aBotVersion(2), aBotVersion(1)])
        .on('listStrategies', { strategies: [aStrategy(1)] }),
    );
    await page.getByRole('tab', { name: 'Bots' }).click();
    const tabs = page.getByRole('tablist', { name: 'Bots' });
    await page.getByRole('button', { name: 'Deselect bot' }).click();
    await tabs.getByRole('tab', { name: 'Trades' }).click();
    await expect.element(page.getByText('No bot is selected').first()).toBeVisible();
    expect(await findings()).toEqual([]);
    await tabs.getByRole('tab', { name: 'Configure Bot' }).click();
    await page.getByRole('combobox', { name: 'User Email' }).fill('');
    await page.getByRole('button', { name: 'Create Bot' }).click();
    await expect.element(page.getByText('User email is required')).toBeVisible();
    expect(await findings()).toEqual([]);
    await tabs.getByRole('tab', { name: 'Bots' }).click();
    await page.getByRole('button', { name: 'Bot 1', exact: true }).click();
    await tabs.getByRole('tab', { name: 'Trades' }).click();
    await expect.element(page.getByRole('table', { name: 'Trades' })).toBeVisible();
    expect(await findings()).toEqual([]);
    await tabs.getByRole('tab', { name: 'PNL' }).click();
    await expect.element(page.getByRole('table', { name: 'PNL Snapshots' })).toBeVisible();
    expect(await findings()).toEqual([]);
    await tabs.getByRole('tab', { name: 'Configure Bot' }).click();
    await expect.element(page.getByRole('table', { name: 'History' })).toBeVisible();
    await page.getByRole('combobox', { name: 'Trading Mode' }).click();
    await page.getByRole('option', { name: 'live', exact: true }).click();
    await page.getByRole('button', { name: 'Update Bot' }).click();
    await expect.element(page.getByText('API key and secret are required for live mode')).toBeVisible();
    expect(await findings()).toEqual([]);
    await page.getByRole('button', { name: 'Restore version 1' }).click();
    await expect.element(page.getByRole('dialog', { name: 'Restore Version' })).toBeVisible();
    expect(await findings()).toEqual([]);
  });

  test('the last 30 days of the settings of a bot, current and of older entries, have no findings', async () => {
    await open('/', (net) => net.on('botHindsight', aHindsight({ profit: -18.2, profit_ratio: -0.0182, paused_at: 1_763_683_200_000 })));
    await page.getByRole('tab', { name: 'Bots' }).click();
    await page.getByRole('tablist', { name: 'Bots' }).getByRole('tab', { name: 'Configure Bot' }).click();
    const line = page.getByRole('status', { name: 'The last 30 days with these settings' });
    await expect.element(line.getByText(/^-1\.82%/u)).toBeVisible();
    expect(await findings()).toEqual([]);
    network.on('botHindsight', () => new Promise(() => {}));
    await page.getByRole('textbox', { name: 'Stake Amount' }).fill('77');
    await expect.element(line.getByText(/^Calculating/u)).toBeVisible();
    expect(await findings()).toEqual([]);
  });

  test('the strategy tab, with parameters and its last backtest, has no findings', async () => {
    const last = aLastBacktest();
    await open('/', (net) =>
      net
        .on('listStrategies', { strategies: [aStrategy(1)] })
        .on('strategyBots', { bots: [] })
        .on('strategyPerformance', problem(404, 'Strategy not found'))
        .on('listStrategyVersions', [])
        .on('strategyDetails', someDetails({ last_backtest: last })),
    );
    await page.getByRole('tab', { name: 'Strategy' }).click();
    await expect.element(page.getByRole('figure', { name: `Equity of the last backtest, ${last.symbol}` })).toBeVisible();
    await expect.element(page.getByRole('list', { name: 'Parameters' })).toBeVisible();
    expect(await findings()).toEqual([]);
  });

  test('where rules begin has no findings, as cards and as a table', async () => {
    await open(
      '/',
      (net) => net.on('listRules', { rules: [aRuleStrategy(1, { is_own: false, is_shared: true })] }),
      '?tab=strategy&view=rules',
    );
    await expect.element(page.getByRole('listitem', { name: 'EMA cross' }).getByText(/trades?$/u)).toBeVisible();
    expect(await findings()).toEqual([]);
    await page.getByRole('button', { name: 'Show them side by side' }).click();
    expect(await findings()).toEqual([]);
  });

  test('the editor of rules has no findings, with fields open, a fault, differences and bots', async () => {
    const bots = [aUsingBot(1, 2), aUsingBot(2, 3, { mode: 'live' })];
    const document = {
      ...someRules,
      positionPlan: { addMore: { distance: 0.01, stake: 0.5, most: 1 }, takeOut: [{ profit: 0.01, part: 0.5 }] },
    };
    await open('/', (net) => net.on('listRules', { rules: [aRuleStrategy(1, { bots, document })] }), '?tab=strategy&view=rules');
    await expect.element(page.getByRole('table', { name: 'Figures' })).toBeVisible();
    await page
      .getByRole('group', { name: /^2: close/u })
      .getByRole('button', { name: 'EMA 100' })
      .click();
    await page.getByRole('textbox', { name: 'Period' }).fill('50');
    await expect.element(page.getByRole('table', { name: 'Trades that differ' })).toBeVisible();
    expect(await findings()).toEqual([]);
    await page.getByRole('textbox', { name: 'Value of low' }).fill('99');
    await expect.element(page.getByText(/is not on a step of its range/u)).toBeVisible();
    expect(await findings()).toEqual([]);
  });

  test('the code of a second factor has no findings', async () => {
    await open('/', (net) => net.on('setUpTwoFactor', { status: '2FA code sent to your email' }));
    await page.getByTitle('Your Account Settings').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Setup 2FA' }).click();
    await expect.element(page.getByRole('dialog').getByLabelText('2FA Code')).toBeVisible();
    expect(await findings()).toEqual([]);
  });

  test('the account settings have no findings', async () => {
    await open('/');
    await page.getByTitle('Your Account Settings').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Change Password' }).click();
    await expect.element(page.getByRole('dialog', { name: 'Change Password' })).toBeVisible();
    expect(await findings()).toEqual([]);
  });
});
