import type { Bot } from '#contract/bots.ts';
import axe from 'axe-core';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import { applyTheme } from '../../session/theme-store.ts';
import type { Answerer } from '../../testing/answerer.ts';
import { problem } from '../../testing/answerer.ts';
import { aDrill, aFreeBalance, aLiveCheck } from '../../testing/samples/live-check.ts';
import { aBot, asLive, liveOf } from '../../testing/samples/bots.ts';
import { aUser } from '../../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../../testing/test-page.tsx';
import { expectToast } from '../../testing/toasts.ts';

let network: Answerer;
const open = async (
  changes: Partial<Bot> = {},
  check = aLiveCheck(),
  theme = 'dark',
  balance: ReturnType<typeof aFreeBalance> | (() => Promise<ReturnType<typeof aFreeBalance>>) = aFreeBalance(),
) => {
  const bot = aBot(1, { nickname: 'Pullback', ...changes });
  network = answerFor(aUser('trader'))
    .on('listBots', [bot])
    .on('liveStatus', liveOf([asLive(bot)]))
    .on('liveCheck', check)
    .on('freeBalance', balance)
    .on('changeBotMode', { ...bot, mode: 'live', status: 'paused' })
    .on('listExchanges', { exchanges: [{ id: 'binance', name: 'Binance' }] });
  startPage('/');
  localStorage.setItem('theme', theme);
  applyTheme();
  await render(<TestPage path="/" search="?tab=bot_control" />);
  await page.getByRole('button', { name: 'Switch to Live' }).click();
  await expect.element(asked()).toBeVisible();
};
const asked = () => page.getByRole('dialog', { name: 'Change Bot Mode' });
const confirm = () => asked().getByRole('button', { name: 'Confirm' });
const name = () => asked().getByLabelText("Type the bot's name");
const drill = () => asked().getByRole('region', { name: 'Drill' });
const checks = () => asked().getByRole('list', { name: 'Checks' });
beforeAll(() => page.viewport(1440, 1000));
afterEach(async () => {
  await cleanup();
  network.stop();
  await page.viewport(1440, 1000);
});

describe('BOTS-28, BOTS-29 before a bot trades live', () => {
  test('the account, the largest loss with what is counted, the key and the checks with their figures are shown', async () => {
    await open({
      exchange_id: 'binance',
      stake_amount: 300,
      max_open_trades: 3,
      stoploss: -0.04,
      trading_pairs: ['A/USDT', 'B/USDT', 'C/USDT'],
    });
    for (const text of ['real orders, real money', 'main ****9f3c', 'Binance', '-$900.00', '3 trades at their stops', '-$36.00'])
      await expect.element(asked().getByText(text, { exact: true })).toBeVisible();
    await expect.element(asked().getByText(/If all 3 stakes of 300.00 USDT are lost\./u)).toBeVisible();
    await expect.element(asked().getByText('Ensure API key is valid', { exact: true })).toBeVisible();
    await expect.element(asked().getByText(/it may trade, it may not withdraw\./u)).toBeVisible();
    await expect.element(checks().getByText('+11 ms')).toBeVisible();
    await expect.element(checks().getByText('not run')).toBeVisible();
    await expect.element(drill().getByText(/Going live without one is possible, and is kept in the audit log/u)).toBeVisible();
  });

  test('the largest loss of a bot in bitcoins is in bitcoins', async () => {
    await open({ stake_currency: 'BTC', stake_amount: 1, max_open_trades: 3, stoploss: -0.04, trading_pairs: ['A/BTC', 'B/BTC', 'C/BTC'] });
    const loss = asked().getByRole('region', { name: 'Largest possible loss' });
    for (const text of ['-3.000000 BTC', '-0.120000 BTC']) await expect.element(loss.getByText(text, { exact: true })).toBeVisible();
    expect(loss.element().textContent).not.toContain('$');
  });

  describe('ADD-free-balance the free balance', () => {
    const free = () =>
      asked()
        .getByRole('definition')
        .filter({ hasText: /Asking|UTC|not known|Not known/u });

    test('is asked of the exchange when the question is opened, and shown with the time; a big one is not cut off', async () => {
      const answer = Promise.withResolvers<ReturnType<typeof aFreeBalance>>();
      await open({}, aLiveCheck(), 'dark', () => answer.promise);
      await expect.element(free()).toHaveTextContent('Asking the exchange...');
      answer.resolve(aFreeBalance({ free: 123_456_789.12 }));
      await expect.element(free()).toHaveTextContent('123456789.12 USDTat 12:00:01 UTC');
      await expect.element(free()).not.toHaveTextContent('less than');
      expect(free().element().scrollWidth).toBeLessThanOrEqual(free().element().clientWidth);
      expect(network.of('freeBalance')).toHaveLength(1);
    });

    test.each([
      [0, '0.00 USDT, less than the stake of one trade'],
      [99.99, '99.99 USDT, less than the stake of one trade'],
    ])('of %f says in red that it is not enough for one trade; the switch is possible', async (amount, text) => {
      await open({ stake_amount: 100 }, aLiveCheck(), 'dark', aFreeBalance({ free: amount }));
      const words = asked().getByText(text, { exact: true });
      await expect.element(words).toBeVisible();
      const red = getComputedStyle(document.documentElement).getPropertyValue('--mantine-color-error');
      const probe = document.body.appendChild(document.createElement('i'));
      probe.style.color = red;
      expect(getComputedStyle(words.element()).color).toBe(getComputedStyle(probe).color);
      probe.remove();
      await name().fill('Pullback');
      await expect.element(confirm()).toBeEnabled();
    });

    test('of exactly the stake is enough', async () => {
      await open({ stake_amount: 100 }, aLiveCheck(), 'dark', aFreeBalance({ free: 100 }));
      await expect.element(free()).toHaveTextContent('100.00 USDTat 12:00:01 UTC');
    });

    test('that is not known says why, is read again on request, and does not keep from the switch', async () => {
      await open({}, aLiveCheck(), 'dark', aFreeBalance({ free: null, why: 'The exchange did not answer.' }));
      await expect.element(free()).toHaveTextContent('Not known. The exchange did not answer.Asked 12:00:01 UTCRead again');
      await name().fill('Pullback');
      await expect.element(confirm()).toBeEnabled();
      network.on('freeBalance', problem(429, 'Too many requests. Please try again later.'));
      const again = asked().getByRole('button', { name: 'Read again: free balance' });
      await again.click();
      await expect.element(free()).toHaveTextContent('Not known. Too many requests. Please try again later.Read again');
      await expect.element(confirm()).toBeEnabled();
      network.on('freeBalance', aFreeBalance({ free: 250 }));
      await again.click();
      await expect.element(free()).toHaveTextContent('250.00 USDTat 12:00:01 UTC');
      expect(network.of('freeBalance')).toHaveLength(3);
      await expectToast('Bot mode changed to live', () => confirm().click());
    });

    test('is not asked for without a key', async () => {
      await open({}, aLiveCheck({ key: null }));
      await expect.element(free()).toHaveTextContent('not known without an API key');
      expect(network.of('freeBalance')).toEqual([]);
    });
  });

  test('futures name the margin as the bound, cross margin the whole account; no more trades are counted than pairs', async () => {
    const futures = { margin_mode: 'futures', leverage: 3, max_open_trades: 9, trading_pairs: ['A/USDT:USDT'] } as const;
    await open({ ...futures, trading_pairs: [...futures.trading_pairs] });
    await expect.element(asked().getByText(/If the stake of 100.00 USDT is lost; at 3x the stake is the margin/u)).toBeVisible();
    await cleanup();
    network.stop();
    await open({ ...futures, trading_pairs: [...futures.trading_pairs], leverage_mode: 'cross' });
    await expect.element(asked().getByText('all that the account holds')).toBeVisible();
  });

  test('Confirm stays off until the name is typed exactly; then it switches', async () => {
    await open();
    await expect.element(checks()).toBeVisible();
    await expect.element(confirm()).toBeDisabled();
    await name().fill('pullback');
    await expect.element(confirm()).toBeDisabled();
    await name().fill('Pullback');
    await expectToast('Bot mode changed to live', () => confirm().click());
    expect(network.of('changeBotMode').map(({ query }) => query)).toEqual([{ mode: 'live' }]);
  });

  test('Confirm stays off until the password is checked, where that is long ago; a wrong one says so', async () => {
    await open({}, aLiveCheck({ password_needed: true }));
    await name().fill('Pullback');
    await expect.element(confirm()).toBeDisabled();
    network.on('confirmPassword', problem(403, 'Current password is wrong'));
    await asked().getByLabelText('Current Password', { exact: true }).fill('not it');
    await asked().getByRole('button', { name: 'Check Password' }).click();
    await expect.element(asked().getByText('Current password is wrong')).toBeVisible();
    await expect.element(confirm()).toBeDisabled();
    network.on('confirmPassword', { status: 'Password confirmed' }).on('liveCheck', aLiveCheck());
    await asked().getByLabelText('Current Password', { exact: true }).fill('correct horse');
    await asked().getByRole('button', { name: 'Check Password' }).click();
    await expect.element(confirm()).toBeEnabled();
    expect(network.of('changeBotMode')).toEqual([]);
  });

  test('checks that fail to load keep Confirm off and are loaded again', async () => {
    await open({}, aLiveCheck());
    await asked().getByRole('button', { name: 'Cancel' }).click();
    network.on('liveCheck', problem(500));
    await page.getByRole('button', { name: 'Switch to Live' }).click();
    await name().fill('Pullback');
    await expect.element(asked().getByText('Failed to check the bot')).toBeVisible();
    await expect.element(confirm()).toBeDisabled();
    network.on('liveCheck', aLiveCheck());
    await asked().getByRole('button', { name: 'Retry' }).click();
    await expect.element(confirm()).toBeEnabled();
  });

  test('a drill is run from the dialog: busy, its result among the checks, again; nothing is switched by it', async () => {
    await open();
    const answer = Promise.withResolvers<{ why: null; drill: ReturnType<typeof aDrill> }>();
    network.on('runDrill', () => answer.promise);
    await drill().getByRole('button', { name: 'Run Drill' }).click();
    await expect.element(drill().getByRole('button', { name: 'Running...' })).toBeDisabled();
    answer.resolve({ why: null, drill: aDrill({ run_at: new Date().toISOString() }) });
    await expect.element(checks().getByText('146 orders, no difference')).toBeVisible();
    for (const [name, value] of [
      ['Orders', '146'],
      ['Lost answers', '46'],
      ['Kills', '107'],
      ['Longest without a stop', '10s'],
      ['Differences', '0'],
    ])
      expect(drill().element().textContent).toContain(`${name}${value}`);
    expect(network.of('runDrill')).toHaveLength(1);
    expect(network.of('changeBotMode')).toEqual([]);

    const bad = aDrill({
      orders: 0,
      differences: ['Order a-1 was placed 2 times.'],
      refusals: [{ gate: 'stake-too-small', count: 58 }],
      leftovers: ['0.00004 BTC are left, worth 2.4 USDT: less than the smallest order.'],
    });
    network.on('runDrill', { why: null, drill: bad });
    await drill().getByRole('button', { name: 'Run Again' }).click();
    for (const text of [
      'Order a-1 was placed 2 times.',
      'Not one order could be placed.',
      'Entries refused: stake too small, 58 times.',
      '0.00004 BTC are left, worth 2.4 USDT: less than the smallest order.',
    ])
      await expect.element(drill().getByText(text)).toBeVisible();
  });

  test('a drill that cannot be run says why, and one that fails too; the one before stays', async () => {
    await open({}, aLiveCheck({ drill: aDrill({ is_current: false }) }));
    await expect.element(drill().getByText(/It was run with other settings than the bot has now/u)).toBeVisible();
    network.on('runDrill', { why: 'The exchange trades none of the pairs.', drill: null });
    await drill().getByRole('button', { name: 'Run Again' }).click();
    await expect.element(drill().getByText('The exchange trades none of the pairs.')).toBeVisible();
    network.on('runDrill', problem(500));
    await drill().getByRole('button', { name: 'Run Again' }).click();
    await expect.element(drill().getByText(/^Failed to run the drill: Something went wrong/u)).toBeVisible();
    await expect.element(drill().getByText('146', { exact: true })).toBeVisible();
  });

  test.each([
    ['dark', 1440],
    ['light', 1440],
    ['dark', 390],
    ['light', 390],
  ])('it has no accessibility findings and no sideways scroll: %s, %i px', async (theme, width) => {
    await page.viewport(width, 900);
    await open(
      {},
      aLiveCheck({
        password_needed: true,
        trading_state: 'reducing',
        drill: aDrill({ differences: ['Order a-1 was placed 2 times.'] }),
      }),
      theme,
      aFreeBalance({ free: null, why: 'No runner that could ask the exchange is running.' }),
    );
    await expect.element(asked().getByRole('button', { name: 'Read again: free balance' })).toBeVisible();
    const { violations } = await axe.run(document.body, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    });
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`)).toEqual([]);
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(width);
    for (const button of [confirm(), asked().getByRole('button', { name: 'Cancel' })]) {
      const words = button.element().querySelector('.mantine-Button-label');
      expect(words?.scrollWidth, 'the words of a button are not cut off').toBeLessThanOrEqual(words?.clientWidth ?? 0);
    }
  });
});
