import type { AxeResults } from 'axe-core';
import axe from 'axe-core';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page, userEvent } from 'vitest/browser';
import type { CallReply } from '#contract/client.ts';
import type { Role } from '#contract/fields.ts';
import { addressStore, changeAddress } from '../address/address.ts';
import { chartColors, comparedLines } from '../chart/chart-style.ts';
import { applyTheme } from '../session/theme-store.ts';
import type { Answerer, ArrivedCall } from '../testing/answerer.ts';
import { noAnswer, problem } from '../testing/answerer.ts';
import { holdBeats, pass } from '../testing/held-time.ts';
import { aBot, aBotConfig } from '../testing/samples/bots.ts';
import { idOf } from '../testing/samples/ids.ts';
import { aStrategy, someDetails as strategyDetails } from '../testing/samples/strategies.ts';
import { aUser } from '../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';
import type { BacktestDetails, BacktestRun } from './run-list.ts';
import { resetBacktests } from './backtest-store.ts';
import { aBacktestTrade, aRun, sampleFrom, sampleRequest, someDetails } from '../testing/samples/runs.ts';

let network: Answerer;
let runs: BacktestRun[] = [];
let details: BacktestDetails = someDetails();

const strategy = aStrategy(0, { name: 'EMA Cross', supported_exchanges: ['sandbox'] });

/** The list as the server keeps it: short rows, one in full when asked for by its id. */
const listed = ({ query }: ArrivedCall) => ({
  results: query['id'] === undefined ? runs : runs.filter(({ id }) => id === query['id']).map((run) => ({ ...run, details })),
});

interface Start {
  role?: Role;
  theme?: 'dark' | 'light';
  runs?: BacktestRun[];
  details?: BacktestDetails;
  answers?: (network: Answerer) => Answerer;
}

const open = async (start: Start = {}) => {
  runs = start.runs ?? [];
  details = start.details ?? someDetails();
  network = answerFor(aUser(start.role ?? 'trader'))
    .on('listStrategies', { strategies: [strategy] })
    .on('tradingPairs', { trading_pairs: ['BTC/USDT:USDT', 'ETH/USDT:USDT', 'SOL/USDT:USDT'] })
    .on('backtestResults', listed);
  start.answers?.(network);
  startPage('/');
  resetBacktests();
  localStorage.setItem('theme', start.theme ?? 'dark');
  applyTheme();
  const screen = await render(<TestPage path="/" search="?tab=backtest" />);
  await expect.element(page.getByRole('heading', { name: 'Freqtrade Backtest Runner' })).toBeVisible();
  await expect.poll(() => network.of('backtestResults').length).toBeGreaterThan(0);
  return screen;
};
beforeAll(() => page.viewport(1440, 1000));
afterEach(async () => {
  await cleanup();
  network.stop();
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const select = (name: string) => page.getByRole('combobox', { name, exact: true });
const field = (name: string) => page.getByRole(name === 'Symbol' ? 'combobox' : 'textbox', { name, exact: true });
const runButton = () => page.getByRole('button', { name: 'Run Backtest' });
const table = (name: string) => page.getByRole('table', { name, exact: true });
const status = () => page.getByRole('status').filter({ hasText: /\.\.\.|Ready/u });
const options = (name: string) =>
  page
    .getByRole('listbox', { name })
    .getByRole('option')
    .elements()
    .map((option) => option.textContent);
const choose = async (name: string, option: string) => {
  await select(name).click();
  await page.getByRole('option', { name: option, exact: true }).click();
};
const fill = async () => {
  await choose('Strategy', 'EMA Cross');
  await choose('Exchange', 'Sandbox');
};
const cells = (name: string, selector = 'td') =>
  [...table(name).element().querySelectorAll(selector)].map((cell) => cell.textContent.trim());
const showFirst = async () => {
  await table('Earlier Runs').getByRole('button').filter({ hasText: /^20/u }).first().click();
};

/** Where the rightmost pixel of the colour '#rrggbb' is in what is drawn, a little to the left of it; null when there is none. */
function rightmost(figure: Element, color: string): { x: number; y: number } | null {
  const [r, g, b] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  const { left, top } = figure.getBoundingClientRect();
  for (const canvas of figure.querySelectorAll('canvas')) {
    const { width, height } = canvas;
    const data = width === 0 ? [] : (canvas.getContext('2d')?.getImageData(0, 0, width, height).data ?? []);
    const box = canvas.getBoundingClientRect();
    for (let x = width - 1; x >= 0; x -= 1) {
      for (let y = 0; y < height; y += 1) {
        const at = (y * width + x) * 4;
        if (data[at] === r && data[at + 1] === g && data[at + 2] === b) {
          return { x: box.left - left + (x * box.width) / width - 4, y: box.top - top + (y * box.height) / height };
        }
      }
    }
  }
  return null;
}

/** How far below the top of a chart the label of the colour '#rrggbb' is on its price axis; null when there is none. */
function labelHeight(figure: Element, color: string): number | null {
  const [r, g, b] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  const found: number[] = [];
  for (const canvas of figure.querySelectorAll('canvas')) {
    const { width, height } = canvas;
    if (width === 0 || width > 120) continue; // the axis is narrow, the panes are wide
    const data = canvas.getContext('2d')?.getImageData(0, 0, width, height).data ?? [];
    for (let at = 0; at < data.length; at += 4)
      if (data[at] === r && data[at + 1] === g && data[at + 2] === b) found.push(Math.floor(at / 4 / width));
  }
  return found.length === 0 ? null : found.reduce((sum, y) => sum + y, 0) / found.length;
}

/** A run whose answer waits until it is given. */
function openRun() {
  let give: (reply: CallReply<'runBacktest'> | ReturnType<typeof problem>) => void = () => undefined;
  const answer = () => new Promise<CallReply<'runBacktest'> | ReturnType<typeof problem>>((resolve) => (give = resolve));
  return { answer, give: (reply: Parameters<typeof give>[0]) => give(reply) };
}
const unfinished = (changes: Partial<BacktestRun> = {}) =>
  aRun(1, { status: 'downloading', metrics: null, equity: null, finished_at: null, progress: 0.25, ...changes });
const replyOf = ({ id, metrics, equity }: BacktestRun) => ({
  id,
  metrics: metrics ?? { total_trades: 0, win_rate: 0, net_pnl: 0 },
  equity: equity ?? [],
});

describe('the form', () => {
  test('BT-01, BT-02, BT-03, BT-04, BT-05, BT-06, BT-09, BT-10, BT-11 title, fields, defaults and the idle status', async () => {
    await open();
    await expect.element(select('Strategy')).toHaveValue('EMA Cross');
    await expect.element(select('Exchange')).toHaveValue('Sandbox');
    await expect.element(field('Symbol')).toHaveValue('BTCUSDT');
    await expect.element(select('Trading Mode')).toHaveValue('futures');
    await expect.element(select('Timeframe')).toHaveValue('1h');
    await expect.element(select('Data Period')).toHaveValue('30 Days');
    await expect.element(field('Stake Amount (USDT)')).toHaveValue('1000');
    await expect.element(field('Max Open Trades')).toHaveValue('1');
    await expect.element(status()).toHaveTextContent('Ready to run backtest');
  });

  test('BT-04, BT-05, BT-06, BT-07, BT-08, OP-61, OP-76 the choices of mode, timeframe and period', async () => {
    await open();
    await select('Trading Mode').click();
    expect(options('Trading Mode')).toEqual(['spot', 'futures']);
    await userEvent.keyboard('{Escape}');
    await select('Timeframe').click();
    expect(options('Timeframe')).toEqual(['1m', '5m', '15m', '1h', '4h', '1d']);
    await userEvent.keyboard('{Escape}');
    await select('Data Period').click();
    expect(options('Data Period')).toEqual(['7 Days', '30 Days', '60 Days', '90 Days', '6 Months', '1 Year']);
  });

  test('BT-18 the button is disabled without strategy, exchange and symbol', async () => {
    await open();
    await expect.element(runButton()).toBeEnabled();
    await field('Symbol').fill('USDT');
    await expect.element(runButton()).toBeDisabled();
    await expect.element(page.getByText('A symbol is needed, such as BTCUSDT')).toBeVisible();
  });

  test('BT-20, OP-62 the symbol is tidied when its field is left, and the form says what is traded', async () => {
    await open();
    await field('Symbol').fill('eth/usdt:usdt');
    await expect.element(page.getByText('Trades ETH/USDT:USDT')).toBeVisible();
    await field('Stake Amount (USDT)').click();
    await expect.element(field('Symbol')).toHaveValue('ETHUSDT');
    await choose('Trading Mode', 'spot');
    await expect.element(page.getByText('Trades ETH/USDT', { exact: true })).toBeVisible();
  });

  test('numbers that cannot be are named, and nothing is run with them', async () => {
    await open();
    await fill();
    await field('Stake Amount (USDT)').fill('0');
    await expect.element(page.getByText('Stake amount must be positive')).toBeVisible();
    await expect.element(runButton()).toBeDisabled();
    await field('Stake Amount (USDT)').fill('250.5');
    await field('Max Open Trades').fill('51');
    await expect.element(page.getByText('Max open trades must be between 1 and 50')).toBeVisible();
    await expect.element(runButton()).toBeDisabled();
    await field('Max Open Trades').fill('50');
    await expect.element(runButton()).toBeEnabled();
  });

  test('API-30 symbols of the exchange and market are offered; typing stays free', async () => {
    await open();
    await fill();
    await field('Symbol').fill('et');
    await expect.poll(() => network.of('tradingPairs').at(-1)?.query).toEqual({ market_type: 'futures', stake_currency: 'USDT' });
    await page.getByRole('option', { name: 'ETHUSDT', exact: true }).click();
    await expect.element(field('Symbol')).toHaveValue('ETHUSDT');
    await field('Symbol').fill('newcoin');
    await field('Stake Amount (USDT)').click();
    await expect.element(field('Symbol')).toHaveValue('NEWCOINUSDT');
    await expect.element(runButton()).toBeEnabled();
  });

  test('the next visit begins with what this browser remembers; what is not allowed is as at the start', async () => {
    await open();
    await fill();
    await choose('Timeframe', '15m');
    await field('Stake Amount (USDT)').fill('77');
    await cleanup();
    resetBacktests();
    await render(<TestPage path="/" search="?tab=backtest" />);
    await expect.element(select('Strategy')).toHaveValue('EMA Cross');
    await expect.element(select('Timeframe')).toHaveValue('15m');
    await expect.element(field('Stake Amount (USDT)')).toHaveValue('77');
    await cleanup();
    const kept = { timeframe: '3m', days: 31, tradingMode: 'margin', symbol: 5, stakeAmount: null, strategyId: {}, maxOpenTrades: 7 };
    localStorage.setItem('backtest-form', JSON.stringify(kept));
    resetBacktests();
    await render(<TestPage path="/" search="?tab=backtest" />);
    await expect.element(select('Timeframe')).toHaveValue('1h');
    await expect.element(select('Data Period')).toHaveValue('30 Days');
    await expect.element(field('Symbol')).toHaveValue('BTCUSDT');
    await expect.element(field('Max Open Trades')).toHaveValue('7');
  });

  test('what was filled in is still there after a look at another tab', async () => {
    await open();
    await fill();
    await page.getByRole('tab', { name: 'Reports' }).click();
    await page.getByRole('tab', { name: 'Backtest' }).click();
    await expect.element(select('Strategy')).toHaveValue('EMA Cross');
    await expect.element(runButton()).toBeEnabled();
  });

  test.each(['listStrategies', 'listExchanges'] as const)('ERR-28, OP-79, OP-80 %s failed: the text, the detail below it', async (name) => {
    await open({ answers: (net) => net.on(name, problem(403, 'Not now')) });
    const banner = page.getByRole('alert');
    await expect.element(banner.getByText('Failed to load strategies or exchanges')).toBeVisible();
    await expect.element(banner.getByText('Not now')).toBeVisible();
    await expect.element(runButton()).toBeDisabled();
  });
});

describe('a run', () => {
  test('BT-12, BT-13, BT-14, BT-15, BT-17, BT-23, OP-60, OP-61, OP-67, OP-68, API-43 from the click to the result', async () => {
    const call = openRun();
    await open({ answers: (net) => net.on('runBacktest', call.answer) });
    await fill();
    await runButton().click();
    await expect.element(status()).toHaveTextContent('Downloading historical data...');
    await expect.element(runButton()).toBeDisabled();
    expect(network.of('runBacktest')[0]?.body).toEqual(sampleRequest);

    runs = [unfinished()];
    const bar = page.getByRole('progressbar', { name: 'Progress of the phase' });
    await expect.element(bar).toHaveAttribute('aria-valuenow', '25');
    await expect.element(status()).toHaveTextContent('Downloading historical data...');
    runs = [unfinished({ status: 'running', progress: 0.6 })];
    await expect.element(status()).toHaveTextContent('Running backtest...');
    await expect.element(bar).toHaveAttribute('aria-valuenow', '60');

    const done = aRun(1, { metrics: { total_trades: 3, win_rate: 2 / 3, net_pnl: -12.345 } });
    runs = [done];
    call.give(replyOf(done));
    await expect.element(status()).toHaveTextContent('Ready to run backtest');
    const result = page.getByRole('group', { name: /^Result of/u });
    await expect.element(result.getByText('-$12.35')).toBeVisible();
    await expect.element(result.getByText('-$12.35')).toHaveClass('fl-down');
    await expect.element(result.getByText('66.7%').first()).toBeVisible();
    await expect.element(page.getByText('Backtest over 30 days on Sandbox')).toBeVisible();
    await expect.element(runButton()).toBeEnabled();
    expect(page.getByText('The backtest has finished').elements()).toEqual([]); // it is shown
  });

  test('OP-60 a list that was asked for before the run ended and comes after it does not bring the open run back', async () => {
    const call = openRun();
    const late: (() => void)[] = [];
    await open({ answers: (net) => net.on('runBacktest', call.answer) });
    await fill();
    runs = [unfinished({ status: 'running', progress: 0.6 })];
    await runButton().click();
    await expect.element(status()).toHaveTextContent('Running backtest...');
    network.on('backtestResults', (asked) => {
      if (asked.query['id'] !== undefined) return listed(asked);
      return new Promise((resolve) => late.push(() => resolve({ results: [unfinished({ status: 'running', progress: 0.6 })] })));
    });
    await expect.poll(() => late.length).toBe(1);
    runs = [aRun(1)];
    network.on('backtestResults', listed);
    call.give(replyOf(aRun(1)));
    await expect.element(status()).toHaveTextContent('Ready to run backtest');
    await expect.element(page.getByRole('table', { name: 'Trades' })).toBeVisible();
    const asked = network.of('backtestResults').length;
    for (const release of late) release();
    await pause(1500); // an open run in the list would be polled every second
    expect(network.of('backtestResults').length).toBe(asked);
    await expect.element(status()).toHaveTextContent('Ready to run backtest');
  });

  test.each([
    ['another run', { run: aRun(2).id }],
    ['a comparison', { compare: [aRun(2).id, aRun(3).id].join(',') }],
    ['another sub-tab', { view: 'portfolio' }],
    ['another tab', { tab: 'reports' }],
  ])('OP-60 a result leaves who has opened %s since it was asked for there, and it is said that it has come', async (_, opened) => {
    const call = openRun();
    await open({
      runs: [aRun(2), aRun(3)],
      answers: (net) => net.on('runBacktest', call.answer).on('listPortfolios', { runs: [] }).on('portfolio', problem(404)),
    });
    await fill();
    await runButton().click();
    await expect.poll(() => network.of('runBacktest').length).toBe(1);
    changeAddress(opened);
    const there = addressStore.getState().values;
    call.give(replyOf(aRun(1)));
    await expect.element(page.getByText('The backtest has finished')).toBeVisible();
    expect(addressStore.getState().values).toEqual(there);
  });

  test('BT-16 the result has its equity curve, before the details have come', async () => {
    await open({
      answers: (net) =>
        net
          .on('runBacktest', replyOf(aRun(1)))
          .on('backtestResults', (call) => (call.query['id'] === undefined ? { results: runs } : new Promise<never>(() => undefined))),
    });
    await fill();
    runs = [aRun(1)];
    await runButton().click();
    await expect.element(page.getByRole('figure', { name: /^Equity curve of EMA Cross/u })).toBeVisible();
    await expect.element(page.getByText('+$12.30').first()).toBeVisible();
  });

  test('OP-60 the list is asked for every second while a run is open, and no longer after it', async () => {
    holdBeats();
    const call = openRun();
    await open({ answers: (net) => net.on('runBacktest', call.answer) });
    await fill();
    await runButton().click();
    await expect.element(status()).toHaveTextContent('Downloading historical data...');
    const before = network.of('backtestResults').length;
    await pass(999);
    expect(network.of('backtestResults').length - before).toBe(0);
    await pass(1);
    expect(network.of('backtestResults').length - before).toBe(1);
    await pass(1000);
    expect(network.of('backtestResults').length - before).toBe(2);
    runs = [aRun(1)];
    call.give(replyOf(aRun(1)));
    await expect.element(status()).toHaveTextContent('Ready to run backtest');
    await expect.element(page.getByRole('table', { name: 'Trades' })).toBeVisible();
    await pass(0);
    const after = network.of('backtestResults').length;
    await pass(1000);
    await pass(1000);
    expect(network.of('backtestResults').length).toBe(after);
  });

  test('OP-60 a run of a closed tab is found, followed to its end and shown', async () => {
    await open({ runs: [unfinished({ status: 'running', progress: 0.4 })] });
    await expect.element(status()).toHaveTextContent('Running backtest...');
    await expect.element(page.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '40');
    await fill();
    await expect.element(runButton()).toBeDisabled();
    await expect.element(runButton()).toHaveAttribute('title', 'A backtest is already running');
    runs = [aRun(1)];
    await expect.element(page.getByText('Backtest over 30 days on Sandbox')).toBeVisible();
    await expect.element(status()).toHaveTextContent('Ready to run backtest');
    await expect.element(runButton()).toBeEnabled();
    expect(network.of('runBacktest')).toHaveLength(0);
  });

  test('OP-60 a run that is under way does not take the place of a comparison that the address names', async () => {
    await open({ runs: [unfinished({ status: 'running' }), aRun(2), aRun(3)] });
    await cleanup();
    const compare = [aRun(2).id, aRun(3).id].join(',');
    await render(<TestPage path="/" search={`?tab=backtest&compare=${compare}`} />);
    await expect.element(status()).toHaveTextContent('Running backtest...');
    expect(addressStore.getState().values).toEqual({ tab: 'backtest', compare });
  });

  test('OP-60 a run continues when its call breaks off, and is shown when it ends', async () => {
    await open({ answers: (net) => net.on('runBacktest', problem(504)) });
    await fill();
    runs = [unfinished({ status: 'running' })];
    await runButton().click();
    await expect.element(status()).toHaveTextContent('Running backtest...');
    await expect.element(page.getByText('Failed to run backtest')).not.toBeInTheDocument();
    runs = [aRun(1)];
    await expect.element(page.getByText('Backtest over 30 days on Sandbox')).toBeVisible();
  });

  test('ERR-27, OP-80 a failure without a detail has its text, one with a detail shows that instead', async () => {
    await open({ answers: (net) => net.on('runBacktest', problem(500)) });
    await fill();
    await runButton().click();
    await expect.element(page.getByRole('alert')).toHaveTextContent('Failed to run backtest');
    await expect.element(status()).toHaveTextContent('Ready to run backtest');
    network.on('runBacktest', problem(404, 'Trading pair not found'));
    await runButton().click();
    await expect.element(page.getByRole('alert')).toHaveTextContent('Trading pair not found');
    await expect.element(page.getByText('Failed to run backtest')).not.toBeInTheDocument();
    network.on('runBacktest', replyOf(aRun(1)));
    runs = [aRun(1)];
    await runButton().click();
    await expect.element(page.getByText('Backtest over 30 days on Sandbox')).toBeVisible();
    await expect.element(page.getByRole('alert')).not.toBeInTheDocument();
  });

  test('ERR-27 without any answer the text is shown after the repetitions', async () => {
    await open({ answers: (net) => net.on('runBacktest', noAnswer) });
    await fill();
    await runButton().click();
    await expect.element(page.getByRole('alert')).toHaveTextContent('Failed to run backtest');
    expect(new Set(network.of('runBacktest').map(({ headers }) => headers.get('idempotency-key'))).size).toBe(1);
  });

  test('ERR-27 a failed run of the list says why, once', async () => {
    const failed = aRun(1, { status: 'failed', metrics: null, equity: null, error: 'Failed to download historical data' });
    await open({ answers: (net) => net.on('runBacktest', problem(502, 'Failed to download historical data')) });
    await fill();
    runs = [failed];
    await runButton().click();
    await expect.element(page.getByRole('alert')).toHaveTextContent('Failed to download historical data');
    await showFirst();
    await expect.element(page.getByRole('alert')).toHaveTextContent('Failed to download historical data');
    expect(page.getByRole('alert').elements()).toHaveLength(1);
  });

  test('a run that fails takes nothing from the screen, and is in the list with its reason', async () => {
    const failed = aRun(2, { status: 'failed', metrics: null, equity: null, error: 'Failed to download historical data' });
    await open({ runs: [aRun(1)], answers: (net) => net.on('runBacktest', problem(502, 'Failed to download historical data')) });
    await showFirst();
    await fill();
    runs = [failed, aRun(1)];
    await runButton().click();
    await expect.element(page.getByRole('alert')).toHaveTextContent('Failed to download historical data');
    await expect.element(page.getByText('Backtest over 30 days on Sandbox')).toBeVisible();
    await expect.element(table('Earlier Runs').getByRole('cell', { name: 'failed: Failed to download historical data' })).toBeVisible();
  });

  test('what is being done, the time left, and the way to cancel it', async () => {
    const step = 'Downloading candles 2025-03 (120 of 365 days)';
    const cancelled = { status: 'failed', is_cancelled: true, error: 'The backtest was cancelled', metrics: null, equity: null } as const;
    const answers = (net: Answerer) =>
      net.on('cancelBacktest', () => {
        runs = [aRun(1, cancelled)]; // not before: the list is asked for every second, and its button would be gone
        return { id: aRun(1).id };
      });
    await open({ runs: [unfinished({ step, seconds_left: 41 })], answers });
    await expect.element(page.getByText(`${step}, about 41 s left`)).toBeVisible();
    await page.getByRole('button', { name: 'Cancel Backtest' }).click();
    await expect.poll(() => network.of('cancelBacktest').length).toBe(1);
    await expect.element(status()).toHaveTextContent('Ready to run backtest');
    await expect.element(page.getByRole('button', { name: 'Cancel Backtest' })).not.toBeInTheDocument();
    await expect.element(table('Earlier Runs').getByRole('cell', { name: 'cancelled', exact: true })).toBeVisible();
    await expect.element(page.getByText('The backtest was cancelled')).toBeVisible();
  });

  test('an admin may run while the run of somebody else is open', async () => {
    await open({ role: 'admin', runs: [unfinished({ symbol: 'ETH/USDT:USDT' })] });
    await fill();
    await expect.element(runButton()).toBeEnabled();
  });
});

describe('the result in full', () => {
  test('market change, rejected signals, metrics of both sets, exit reasons', async () => {
    await open({ runs: [aRun(1)] });
    await showFirst();
    await expect.element(table('Metrics, per trade, freqtrade')).toBeVisible();
    expect(cells('Metrics, per trade, freqtrade')).toEqual(['$12.30', '66.7%', '1.23', 'N/A', '$6.00', '3', '1d 6h']);
    expect(cells('Metrics, daily equity')).toEqual(['-0.50', '-$17.70']);
    expect(cells('Exit Reasons').slice(5, 10)).toEqual(['stop loss', '1', '0', '0.0%', '-$17.70']);
    // Reasons and tags are words in the table of trades too; files keep the names.
    for (const word of ['profit target', 'stop loss', 'exit signal', 'cross up', '—']) expect(cells('Trades')).toContain(word);
    expect(cells('Trades')).not.toContain('stop_loss');
    const terms = [
      ...page
        .getByRole('group', { name: /^Result of/u })
        .element()
        .querySelectorAll('.bt-figures > div'),
    ];
    expect(terms.map((row) => [...row.children].map((cell) => cell.textContent))).toEqual([
      ['Total Trades', '3'],
      ['Win Rate', '66.7%'],
      ['Net PnL (USDT)', '+$12.30'],
      ['Stake, Max Open Trades', '$1000.00 × 1'],
      ['Market Change', '-5.23%'],
      ['Signals Taken', '3 of 12'],
      ['Fees', '$6.00, 0.1% of each fill'],
      ['Period (UTC)', '2026-10-21 00:00 to 2026-11-20 00:00'],
      ['Fills', 'as freqtrade'],
    ]);
  });

  test('a metric shows its meaning when it is focused', async () => {
    await open({ runs: [aRun(1)] });
    await showFirst();
    const name = table('Metrics, daily equity').getByRole('button', { name: 'Sharpe' });
    await expect.element(name).toBeVisible();
    (page.getByRole('button', { name: 'Average duration' }).element() as HTMLElement).focus();
    await userEvent.tab();
    await expect.element(name).toHaveFocus();
    await expect.element(page.getByRole('tooltip')).toHaveTextContent('Mean over deviation of the daily returns of the wallet.');
    await expect.element(name).toHaveAccessibleDescription('Mean over deviation of the daily returns of the wallet.');
  });

  test('the trades are sorted by a click on a header; a chosen one is described in a sentence', async () => {
    await open({ runs: [aRun(1)] });
    await showFirst();
    await expect.element(table('Trades')).toBeVisible();
    const places = () => [...table('Trades').element().querySelectorAll('tbody .fl-pick')].map((cell) => cell.textContent);
    await expect.poll(places).toEqual(['1', '2', '3']);
    await table('Trades').getByRole('button', { name: 'PnL', exact: true }).click();
    await expect.poll(places).toEqual(['2', '3', '1']);
    await table('Trades').getByText('stop loss', { exact: true }).click();
    await expect.element(page.getByText(/^long 0\.01556 BTC, from \$64250\.50 at 2026-11-01 16:00:00/u)).toBeVisible();
    await expect.element(table('Trades').getByRole('button', { name: '2', exact: true })).toHaveAttribute('aria-pressed', 'true');
  });

  test('a click on a mark of the chart chooses its trade', async () => {
    const trades = [aBacktestTrade(280, 300, 5), aBacktestTrade(306, 312, 6)];
    await open({ runs: [aRun(1)], details: someDetails({ trades }) });
    await showFirst();
    await table('Trades').getByRole('button', { name: '1', exact: true }).click();
    const chart = page.getByRole('figure', { name: /^Candle chart/u });
    await expect.element(chart).toBeVisible();
    const second = table('Trades').getByRole('button', { name: '2', exact: true });
    await expect.poll(() => rightmost(chart.element(), chartColors.long)).not.toBeNull();
    await chart.click({ position: rightmost(chart.element(), chartColors.long) ?? { x: 0, y: 0 } });
    await expect.element(second).toHaveAttribute('aria-pressed', 'true');
    await expect.element(page.getByText(/2026-11-02 18:00:00.*\+\$6\.00/u)).toBeVisible();
  });

  test('thousands of trades: only those in sight are drawn, the last is reached', async () => {
    const trades = Array.from({ length: 5000 }, (_, i) => aBacktestTrade(i % 700, (i % 700) + 5, (i % 7) - 3));
    await open({ runs: [aRun(1, { metrics: { total_trades: 6200, win_rate: 0.5, net_pnl: 1 } })], details: someDetails({ trades }) });
    await showFirst();
    await expect.element(page.getByText('5000 of 6200 trades, by exit time', { exact: false })).toBeVisible();
    const drawn = () => table('Trades').element().querySelectorAll('tbody tr:not(.fl-table-gap)').length;
    await expect.poll(drawn).toBeGreaterThan(10);
    expect(drawn()).toBeLessThan(80);
    const scroll = page.getByRole('region', { name: 'Trades, scrollable' }).element();
    expect(scroll.scrollHeight).toBeGreaterThan(5000 * 28);
    scroll.scrollTop = scroll.scrollHeight;
    await expect.element(table('Trades').getByRole('button', { name: '5000', exact: true })).toBeVisible();
  });

  test('a run without a trade says so and what was rejected', async () => {
    // not an empty chart: it is a finding
    const metrics = { total_trades: 0, win_rate: 0, net_pnl: 0 };
    const nothing = { trades: [], exit_reasons: [] };
    const reason = "the stake of 5.00 USDT is below the market's minimum of 10.00 USDT";
    const entries = {
      signals: 41,
      entered: 0,
      unfilled: 0,
      refused: [{ gate: 'stake-too-small', name: 'Stake below the minimum', count: 41, reason }],
      no_trades: `No trades: 41 signals, all refused: ${reason}.`,
      stopped: null,
    };
    await open({ runs: [aRun(1, { metrics })], details: someDetails({ ...nothing, entries }) });
    await showFirst();
    await expect.element(page.getByText(`No trades: 41 signals, all refused: ${reason}.`)).toBeVisible();
    expect(cells('Signals', 'th, td')).toEqual([
      'Outcome',
      'Signals',
      'Entered',
      '0',
      `Stake below the minimum${reason}`,
      '41',
      'All signals',
      '41',
    ]);
    await expect.element(page.getByText('+$0.00').first()).toBeVisible();
  });

  test('a run of which signals were not counted yet names the missing slots', async () => {
    const metrics = { total_trades: 0, win_rate: 0, net_pnl: 0 };
    const older = { trades: [], exit_reasons: [], entries: null, hold: [], fee_ratio: null, rejected_signals: 7 };
    await open({ runs: [aRun(1, { metrics })], details: someDetails(older) });
    await showFirst();
    await expect.element(page.getByText('7 entry signals were rejected, because no slot was free.')).toBeVisible();
    await expect.element(table('Signals')).not.toBeInTheDocument();
  });

  test('entries that ended for good are said with their day and cause', async () => {
    const stopped = 'Stopped trading on 2025-05-04: the balance of 8.12 USDT is below the stake of 10.00 USDT.';
    const { entries } = someDetails();
    await open({ runs: [aRun(1)], details: someDetails({ entries: entries === null ? null : { ...entries, stopped } }) });
    await showFirst();
    await expect.element(page.getByText(stopped)).toBeVisible();
  });

  test('run and trade are in the address: Back returns from them, a reload shows them again', async () => {
    await open({ runs: [aRun(1), aRun(2)] });
    const search = () => new URLSearchParams(page.getByTestId('address').element().getAttribute('data-search') ?? '');
    await showFirst();
    await expect.poll(() => search().get('run')).toBe(aRun(2).id);
    await table('Trades').getByText('stop loss', { exact: true }).click();
    await expect.poll(() => search().get('trade')).toBe('2');
    await page.getByRole('button', { name: 'back' }).click();
    await expect.element(page.getByText('Choose a trade to see it on the chart.')).toBeVisible();
    await page.getByRole('button', { name: 'back' }).click();
    await expect.element(page.getByText('No backtest is chosen.')).toBeVisible();

    await cleanup();
    await render(<TestPage path="/" search={`?tab=backtest&run=${aRun(1).id}&trade=3`} />);
    await expect.element(page.getByText(/^short 0\.01556 BTC/u)).toBeVisible();
  });

  test('a linked run that is older than the list is loaded by its id', async () => {
    await open({
      runs: [aRun(2)],
      answers: (net) =>
        net.on('backtestResults', (call) =>
          call.query['id'] === aRun(1).id ? { results: [{ ...aRun(1, { symbol: 'XRP/USDT:USDT' }), details }] } : listed(call),
        ),
    });
    await cleanup();
    await render(<TestPage path="/" search={`?tab=backtest&run=${aRun(1).id}`} />);
    await expect.element(page.getByRole('group', { name: /^Result of EMA Cross, XRP/u })).toBeVisible();
    await expect.element(table('Trades')).toBeVisible();
  });

  test('of a linked run whose details were removed the figures are there, why the rest is not, and the way to run it again', async () => {
    const old = aRun(1, { symbol: 'XRP/USDT:USDT', days: 90, equity: null, details_removed_at: '2026-11-01T03:00:00.000Z' });
    await open({
      runs: [aRun(2)],
      answers: (net) =>
        net.on('backtestResults', (call) => (call.query['id'] === old.id ? { results: [{ ...old, details: null }] } : listed(call))),
    });
    await cleanup();
    await render(<TestPage path="/" search={`?tab=backtest&run=${old.id}`} />);
    await expect.element(page.getByText('Candles, trades and curves of this run were removed on 2026-11-01.')).toBeVisible();
    await expect.element(page.getByText(/^They are kept for 90 days, and longer for the newest 50 runs of each person/u)).toBeVisible();
    await expect.element(page.getByText('+$12.30').last()).toBeVisible();
    for (const text of [/^Failed/u, /^Equity curve/u]) expect(page.getByText(text).elements()).toEqual([]);
    expect(page.getByRole('button', { name: 'What If' }).elements()).toEqual([]);
    await page.getByRole('button', { name: 'Run Again', exact: true }).click();
    await expect.element(field('Symbol')).toHaveValue('XRPUSDT');
    await expect.element(select('Data Period')).toHaveValue('90 Days');
    network.on('runBacktest', replyOf(old));
    await runButton().click();
    await expect.poll(() => network.of('runBacktest')[0]?.body).toEqual({ ...sampleRequest, symbol: 'XRP/USDT:USDT', days: 90 });
  });

  test('a linked comparison names the runs whose details were removed, and compares the others', async () => {
    const old = aRun(1, { symbol: 'XRP/USDT:USDT', equity: null, details_removed_at: '2026-11-01T03:00:00.000Z' });
    await open({ runs: [aRun(3), aRun(2), old] });
    const ticks = page.getByRole('checkbox', { name: /^Compare the run of/u });
    await expect.element(ticks.nth(2)).toBeDisabled();
    await expect.element(ticks.nth(1)).toBeEnabled();
    await cleanup();
    await render(<TestPage path="/" search={`?tab=backtest&compare=${[1, 2, 3].map((n) => aRun(n).id).join(',')}`} />);
    await expect.element(page.getByText(/were removed because they are old/u)).toBeVisible();
    await expect.element(page.getByText(/^EMA Cross, XRP\/USDT:USDT, run 20/u)).toBeVisible();
    await expect.element(page.getByRole('group', { name: 'Comparison of 2 runs' })).toBeVisible();
    await expect.element(table('Metrics compared, Summary')).toBeVisible();
  });

  test('details that cannot be loaded leave the figures and can be asked for again', async () => {
    await open({
      runs: [aRun(1)],
      answers: (net) => net.on('backtestResults', (call) => (call.query['id'] === undefined ? { results: runs } : problem(403))),
    });
    await showFirst();
    await expect.element(page.getByText('Failed to load the details of this run')).toBeVisible();
    await expect.element(page.getByText('Backtest over 30 days on Sandbox')).toBeVisible();
    network.on('backtestResults', listed);
    await page.getByRole('button', { name: 'Try Again' }).click();
    await expect.element(table('Trades')).toBeVisible();
  });
});

describe('earlier runs', () => {
  test('API-44, OP-63 the newest first, with what they were and came to', async () => {
    const failed = aRun(2, { status: 'failed', metrics: null, equity: null, error: 'Failed to download historical data', days: 180 });
    await open({ runs: [aRun(1), failed] });
    await expect.element(table('Earlier Runs')).toBeVisible();
    const settings = ['EMA Cross', 'BTC/USDT:USDT', 'Sandbox', '1h'];
    const rows = [...table('Earlier Runs').element().querySelectorAll('tbody tr')].map((row) =>
      [...row.children].map((cell) => cell.textContent.trim()),
    );
    expect(rows).toEqual([
      ['2026-11-20 02:00', '', '', '✕ failed: Failed to download historical data', ...settings, '6 Months', '—', '—'],
      ['2026-11-20 01:00', '', '', '✓ done', ...settings, '30 Days', '+$12.30', '66.7%'],
    ]);
  });

  test('without any it says so; a failure can be asked for again', async () => {
    await open({ answers: (net) => net.on('backtestResults', problem(403)) });
    await expect.element(page.getByText('Failed to load the earlier runs')).toBeVisible();
    network.on('backtestResults', { results: [] });
    await page.getByRole('button', { name: 'Try Again' }).click();
    await expect.element(page.getByText('There are no backtests yet.')).toBeVisible();
  });

  test('a run is chosen by the keyboard', async () => {
    await open({ runs: [aRun(1)] });
    const when = table('Earlier Runs').getByRole('button', { name: '2026-11-20 01:00' });
    await expect.element(when).toBeVisible();
    (when.element() as HTMLElement).focus();
    await userEvent.keyboard('{Enter}');
    await expect.element(when).toHaveAttribute('aria-pressed', 'true');
    await expect.element(page.getByText('Backtest over 30 days on Sandbox')).toBeVisible();
  });

  test('Run again fills the form with the settings of the run', async () => {
    const run = aRun(1, { symbol: 'ETH/USDT', trading_mode: 'spot', timeframe: '5m', days: 180, stake_amount: 250.5, max_open_trades: 3 });
    await open({ runs: [run] });
    await page.getByRole('button', { name: /^Run again with the settings of/u }).click();
    await expect.element(field('Symbol')).toHaveValue('ETHUSDT');
    await expect.element(select('Trading Mode')).toHaveValue('spot');
    await expect.element(select('Data Period')).toHaveValue('6 Months');
    await expect.element(page.getByText('No backtest is chosen.')).toBeVisible();
    network.on('runBacktest', replyOf(run));
    await runButton().click();
    await expect
      .poll(() => network.of('runBacktest')[0]?.body)
      .toEqual({
        ...sampleRequest,
        symbol: 'ETH/USDT',
        trading_mode: 'spot',
        timeframe: '5m',
        days: 180,
        stake_amount: 250.5,
        max_open_trades: 3,
      });
  });

  test('two ticked runs are compared: both curves, their metrics and the difference', async () => {
    const other = aRun(2, { stake_amount: 500, max_open_trades: 2, metrics: { total_trades: 5, win_rate: 0.5, net_pnl: -7.7 } });
    await open({ runs: [aRun(1), other] });
    await expect.poll(() => page.getByRole('checkbox').all().length).toBe(2);
    for (const box of page.getByRole('checkbox').all()) await box.click();
    const named = () => new URLSearchParams(page.getByTestId('address').element().getAttribute('data-search') ?? '').get('compare');
    await expect.poll(named).toBe([other.id, aRun(1).id].join(','));
    const both = page.getByRole('group', { name: 'Comparison of 2 runs' });
    await expect.element(both.getByRole('figure', { name: 'Equity curves of 2 runs' })).toBeVisible();
    await expect.element(table('Metrics compared, Summary')).toBeVisible();
    expect(cells('Metrics compared, Summary')).toEqual(['3', '5', '+2', '66.7%', '50.0%', '-16.7 pp', '$12.30', '-$7.70', '-$20.00']);
    await expect.element(both.getByRole('radio', { name: '% of stake capital' })).toBeChecked();
    await both.getByText('USDT', { exact: true }).click();
    await expect.element(both.getByRole('radio', { name: 'USDT' })).toBeChecked();
    await both.getByRole('button', { name: 'End Comparison' }).click();
    await expect.element(both).not.toBeInTheDocument();
  });
});

describe.each(['dark', 'light'] as const)('in the %s look', (theme) => {
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  const findings = async () => {
    const { violations }: AxeResults = await axe.run(document.body, { runOnly: tags });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`);
  };

  test('form, progress and a failure have no axe findings', async () => {
    const failed = aRun(2, { status: 'failed', metrics: null, error: 'Failed to download historical data' });
    await open({ theme, runs: [unfinished(), failed], answers: (net) => net.on('listExchanges', problem(403, 'Not now')) });
    await expect.element(page.getByRole('progressbar')).toBeVisible();
    await field('Stake Amount (USDT)').fill('0');
    await page.getByRole('button', { name: '2026-11-20 02:00' }).click();
    expect(await findings()).toEqual([]);
  });

  test('the result and the comparison have no axe findings', async () => {
    await open({ theme, runs: [aRun(1), aRun(2)] });
    await showFirst();
    await expect.element(table('Trades')).toBeVisible();
    await expect.element(page.getByRole('figure', { name: /^Candle chart/u })).toBeVisible();
    await table('Trades').getByText('stop loss', { exact: true }).click();
    expect(await findings()).toEqual([]);
    for (const box of page.getByRole('checkbox').all()) await box.click();
    await expect.element(table('Metrics compared, Summary')).toBeVisible();
    expect(await findings()).toEqual([]);
  });
});

test('at 390 px nothing is wider than the screen', async () => {
  await page.viewport(390, 844);
  const long = 'A strategy with a name that is as long as anybody could wish for a name of a strategy to be';
  await open({ runs: [aRun(1, { strategy_name: long, metrics: { total_trades: 3, win_rate: 0, net_pnl: -123_456.78 } })] });
  await showFirst();
  await expect.element(table('Trades')).toBeVisible();
  const wide = [...document.querySelectorAll('.bt *')]
    .filter((e) => e.getBoundingClientRect().right > 390 && !e.closest('.fl-table-scroll'))
    .map((e) => e.outerHTML.slice(0, 120))
    .slice(0, 8);
  expect(wide).toEqual([]);
  expect(document.documentElement.scrollWidth).toBe(390);
  expect([...document.querySelectorAll('.fl-panel')].filter((panel) => panel.getBoundingClientRect().right > 390)).toEqual([]);
  await page.viewport(1440, 1000);
});

test('the sample period is what the tests say it is', () => {
  expect(new Date(sampleFrom).toISOString()).toBe('2026-10-21T00:00:00.000Z');
});

describe('a finished run', () => {
  test('is kept as files, and made a paper bot of: the form of a new bot is filled in', async () => {
    await open({ runs: [aRun(1, { stake_amount: 250, max_open_trades: 4 })] });
    await showFirst();
    await expect.element(page.getByRole('button', { name: 'Result as JSON' })).toBeVisible();
    const saved: string[] = [];
    const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function keep(this: HTMLAnchorElement) {
      saved.push(this.download);
    });
    await page.getByRole('button', { name: 'Trades as CSV' }).click();
    await page.getByRole('button', { name: 'Result as JSON' }).click();
    click.mockRestore();
    expect(saved).toEqual(['backtest-ema-cross-btcusdt-1h-2026-11-20.csv', 'backtest-ema-cross-btcusdt-1h-2026-11-20.json']);
    await page.getByRole('button', { name: 'Make a Bot of This Run' }).click();
    await expect.element(page.getByRole('heading', { name: 'Create New Bot' })).toBeVisible();
    await expect.element(select('Strategy')).toHaveValue('EMA Cross');
    await expect.element(select('Exchange')).toHaveValue('Sandbox');
    await expect.element(select('Market Type')).toHaveValue('futures');
    await expect.element(select('Trading Mode')).toHaveValue('paper');
    await expect.element(page.getByRole('textbox', { name: 'Stake Amount' })).toHaveValue('250');
    await expect.element(page.getByRole('textbox', { name: 'Max Open Trades' })).toHaveValue('4');
    const pills = () => [...document.querySelectorAll('[data-field="pairs"] .mantine-Pill-label')].map((pill) => pill.textContent);
    await expect.poll(pills).toEqual(['BTC/USDT:USDT']);
  });

  test('with the settings of a bot makes a bot with these settings, at the timeframe of the run', async () => {
    const bot = {
      id: idOf(101),
      nickname: 'Fast',
      leverage: 3,
      leverage_mode: 'cross' as const,
      stoploss: -0.012,
      minimal_roi: {},
      trailing_stop: false,
      trailing_stop_positive: null,
      trailing_stop_positive_offset: 0,
      trailing_only_offset_is_reached: false,
      max_consecutive_losses: strategy.max_consecutive_losses,
      risk_reward_ratio: 2,
      order_types: { ...strategy.order_types, entry: 'market' as const },
      order_time_in_force: strategy.order_time_in_force,
      parameters: { fastPeriod: 9, squeeze: 0, gone: 3 },
    };
    await open({
      runs: [aRun(1, { bot, timeframe: '15m' })],
      answers: (net) =>
        net
          .on('listStrategies', { strategies: [{ ...strategy, minimal_roi: {}, trailing_stop: false }] })
          .on('strategyDetails', strategyDetails())
          .on('createBot', problem(500)),
    });
    await showFirst();
    await page.getByRole('button', { name: 'Make a Bot of This Run' }).click();
    await expect.element(page.getByRole('textbox', { name: 'Own Stop Loss' })).toHaveValue('1.2');
    await expect.element(page.getByRole('textbox', { name: 'Own Risk Reward Ratio' })).toHaveValue('2');
    await expect.element(page.getByRole('combobox', { name: 'Own Entry Order' })).toHaveValue('market');
    await expect.element(page.getByRole('textbox', { name: 'Own Fast Period' })).toHaveValue('9');
    // What its strategy has as well is inherited, a table of profits without an entry too; a parameter that is gone is left out.
    for (const name of ['Minimal ROI', 'Trailing Stop', 'Exit Order', 'Max Consecutive Losses'])
      await expect.element(page.getByRole('button', { name: `Set own ${name}` })).toBeVisible();
    await page.getByRole('button', { name: 'Create Bot' }).click();
    await expect.poll(() => network.of('createBot').length).toBe(1);
    expect(network.of('createBot')[0]?.body).toMatchObject({
      own_settings: {
        timeframe: '15m',
        stoploss: -0.012,
        risk_reward_ratio: 2,
        order_types: { entry: 'market' },
        parameters: { fastPeriod: 9 },
      },
    });
    await expect.element(page.getByRole('textbox', { name: 'Leverage' })).toHaveValue('3');
    await expect.element(page.getByRole('combobox', { name: 'Leverage Mode' })).toHaveValue('cross');
    await expect.element(page.getByRole('combobox', { name: 'Own Timeframe' })).toHaveValue('15m');
  });

  test('in bitcoin is written in bitcoin wherever it stands', async () => {
    const metrics = { total_trades: 3, win_rate: 0.5, net_pnl: -0.0012 };
    await open({ runs: [aRun(1, { symbol: 'ETH/BTC', metrics })] });
    await showFirst();
    await expect.element(table('Earlier Runs').getByText('-0.001200 BTC')).toBeVisible();
    await expect.element(table('Exit Reasons').getByText('PnL (BTC)')).toBeVisible();
    await expect
      .element(
        table('Metrics, per trade, freqtrade')
          .getByText(/^\d+\.\d{6} BTC$/u)
          .first(),
      )
      .toBeVisible();
    expect(table('Metrics, per trade, freqtrade').getByText(/\$/u).elements()).toEqual([]);
  });

  test('makes no bot for those who may not create any', async () => {
    await open({ role: 'investor', runs: [aRun(1)] });
    await showFirst();
    await expect.element(page.getByRole('button', { name: 'Result as JSON' })).toBeVisible();
    await expect.element(page.getByRole('button', { name: 'Make a Bot of This Run' })).not.toBeInTheDocument();
  });

  test('is distinguished from others on a phone, where its columns are out of sight', async () => {
    await page.viewport(390, 844);
    try {
      await open({ runs: [aRun(1), aRun(2, { strategy_name: 'Bollinger reversion of the quiet hours and nothing else' })] });
      await expect.element(table('Earlier Runs').getByText('EMA Cross, BTC/USDT', { exact: true })).toBeVisible();
      await expect.element(table('Earlier Runs').getByText('1h, 30 Days +$12.30').first()).toBeVisible();
      // A long name takes another line and never covers the tick beside it.
      const [when, compare] = [...table('Earlier Runs').element().querySelectorAll('tbody td')].slice(0, 2);
      for (const line of when?.querySelectorAll('.bt-second') ?? [])
        expect(line.getBoundingClientRect().right).toBeLessThanOrEqual(compare?.getBoundingClientRect().left ?? 0);
    } finally {
      await page.viewport(1440, 1000);
    }
  });

  test.each([1440, 390])('is one of up to six in a comparison at %d px: none is replaced, and curves and table agree', async (width) => {
    await page.viewport(width, 1000);
    try {
      // From 100 to 600 gained: a later run ends higher, in the chart as in the table.
      const ending = (gain: number) => ({
        metrics: { total_trades: 3, win_rate: 0.5, net_pnl: gain },
        equity: [0, 0.5, 1].map((share) => ({ time: sampleFrom + share * 720 * 3_600_000, value: 1000 + share * gain })),
      });
      await open({ runs: [1, 2, 3, 4, 5, 6, 7].map((number) => aRun(number, ending(number * 100))) });
      const ticks = table('Earlier Runs').getByRole('checkbox');
      await expect.poll(() => ticks.all().length).toBe(7);
      const tick = (place: number) => (ticks.nth(place).element() as HTMLInputElement).click();
      tick(6);
      await expect.element(page.getByText('Tick a second run to compare')).toBeVisible();
      for (const place of [5, 4, 3, 2, 1]) tick(place);
      await expect.element(page.getByText('Comparing 6, the most there can be')).toBeVisible();
      await expect.element(ticks.nth(0)).toBeDisabled();
      await expect.element(ticks.nth(6)).toBeChecked();
      const all = page.getByRole('group', { name: 'Comparison of 6 runs' });
      await expect.element(table('Metrics compared, Summary')).toBeVisible();
      const row = cells('Metrics compared, Summary').slice(12);
      expect(row).toEqual(['$100.00', ...[200, 300, 400, 500, 600].map((gain) => `$${gain}.00+$${gain - 100}.00`)]);
      const figure = all.getByRole('figure', { name: 'Equity curves of 6 runs' });
      const heights = () => comparedLines.map(({ color }) => labelHeight(figure.element(), color));
      await expect.poll(() => heights().every((y) => y !== null)).toBe(true);
      expect(heights()).toEqual(heights().toSorted((a, b) => Number(b) - Number(a)));
      expect(new Set(heights()).size).toBe(6);
      expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(width);
      tick(6);
      await expect.element(page.getByText('Comparing 5; up to 6 can be ticked')).toBeVisible();
      await expect.element(ticks.nth(0)).toBeEnabled();
    } finally {
      await page.viewport(1440, 1000);
    }
  });
});

test('the form begins with the first strategy and exchange: nothing more is needed for a run', async () => {
  await open();
  await expect.element(page.getByRole('combobox', { name: 'Strategy' })).toHaveValue('EMA Cross');
  await expect.element(page.getByRole('combobox', { name: 'Exchange' })).toHaveValue('Sandbox');
  await expect.element(page.getByRole('button', { name: 'Run Backtest' })).toBeEnabled();
});

test('BT-18 where there is none, the form says what it still needs', async () => {
  await open({ answers: (net) => net.on('listStrategies', { strategies: [] }).on('listExchanges', { exchanges: [] }) });
  await expect.element(page.getByText('Choose a strategy and an exchange first')).toBeVisible();
  await expect.element(page.getByRole('button', { name: 'Run Backtest' })).toBeDisabled();
});

describe('a backtest of a bot', () => {
  const own = { stoploss: -0.02, parameters: { fastPeriod: 5 } };
  const bot = aBot(0, {
    nickname: 'Night Owl',
    strategy_id: strategy.id,
    trading_pairs: ['ETH/USDC', 'SOL/USDC'],
    stake_currency: 'USDC',
    stake_amount: 75,
    max_open_trades: 2,
    margin_mode: 'spot',
    timeframe: '30m',
    stoploss: -0.02,
    minimal_roi: { 0: 0.03, 60: 0 },
    trailing_stop: false,
    leverage: 1,
    own_settings: own,
  });
  const asked = { ...sampleRequest, symbol: 'SOL/USDC', trading_mode: 'spot', timeframe: '30m', stake_amount: 75, max_open_trades: 2 };
  const openBots = async (search: string) => {
    await open({ answers: (net) => net.on('listBots', [bot]).on('getBot', aBotConfig(bot)) });
    await cleanup();
    await render(<TestPage path="/" search={search} />);
  };

  test.each([
    ['its card', '?tab=bot_control', 'Backtest Night Owl'],
    ['Configure Bot', `?tab=bot_control&view=configure&bot=${bot.id}`, 'Backtest This Bot'],
  ])('one press on %s fills the form, and the run takes the settings of the bot', async (_, search, press) => {
    await openBots(search);
    await page.getByRole('button', { name: press, exact: true }).click();
    await expect.element(page.getByText('Settings of Night Owl')).toBeVisible();
    await expect.element(page.getByText('stop -2%; ROI 3% from the start, 0% after 1h 0m; no trailing stop; Fast Period 5')).toBeVisible();
    await expect.element(select('Strategy')).toHaveValue('EMA Cross');
    await expect.element(select('Strategy')).toBeDisabled();
    await expect.element(select('Exchange')).toHaveValue('Sandbox');
    await expect.element(select('Timeframe')).toHaveValue('30m');
    await expect.element(field('Stake Amount (USDC)')).toHaveValue('75');
    await expect.element(field('Max Open Trades')).toHaveValue('2');
    await expect.element(field('Symbol')).toHaveValue('ETH/USDC');
    await choose('Symbol', 'SOL/USDC');
    const made = aRun(1, { ...asked, trading_mode: 'spot', timeframe: '30m', bot: botOfRun });
    network.on('runBacktest', () => {
      runs = [made];
      return replyOf(made);
    });
    await runButton().click();
    await expect.poll(() => network.of('runBacktest')[0]?.body).toEqual({ ...asked, bot_id: bot.id });
    await expect.element(page.getByText(/^Settings of bot Night Owl: stop -2%; ROI 3% from the start/u)).toBeVisible();
    await expect.element(table('Earlier Runs').getByText('EMA Cross (Night Owl)')).toBeVisible();
  });

  test('the settings of the strategy are one press away, and the next visit begins with them', async () => {
    await openBots('?tab=bot_control');
    await page.getByRole('button', { name: 'Backtest Night Owl', exact: true }).click();
    await expect.element(page.getByText('Settings of Night Owl')).toBeVisible();
    expect(localStorage.getItem('backtest-form')).not.toContain('Night Owl');
    await page.getByRole('button', { name: "Use the Strategy's" }).click();
    await expect.element(page.getByText('Settings of Night Owl')).not.toBeInTheDocument();
    await expect.element(field('Symbol')).toHaveValue('ETHUSDT');
    await expect.element(select('Timeframe')).toHaveValue('1h');
    network.on('runBacktest', replyOf(aRun(1)));
    await runButton().click();
    await expect.poll(() => network.of('runBacktest')[0]?.body).toMatchObject({ symbol: 'ETH/USDT', timeframe: '1h' });
    expect(network.of('runBacktest')[0]?.body).not.toHaveProperty('bot_id');
  });

  test('a run of a bot says before it is run again whose settings the next one takes, and a stake of another currency is not taken for USDT', async () => {
    await open({ runs: [aRun(1, { bot: botOfRun, symbol: 'BTC/USDC', trading_mode: 'spot', stake_amount: 0.01 })] });
    await page.getByRole('button', { name: /, but of its strategy and not of Night Owl$/u }).click();
    await expect.element(field('Symbol')).toHaveValue('BTCUSDT');
    network.on('runBacktest', replyOf(aRun(1)));
    await runButton().click();
    await expect.poll(() => network.of('runBacktest')[0]?.body).toMatchObject({ symbol: 'BTC/USDT', stake_amount: 1000 });
    expect(network.of('runBacktest')[0]?.body).not.toHaveProperty('bot_id');
  });

  const botOfRun = {
    id: bot.id,
    nickname: 'Night Owl',
    leverage: 1,
    leverage_mode: 'isolated',
    stoploss: -0.02,
    minimal_roi: { 0: 0.03, 60: 0 },
    trailing_stop: false,
    trailing_stop_positive: null,
    trailing_stop_positive_offset: 0,
    trailing_only_offset_is_reached: false,
    max_consecutive_losses: 5,
    risk_reward_ratio: null,
    order_types: { entry: 'limit' },
    order_time_in_force: { entry: 'GTC' },
    parameters: { fastPeriod: 5, slowPeriod: 26 },
  } as const;
});
