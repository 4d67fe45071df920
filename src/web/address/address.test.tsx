import { BrowserRouter } from 'react-router';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import { problem } from '../testing/answerer.ts';
import { idOf } from '../testing/samples/ids.ts';
import { aUser } from '../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';
import { addressStore, changeAddress, readAddress, writeAddress } from './address.ts';
import { useAddressInRouter } from './use-address-in-router.ts';

describe('the words of an address', () => {
  test('are read and written in one order; unknown and empty ones are left out', () => {
    expect(readAddress('?trade=7&tab=backtest&evil=1&run=')).toEqual({ tab: 'backtest', trade: '7' });
    expect(writeAddress({ trade: '7', tab: 'backtest' })).toBe('?tab=backtest&trade=7');
    expect(writeAddress({})).toBe('');
    expect(readAddress(writeAddress({ pair: 'BTC/USDT:USDT', bot: 'ä&b=c' }))).toEqual({ pair: 'BTC/USDT:USDT', bot: 'ä&b=c' });
  });

  test('changes of one moment add up, the same value changes nothing', () => {
    const seen: [string, string][] = [];
    addressStore.setState({ values: { bot: '1' }, navigate: (search, how) => seen.push([search, how]) });
    changeAddress({ tab: 'backtest' });
    changeAddress({ run: '9', bot: null }, 'replace');
    changeAddress({ run: '9' });
    expect(seen).toEqual([
      ['?tab=backtest&bot=1', 'push'],
      ['?tab=backtest&run=9', 'replace'],
    ]);
    addressStore.setState({ values: {}, navigate: null });
  });

  test('what follows from a choice at once replaces its entry, and Back comes to the one before', () => {
    const seen: [string, string][] = [];
    addressStore.setState({ values: { tab: 'reports' }, navigate: (search, how) => seen.push([search, how]) });
    const stop = addressStore.subscribe(({ values: { bot, range } }) => {
      if (bot !== undefined && range === undefined) changeAddress({ range: 'daily' }, 'replace');
    });
    changeAddress({ bot: '1', day: '2026-11-24' });
    stop();
    expect(seen).toEqual([
      ['?tab=reports&bot=1&day=2026-11-24', 'push'],
      ['?tab=reports&bot=1&range=daily&day=2026-11-24', 'replace'],
    ]);
    expect(addressStore.getState().values).toEqual({ tab: 'reports', bot: '1', range: 'daily', day: '2026-11-24' });
    addressStore.setState({ values: {}, navigate: null });
  });
});

describe('in the history of a browser', () => {
  afterEach(() => cleanup());

  test('who goes back before the router has followed a choice is back', async () => {
    function Page() {
      useAddressInRouter();
      return null;
    }
    await render(
      <BrowserRouter>
        <Page />
      </BrowserRouter>,
    );
    await expect.poll(() => addressStore.getState().navigate).not.toBeNull();
    // On a busy machine the router draws both at once, and for it nothing has changed.
    addressStore.setState({ values: { day: '2026-11-24' } });
    window.dispatchEvent(new PopStateEvent('popstate'));
    await expect.poll(() => addressStore.getState().values).toEqual({});
  });
});

describe('the dashboard', () => {
  let network: ReturnType<typeof answerFor>;
  beforeAll(() => page.viewport(1440, 1000));
  afterEach(async () => {
    await cleanup();
    network.stop();
  });
  const open = async (search: string, user = aUser('admin') as ReturnType<typeof aUser> | null) => {
    network = answerFor(user);
    if (user === null) network.on('getMe', problem(401, 'Not authenticated')).on('refreshSession', problem(401, 'Session expired'));
    startPage('/');
    return render(<TestPage path="/" search={search} />);
  };
  const address = () => expect.element(page.getByTestId('address'));
  const tab = (name: string) => page.getByRole('tab', { name, exact: true });
  const choose = async (name: string, option: string) => {
    await page.getByRole('combobox', { name, exact: true }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };
  const first = `bot=${idOf(101)}&pair=BTC%2FUSDT&range=daily`;

  test('what the page chooses is not an entry of its own; tab, bot, pair and range are, and Back returns from each', async () => {
    await open('');
    await address().toHaveAttribute('data-search', `?${first}`);
    await choose('Trading Pair', 'ETH/USDT');
    await choose('PnL Range', 'Weekly');
    await choose('Bot', 'Bot 2');
    await address().toHaveAttribute('data-search', `?bot=${idOf(102)}&pair=BTC%2FUSDT&range=weekly`);
    await tab('Bots').click();
    await address().toHaveAttribute('data-search', `?tab=bot_control&bot=${idOf(102)}&pair=BTC%2FUSDT&range=weekly`);

    const back = page.getByRole('button', { name: 'back', exact: true });
    await back.click();
    await expect.element(tab('Status')).toHaveAttribute('aria-selected', 'true');
    await back.click();
    await expect.element(page.getByRole('combobox', { name: 'Bot', exact: true })).toHaveValue('Bot 1');
    await expect.element(page.getByRole('combobox', { name: 'Trading Pair', exact: true })).toHaveValue('ETH/USDT');
    await expect.element(page.getByRole('combobox', { name: 'PnL Range', exact: true })).toHaveValue('Weekly');
    await back.click();
    await expect.element(page.getByRole('combobox', { name: 'PnL Range', exact: true })).toHaveValue('Daily');
    await back.click();
    await expect.element(page.getByRole('combobox', { name: 'Trading Pair', exact: true })).toHaveValue('BTC/USDT');
    await address().toHaveAttribute('data-search', `?${first}`);
  });

  test('a link opens the tab it names; a tab that the role does not have is the first', async () => {
    await open('?tab=bot_control');
    await expect.element(tab('Bots').first()).toHaveAttribute('aria-selected', 'true');
    await cleanup();
    network.stop();
    await open('?tab=settings', aUser('trader'));
    await expect.element(tab('Status')).toHaveAttribute('aria-selected', 'true');
  });

  test('a link survives the sign-in', async () => {
    await open(`?tab=bot_control&bot=${idOf(102)}&pair=ETH%2FUSDT&range=weekly`, null);
    await address().toHaveAttribute('data-path', '/login');
    const user = aUser('admin');
    network.on('login', { status: 'Login successful', ...user }).on('getMe', user);
    await page.getByRole('textbox', { name: 'Email' }).fill(user.email);
    await page.getByRole('textbox', { name: 'Password', exact: true }).fill('correct horse');
    await page.getByRole('button', { name: 'Sign In', exact: true }).click();
    await address().toHaveAttribute('data-search', `?tab=bot_control&bot=${idOf(102)}&pair=ETH%2FUSDT&range=weekly`);
    await expect.element(tab('Bots').first()).toHaveAttribute('aria-selected', 'true');
  });

  test('whoever leaves on purpose starts at the first tab the next time', async () => {
    await open('?tab=backtest');
    network.on('listStrategies', { strategies: [] }).on('backtestResults', { results: [] });
    await page.getByRole('button', { name: 'Logout' }).click();
    await address().toHaveAttribute('data-path', '/login');
    expect(sessionStorage.getItem('return-address')).toBeNull();
  });
});
