import type { CallReply } from '#contract/client.ts';
import axe from 'axe-core';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import { addressStore, changeAddress } from '../../address/address.ts';
import type { Answerer, Problem } from '../../testing/answerer.ts';
import { problem } from '../../testing/answerer.ts';
import { idOf } from '../../testing/samples/ids.ts';
import { aPortfolio, portfolioDetails } from '../../testing/samples/portfolios.ts';
import { aStrategy } from '../../testing/samples/strategies.ts';
import { aUser } from '../../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../../testing/test-page.tsx';
import { openPlanFormOf } from './portfolio-store.ts';

const strategy = aStrategy(1);

let network: Answerer;
beforeAll(() => page.viewport(1440, 1000));
afterEach(() => cleanup());

const open = async (runs: CallReply<'listPortfolios'> | Problem, search = '') => {
  network = answerFor(aUser('trader'))
    .on('listStrategies', { strategies: [strategy] })
    .on('listExchanges', { exchanges: [{ id: 'sandbox', name: 'Sandbox' }] })
    .on('tradingPairs', { trading_pairs: ['BTC/USDT', 'ETH/USDT', 'SOL/USDT'] })
    .on('listPortfolios', runs);
  startPage('/');
  openPlanFormOf(String(Math.random())); // somebody else's before
  await render(<TestPage path="/" search={`?tab=backtest&view=portfolio${search}`} />);
};

describe('Portfolio, beside the Runner', () => {
  test('without runs it says so; the Runner is the first sub-tab', async () => {
    await open({ runs: [] });
    await expect.element(page.getByText('No portfolio backtests yet')).toBeVisible();
    await expect.element(page.getByText('No portfolio backtest is chosen.')).toBeVisible();
    expect(
      page
        .getByRole('tab', { name: /Runner|Portfolio|Optimization/u })
        .elements()
        .map((tab) => tab.textContent),
    ).toEqual(['Runner', 'Portfolio', 'Optimization']);
    await expect.element(page.getByRole('button', { name: 'Run Backtest' })).toBeDisabled();
    // Strategy and exchange are the first on offer; which pairs is for the person to say.
    await expect.element(page.getByText('Choose pairs first')).toBeVisible();
  });

  test('a list that cannot be loaded says so, and loads again', async () => {
    await open(problem(500, 'Something went wrong. Please try again.'));
    await expect.element(page.getByText('Failed to load backtests')).toBeVisible();
    network.on('listPortfolios', { runs: [] });
    await page.getByRole('button', { name: 'Retry' }).click();
    await expect.element(page.getByText('No portfolio backtests yet')).toBeVisible();
  });

  test('a filled form is sent as it says, and the run is shown', async () => {
    await open({ runs: [] });
    await page.getByRole('combobox', { name: 'Strategy' }).click();
    await page.getByRole('option', { name: strategy.name }).click();
    await page.getByRole('combobox', { name: 'Exchange' }).click();
    await page.getByRole('option', { name: 'Sandbox' }).click();
    await page.getByRole('checkbox', { name: 'ETH/USDT' }).click();
    await page.getByRole('button', { name: 'Paste' }).click();
    await page.getByRole('textbox', { name: 'Pairs to paste' }).fill('solusdt, BTC/USDT, NOPE/USDT');
    await expect.element(page.getByText('2 found; not on this market: NOPE/USDT')).toBeVisible();
    await page.getByRole('button', { name: 'Take These' }).click();
    await page.getByRole('textbox', { name: 'Slippage (% of each fill)' }).fill('0.05');
    network.on('startPortfolio', { id: idOf(700) }).on('portfolio', { run: aPortfolio(), details: portfolioDetails() });
    network.on('listPortfolios', { runs: [aPortfolio()] });
    const from = page.getByRole('textbox', { name: 'From (UTC)' });
    const day = (from.element() as HTMLInputElement).value;
    await from.fill(day.slice(0, -1));
    await page.getByRole('button', { name: 'Run Backtest' }).click();
    await expect.element(page.getByText('Write a day as 2026-11-23')).toBeVisible();
    expect(network.of('startPortfolio')).toEqual([]);
    await from.fill(day);
    await page.getByRole('button', { name: 'Run Backtest' }).click();
    await expect.element(page.getByText('+$12.50').first()).toBeVisible();
    expect(network.of('startPortfolio')[0]?.body).toMatchObject({
      plan: { pairs: ['SOL/USDT', 'BTC/USDT'], slippage_ratio: 0.0005, stake_amount: null, exchange: 'Sandbox' },
    });
  });

  test.each([
    ['another run', { run: idOf(701) }],
    ['a study', { view: 'optimization', run: idOf(800) }],
    ['another tab', { tab: 'reports', view: null }],
  ])('a run leaves who has opened %s since it was asked for there, and it is said that it has started', async (_, opened) => {
    await open({ runs: [aPortfolio({ id: idOf(701) })] });
    const answer = Promise.withResolvers<{ id: string }>();
    network.on('startPortfolio', () => answer.promise).on('portfolio', { run: aPortfolio(), details: portfolioDetails() });
    network.on('study', problem(404, 'Study not found'));
    await page.getByRole('checkbox', { name: 'ETH/USDT' }).click();
    await page.getByRole('button', { name: 'Run Backtest' }).click();
    await expect.poll(() => network.of('startPortfolio').length).toBe(1);
    changeAddress(opened);
    const there = addressStore.getState().values;
    answer.resolve({ id: idOf(700) });
    await expect.element(page.getByText('The backtest has started')).toBeVisible();
    expect(addressStore.getState().values).toEqual(there);
  });

  test('what the server refuses is said below the form, which stays', async () => {
    await open({ runs: [] });
    await page.getByRole('combobox', { name: 'Strategy' }).click();
    await page.getByRole('option', { name: strategy.name }).click();
    await page.getByRole('combobox', { name: 'Exchange' }).click();
    await page.getByRole('option', { name: 'Sandbox' }).click();
    await page.getByRole('button', { name: 'First 10' }).click();
    network.on('startPortfolio', problem(409, 'A backtest is already running'));
    await page.getByRole('button', { name: 'Run Backtest' }).click();
    await expect.element(page.getByText('A backtest is already running')).toBeVisible();
    await expect.element(page.getByRole('checkbox', { name: 'SOL/USDT' })).toBeChecked();
  });

  test('a run shows what it was asked for, its figures, days, splits and a sober word; and has no findings', async () => {
    await open({ runs: [aPortfolio()] }, `&run=${idOf(700)}`);
    network.on('portfolio', { run: aPortfolio(), details: portfolioDetails({ without_candles: ['HYPE/USDT'] }) });
    await expect.element(page.getByText('BTC/USDT, ETH/USDT on Sandbox spot; 2026-08-01 to 2026-08-31', { exact: false })).toBeVisible();
    await expect.element(page.getByText('2026-08-05 -$21.50 in 20 trades, the worst day')).toBeVisible();
    await expect.element(page.getByText('The profit is smaller than the deepest fall.')).toBeVisible();
    await expect.element(page.getByText('Without candles in this range: HYPE/USDT.')).toBeVisible();
    await page.getByText('Exit', { exact: true }).click();
    await expect.element(page.getByRole('table', { name: 'By Exit Reason' })).toBeVisible();
    const { violations } = await axe.run(document.body);
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
  });

  test('of a run whose details were removed the figures are there, why the rest is not, and the way to run it again', async () => {
    const { plan } = aPortfolio();
    const old = aPortfolio({
      equity: null,
      details_removed_at: '2026-11-01T03:00:00.000Z',
      plan: { ...plan, stake_amount: 250, fee_ratio: null, protections: [{ kind: 'cooldown', stopMinutes: 45 }] },
      strategy_id: strategy.id,
    });
    await open({ runs: [aPortfolio({ id: idOf(701) })] }, `&run=${idOf(700)}`);
    network.on('portfolio', { run: old, details: null });
    await expect.element(page.getByText('Candles, trades and curves of this run were removed on 2026-11-01.')).toBeVisible();
    await expect.element(page.getByText('Tries on This Range')).toBeVisible();
    for (const text of ['Failed to load the details of the run', 'Compare Two Runs', 'What If'])
      expect(page.getByRole('tabpanel').getByText(text).elements()).toEqual([]);
    const { violations } = await axe.run(document.body);
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
    await page.getByRole('button', { name: 'Run Again' }).click();
    network.on('startPortfolio', { id: idOf(704) });
    await page.getByRole('button', { name: 'Run Backtest' }).click();
    await expect.poll(() => network.of('startPortfolio')[0]?.body).toEqual({ strategy_id: strategy.id, plan: old.plan });
  });

  test('two runs are compared: what was asked differently, and which trades only one has', async () => {
    const other = aPortfolio({ id: idOf(701), plan: { ...aPortfolio().plan, protections: [{ kind: 'cooldown', stopMinutes: 30 }] } });
    await open({ runs: [aPortfolio(), other] }, `&run=${idOf(700)}&compare=${idOf(701)}`);
    network.on('portfolio', ({ path }) => ({
      run: aPortfolio(),
      details: portfolioDetails(path.endsWith(idOf(701)) ? { trades: portfolioDetails().trades.slice(5) } : {}),
    }));
    await expect.element(page.getByText('Asked differently: protections none and cooldown.')).toBeVisible();
    await expect.element(page.getByText(/trades in both/u)).toBeVisible();
  });

  test('a run that failed says why, and one under way can be cancelled', async () => {
    const running = aPortfolio({
      id: idOf(702),
      status: 'running',
      metrics: null,
      equity: null,
      finished_at: null,
      progress: 0.4,
      step: 'Running',
    });
    await open(
      {
        runs: [
          running,
          aPortfolio({
            id: idOf(703),
            status: 'failed',
            error: 'None of the pairs has candles in this range.',
            metrics: null,
            equity: null,
          }),
        ],
      },
      `&run=${idOf(703)}`,
    );
    network.on('portfolio', { run: aPortfolio(), details: null }).on('cancelBacktest', { id: idOf(702) });
    await expect.element(page.getByText('None of the pairs has candles in this range.')).toBeVisible();
    await page.getByRole('button', { name: 'Cancel Backtest' }).click();
    await expect.poll(() => network.of('cancelBacktest').length).toBe(1);
  });
});
