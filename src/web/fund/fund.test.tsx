import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import { clearSession, setUser } from '../session/session-store.ts';
import type { Answerer } from '../testing/answerer.ts';
import { problem } from '../testing/answerer.ts';
import { button, says } from '../testing/on-page.ts';
import { aBot, asLive, liveOf } from '../testing/samples/bots.ts';
import { aFundOverview } from '../testing/samples/fund.ts';
import { aUser } from '../testing/samples/users.ts';
import { answerFor, Frame, startPage, TestPage } from '../testing/test-page.tsx';
import { FundScreen } from './fund-screen.tsx';

let network: Answerer;
const open = async (answers: (network: Answerer) => Answerer) => {
  network = answers(answerFor(aUser('admin')));
  startPage('/');
  await render(<TestPage path="/" search="?tab=fund" />);
};
beforeAll(() => page.viewport(1440, 1000));
beforeEach(() => clearSession());
afterEach(async () => {
  vi.restoreAllMocks();
  await cleanup();
  network.stop();
});

const table = (name: string) => page.getByRole('table', { name, exact: true });
const linesOf = (name: string) =>
  [...table(name).element().querySelectorAll('tr')].map((row) => [...row.children].map((cell) => cell.textContent));
const figures = (label: string) =>
  [...document.querySelectorAll(`[aria-label="${label}"] > div`)].map((each) => [...each.children].map((child) => child.textContent));
const note = 'Amounts in other currencies than dollars are not added.';

/** What a click saves: the name of the file and what is in it. */
async function saved(name: string): Promise<{ name: string; type: string; text: string }> {
  const made = vi.spyOn(URL, 'createObjectURL');
  const clicked = new Promise<string>((resolve) => {
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      resolve(this.download);
    });
  });
  await button(name).click();
  const fileName = await clicked;
  const file = made.mock.calls[0]?.[0] as Blob;
  return { name: fileName, type: file.type, text: await file.text() };
}

describe('the fund overview', () => {
  test('FUND-02, FUND-03, FUND-04, FUND-05, OP-67, OP-68, CONST-01 shows live figures, and paper apart from them', async () => {
    await open((net) => net.on('fundOverview', aFundOverview()));
    await expect.element(page.getByRole('tab', { name: 'Fund Overview' })).toHaveAttribute('aria-selected', 'true');
    await expect.element(page.getByRole('tab', { name: 'Investor' })).toBeVisible();
    await expect
      .poll(() => figures('Live figures'))
      .toEqual([
        ['Total AUM', '$20827.84'],
        ['ROI', '+4.04%'],
        ['Win Rate', '48.41%'],
        ['Sharpe Ratio', '1.37'],
      ]);
    expect(figures('Paper figures')).toEqual([
      ['Total Trades', '918'],
      ['Cumulative PNL', '-$94.66'],
      ['Win Rate', '38.07%'],
      ['Average PNL per Trade', '-$0.10'],
    ]);
    expect(page.getByText(note).elements()).toEqual([]);
  });

  test('trades at test networks are shown apart from both, where there are any', async () => {
    await open((net) => net.on('fundOverview', aFundOverview()));
    await expect.element(page.getByRole('region', { name: 'Paper', exact: true })).toBeVisible();
    expect(page.getByRole('region', { name: 'Testnet', exact: true }).elements()).toEqual([]);
    await cleanup();
    network.stop();
    const figuresOf = { trade_count: 7, total_pnl: -5.75, wins: 0, losses: 7, win_rate: 0 };
    const testnet = { ...figuresOf, cumulative_pnl: -5.75, avg_pnl_per_trade: -0.8214, strategy_breakdown: { 'EMA Cross': figuresOf } };
    await open((net) => net.on('fundOverview', aFundOverview({ testnet_trades: testnet })));
    await expect
      .poll(() => figures('Testnet figures'))
      .toEqual([
        ['Total Trades', '7'],
        ['Cumulative PNL', '-$5.75'],
        ['Win Rate', '0.00%'],
        ['Average PNL per Trade', '-$0.82'],
      ]);
    expect(linesOf('Testnet Trade Strategy Breakdown')[1]).toEqual(['EMA Cross', '7', '-$5.75', '0', '7', '0.00%']);
    expect(figures('Live figures')[0]).toEqual(['Total AUM', '$20827.84']);
    expect(figures('Paper figures')[0]).toEqual(['Total Trades', '918']);
  });

  test('FUND-04, CONST-03 without a Sharpe ratio it is N/A', async () => {
    await open((net) => net.on('fundOverview', aFundOverview({ sharpe_ratio: null })));
    await expect.poll(() => figures('Live figures')[3]).toEqual(['Sharpe Ratio', 'N/A']);
  });

  test('FUND-06, FUND-07 traders are listed by e-mail', async () => {
    await open((net) => net.on('fundOverview', aFundOverview()));
    const emails = (list: string) =>
      page
        .getByRole('list', { name: list })
        .getByRole('listitem')
        .elements()
        .map((item) => item.textContent);
    await expect.poll(() => emails('Top Traders')).toEqual(['mira@flotilla.example', 'jl@flotilla.example']);
    expect(emails('Bottom Traders')).toEqual(['tomasz@flotilla.example']);
  });

  test('FUND-11, FUND-13 the tables of strategies', async () => {
    await open((net) => net.on('fundOverview', aFundOverview()));
    await expect.element(table('Strategy Allocation')).toBeVisible();
    expect(linesOf('Strategy Allocation')).toEqual([
      ['Strategy', 'Capital', 'Leverage', 'Margin Mode', 'Status'],
      ['Donchian Breakout', '$12211.84', '3x', 'mixed', 'paused'],
      ['EMA Cross', '$8616.00', '1x', 'spot', 'active'],
    ]);
    expect(linesOf('Paper Trade Strategy Breakdown')).toEqual([
      ['Strategy', 'Trades', 'Total PNL', 'Wins', 'Losses', 'Win Rate'],
      ['EMA Cross', '506', '+$33.30', '214', '290', '42.29%'],
      ['SuperTrend', '412', '-$127.96', '171', '241', '41.50%'],
    ]);
  });

  test('FUND-08 a chart shows PnL by date: each day, or the sum', async () => {
    await open((net) => net.on('fundOverview', aFundOverview()));
    const canvas = () => document.querySelector('figure.chart canvas');
    await expect.element(page.getByRole('figure', { name: 'Chart of PnL by date, each day' })).toBeVisible();
    await expect.poll(canvas).not.toBeNull();
    await page.getByRole('combobox', { name: 'What the chart shows' }).click();
    await page.getByRole('option', { name: 'sum of all days' }).click();
    await expect.element(page.getByRole('figure', { name: 'Chart of PnL by date, sum of all days' })).toBeVisible();
  });

  test('FUND-10 a chart that breaks says so, and leaves the rest standing', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    // The first thing the library does to the element it has made, before it asks for a frame to draw in.
    vi.spyOn(DOMTokenList.prototype, 'add').mockImplementation(function (this: DOMTokenList, ...names) {
      if (names.includes('tv-lightweight-charts')) throw new Error('this chart breaks');
      this.value = [...new Set([...this, ...names])].join(' ');
    });
    await open((net) => net.on('fundOverview', aFundOverview({ pnl_history: [{ date: '2026-11-20', pnl: 1 }] })));
    await says('Chart Error');
    await expect.element(table('Strategy Allocation')).toBeVisible();
  });

  test('FUND-06, FUND-07, FUND-09, FUND-12, FUND-14, FUND-15 without data each panel says so, and there is nothing to export', async () => {
    const paper = { trade_count: 0, cumulative_pnl: 0, win_rate: 0, avg_pnl_per_trade: 0, wins: 0, losses: 0, strategy_breakdown: {} };
    const nothing = { strategy_allocation: {}, top_traders: [], bottom_traders: [], pnl_history: [], paper_trades: paper };
    await open((net) => net.on('fundOverview', aFundOverview(nothing)));
    for (const text of [
      'No top traders available',
      'No bottom traders available',
      'No PNL data available',
      'No strategy allocations',
      'No paper trade data available',
    ]) {
      await says(text);
    }
    await expect.element(button('Export JSON')).toBeDisabled();
    await expect.element(button('Export CSV')).toBeDisabled();
  });

  test('FUND-16, FUND-19, OP-75 the JSON is the overview as it is shown', async () => {
    const overview = aFundOverview({ total_aum: -1 });
    await open((net) => net.on('fundOverview', overview));
    const { name, type, text } = await saved('Export JSON');
    expect([name, type]).toEqual(['overview.json', 'application/json']);
    expect(JSON.parse(text)).toEqual({ ...overview, total_aum: 0 });
  });

  test('FUND-17 the CSV has the strategies', async () => {
    await open((net) => net.on('fundOverview', aFundOverview()));
    const { name, text } = await saved('Export CSV');
    expect(name).toBe('overview.csv');
    expect(text.split('\r\n').slice(1)).toEqual([
      '"Donchian Breakout","12211.84","3","mixed","paused"',
      '"EMA Cross","8616","1","spot","active"',
      '',
    ]);
  });

  test('FUND-18, ERR-29, OP-80 a failed load is said, in the words of the server where it has some, and tried again', async () => {
    await open((net) => net.on('fundOverview', problem(403)));
    await says('An unexpected error occurred');
    network.on('fundOverview', problem(403, 'Admin access required'));
    await button('Retry').click();
    await says('Admin access required');
    expect(page.getByText('An unexpected error occurred').elements()).toEqual([]);
    network.on('fundOverview', aFundOverview());
    await button('Retry').click();
    await expect.element(table('Strategy Allocation')).toBeVisible();
    expect(page.getByText('Admin access required').elements()).toEqual([]);
  });

  test('OP-73 figures that leave out other currencies say so, whatever the bots stake by now', async () => {
    const bitcoin = asLive(aBot(1, { stake_currency: 'BTC' }));
    const overview = aFundOverview();
    const { paper_trades: paper } = overview;
    const testnet = { ...paper, leaves_out: false };
    network = answerFor(aUser('admin')).on('investorSummary', []);
    network.on('liveStatus', liveOf([{ ...bitcoin, stake_currency: 'BTC' }]));
    network.on('fundOverview', { ...overview, leaves_out: true, testnet_trades: testnet });
    startPage('/');
    await render(<TestPage path="/" search="?tab=fund" />);
    const noted = () =>
      ['Live', 'Testnet', 'Paper'].filter((name) => page.getByRole('region', { name, exact: true }).getByText(note).elements().length > 0);
    await expect.element(page.getByRole('region', { name: 'Testnet', exact: true })).toBeVisible();
    expect(noted()).toEqual(['Live']);
    for (const [region, answer] of [
      ['Testnet', { ...overview, testnet_trades: { ...testnet, leaves_out: true } }],
      ['Paper', { ...overview, testnet_trades: testnet, paper_trades: { ...paper, leaves_out: true } }],
    ] as const) {
      network.on('fundOverview', answer);
      await page.getByRole('tab', { name: 'Investor' }).click();
      await page.getByRole('tab', { name: 'Fund Overview' }).click();
      await expect.poll(noted).toEqual([region]);
    }
  });
});

test.each(['trader', 'operator', 'investor'] as const)('FUND-01, OP-06 a %s sees that it is for admins', async (role) => {
  network = answerFor(aUser(role));
  setUser(aUser(role));
  await render(
    <Frame>
      <FundScreen />
    </Frame>,
  );
  await says('Admin access required');
  expect(network.of('fundOverview')).toEqual([]);
});
