import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import type { Answerer } from '../../testing/answerer.ts';
import { problem } from '../../testing/answerer.ts';
import { idOf } from '../../testing/samples/ids.ts';
import { aLastBacktest, aStrategy, someDetails } from '../../testing/samples/strategies.ts';
import { aUser } from '../../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../../testing/test-page.tsx';

const lastBacktest = aLastBacktest();

let network: Answerer;
beforeAll(() => page.viewport(1440, 1400));
afterEach(async () => {
  await cleanup();
  network.stop();
});
const open = async (answers: (network: Answerer) => Answerer = (same) => same) => {
  network = answers(
    answerFor(aUser('trader'))
      .on('listStrategies', { strategies: [aStrategy(1), aStrategy(2)] })
      .on('strategyBots', { bots: [] })
      .on('strategyPerformance', {
        total_pnl: 0,
        sharpe_ratio: null,
        win_rate: 0,
        total_trades: 0,
        winning_trades: 0,
        losing_trades: 0,
        max_drawdown: 0,
        daily_pnl: [],
      }),
  );
  startPage('/');
  await render(<TestPage path="/" search="?tab=strategy" />);
};
const panel = (name: string) => page.getByRole('region', { name, exact: true });
const textOf = (name: string) => panel(name).element().textContent;
const address = () => new URLSearchParams(page.getByTestId('address').element().getAttribute('data-search') ?? '');

describe('what a strategy says of itself', () => {
  test('each parameter with its name, default, unit, meaning and range; and which market makes it lose', async () => {
    await open();
    await expect.element(panel('Strategy Parameters').getByRole('list', { name: 'Parameters' })).toBeVisible();
    const items = panel('Strategy Parameters').getByRole('listitem').elements();
    expect(items.map((item) => [...item.children].map((child) => child.textContent))).toEqual([
      ['Fast Period', '12 candles', 'Candles of the fast average. Range 5 to 25 in steps of 1.'],
      ['Squeeze', 'off', '0 buys the return, 1 the breakout.'],
    ]);
    expect(textOf('Strategy Parameters')).toContain('When It LosesIt loses in sideways markets.');
    // They are read, not set.
    expect(panel('Strategy Parameters').getByRole('textbox').elements()).toEqual([]);
    expect(network.of('strategyDetails').map(({ path }) => path)).toEqual([`/strategies/${aStrategy(1).id}/details`]);
  });

  test('a strategy without parameters says so', async () => {
    await open((net) => net.on('strategyDetails', someDetails({ parameters: [] })));
    await expect.element(panel('Strategy Parameters').getByText('It has no parameters.')).toBeVisible();
  });

  test('what does not load says so and is tried again', async () => {
    await open((net) => net.on('strategyDetails', problem(404, 'Strategy not found')));
    await expect.element(panel('Strategy Parameters').getByText('No parameters to show')).toBeVisible();
    await expect.element(panel('Equity of the Last Backtest').getByText('No backtest to show')).toBeVisible();
    network.on('strategyDetails', someDetails());
    await panel('Strategy Parameters').getByRole('button', { name: 'Try Again' }).click();
    await expect.element(panel('Strategy Parameters').getByText('Fast Period')).toBeVisible();
  });
});

describe('the last backtest', () => {
  test('its equity with profit, trades, pair, range, date, and the way to it', async () => {
    await open((net) => net.on('strategyDetails', someDetails({ last_backtest: lastBacktest })));
    const last = panel('Equity of the Last Backtest');
    await expect.element(last.getByText('ETH/USDT:USDT, 90 days')).toBeVisible();
    expect(textOf('Equity of the Last Backtest')).toContain('-4.15% (-$41.50), 1 trade, 0.0% won');
    expect(textOf('Equity of the Last Backtest')).toContain('1h candles of Binance, futures, finished 2026-11-21 18:58 UTC');
    await expect.element(last.getByRole('figure', { name: 'Equity of the last backtest, ETH/USDT:USDT' })).toBeVisible();
    await last.getByRole('button', { name: 'Open the Backtest' }).click();
    await expect.poll(() => [address().get('tab'), address().get('run')]).toEqual(['backtest', idOf(77)]);
  });

  test('without one it says how to come by it', async () => {
    await open();
    const last = panel('Equity of the Last Backtest');
    await expect.element(last.getByText('No backtest of this strategy yet')).toBeVisible();
    await last.getByRole('button', { name: 'Run a Backtest' }).click();
    await expect.poll(() => address().get('tab')).toBe('backtest');
  });
});
