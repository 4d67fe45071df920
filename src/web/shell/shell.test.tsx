import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import type { Role } from '#contract/fields.ts';
import { addressStore, changeAddress } from '../address/address.ts';
import { sessionStore } from '../session/session-store.ts';
import { themeStore } from '../session/theme-store.ts';
import type { Answerer } from '../testing/answerer.ts';
import { problem } from '../testing/answerer.ts';
import { button } from '../testing/on-page.ts';
import { aUser } from '../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';

let network: Answerer;
const open = async (path: string, role: Role | null, answers: (network: Answerer) => Answerer = (same) => same) => {
  network = answers(answerFor(role === null ? null : aUser(role)));
  startPage(path);
  return render(<TestPage path={path} />);
};
beforeAll(() => page.viewport(1440, 900));
afterEach(async () => {
  await cleanup();
  network.stop();
});

const address = () => page.getByTestId('address');
const toggle = (name: string) => page.getByRole('switch', { name, exact: true });

describe('the protected route', () => {
  test('SHELL-05, SHELL-09, SHELL-11 it says Loading... while the session is checked, then shows the dashboard', async () => {
    let answer = () => undefined as void;
    await open('/', null, (net) =>
      net.on(
        'getMe',
        () =>
          new Promise((resolve) => {
            answer = () => resolve(aUser());
          }),
      ),
    );
    await expect.element(page.getByText('Loading...')).toBeVisible();
    answer();
    await expect.element(page.getByRole('tab', { name: 'Status' })).toBeVisible();
  });

  test('SHELL-10, STATE-06 without a session it leads to sign in', async () => {
    await open('/', null, (net) =>
      net.on('getMe', problem(401, 'Not authenticated')).on('refreshSession', problem(401, 'Session expired')),
    );
    await expect.element(address()).toHaveAttribute('data-path', '/login');
    await expect.element(button('Sign In')).toBeVisible();
  });

  test('SHELL-06, OP-03 any other address is the dashboard', async () => {
    await open('/dashboard', 'trader');
    await expect.element(address()).toHaveAttribute('data-path', '/');
    await expect.element(page.getByRole('tab', { name: 'Status' })).toBeVisible();
  });

  test('SHELL-08, SHELL-12, OP-04 forgot-password has no screen: without a check it ends at sign in', async () => {
    await open('/forgot-password', null);
    await expect.element(address()).toHaveAttribute('data-path', '/login');
    expect(network.calls).toEqual([]);
  });

  test('API-58, STATE-08 a session that ends while the dashboard is open leads to sign in', async () => {
    await open('/', 'trader');
    await expect.element(page.getByRole('tab', { name: 'Status' })).toBeVisible();
    window.dispatchEvent(new Event('auth:logout'));
    await expect.element(address()).toHaveAttribute('data-path', '/login');
    expect(sessionStore.getState()).toMatchObject({ user: null, isAuthenticated: false });
  });
});

describe('the header', () => {
  test('SHELL-13, SHELL-14 it shows the logo, the e-mail and the role', async () => {
    await open('/', 'operator');
    await expect.element(page.getByText('Flotilla')).toBeVisible();
    await expect.element(page.getByTitle('Your Account Settings')).toHaveTextContent('operator@flotilla.exampleoperator');
    sessionStore.setState({ user: null });
    await expect.element(page.getByTitle('Your Account Settings')).toHaveTextContent('User');
  });

  test('SHELL-15, SHELL-16, MON-07, MON-08, OP-09 the toggles start on and show or hide their panels', async () => {
    await open('/', 'trader');
    await expect.element(toggle('PnL')).toBeChecked();
    await expect.element(page.getByRole('region', { name: 'PnL Overview' })).toBeVisible();
    await toggle('PnL').click();
    await expect.element(page.getByRole('region', { name: 'PnL Overview' })).not.toBeInTheDocument();
    await expect.element(toggle('Orders')).toBeChecked();
    await expect.element(page.getByRole('heading', { name: 'Order Log' })).toBeVisible();
    await toggle('Orders').click();
    await expect.element(page.getByRole('heading', { name: 'Order Log' })).not.toBeInTheDocument();
    await toggle('Orders').click();
    await expect.element(page.getByRole('heading', { name: 'Order Log' })).toBeVisible();
  });

  test('SHELL-17, SHELL-26, SHELL-27, SHELL-28 the dark toggle flips the look', async () => {
    await open('/', 'trader');
    await expect.element(toggle('Dark')).toBeChecked();
    await toggle('Dark').click();
    expect([themeStore.getState().theme, localStorage.getItem('theme'), document.documentElement.className]).toEqual([
      'light',
      'light',
      '',
    ]);
    await expect.poll(() => document.documentElement.dataset['mantineColorScheme']).toBe('light');
    await expect.poll(() => getComputedStyle(document.body).backgroundColor).toBe('rgb(241, 243, 248)');
  });

  test('SHELL-18, SHELL-19, API-04, STATE-05, ERR-06 logout says it is under way and clears the session, also when the call fails', async () => {
    let answer = () => undefined as void;
    await open('/', 'trader', (net) =>
      net.on(
        'logout',
        () =>
          new Promise((resolve) => {
            answer = () => resolve(problem(500));
          }),
      ),
    );
    await button('Logout').click();
    await expect.element(button('Logging out...')).toBeDisabled();
    answer();
    await expect.element(address()).toHaveAttribute('data-path', '/login');
    expect(sessionStore.getState().user).toBeNull();
    expect(network.of('logout')).toHaveLength(1);
  });

  test('SHELL-20, OP-08, API-14, API-18 it initializes once: status and bots are asked for, a degraded platform is named', async () => {
    await open('/', 'trader', (net) => net.on('systemStatus', { status: 'degraded', version: '0.1.0', time: '2026-11-20T00:00:00.000Z' }));
    await expect.element(page.getByText('Some services are unavailable')).toBeVisible();
    await page.getByRole('tab', { name: 'Reports' }).click();
    await page.getByRole('tab', { name: 'Status' }).click();
    await expect.element(page.getByRole('heading', { name: 'Trade Chart' })).toBeVisible();
    expect([network.of('systemStatus').length, network.of('availableBots').length]).toEqual([1, 1]);
  });

  test('OP-08 nothing is said about a platform that is well or does not answer', async () => {
    await open('/', 'trader', (net) => net.on('systemStatus', problem(404)));
    await expect.element(page.getByText('Win Rate: 58.3%', { exact: false })).toBeVisible();
    await expect.element(page.getByText('Some services are unavailable')).not.toBeInTheDocument();
  });
});

describe('the tabs', () => {
  const labels = () =>
    page
      .getByRole('tablist', { name: 'Dashboard' })
      .getByRole('tab')
      .elements()
      .map((tab) => tab.textContent);
  const values = () =>
    page
      .getByRole('tablist', { name: 'Dashboard' })
      .getByRole('tab')
      .elements()
      .map((tab) => (tab as HTMLElement).dataset['tab']);

  test('SHELL-21, SHELL-22, OP-01, OP-09 every role has the same five, Status first', async () => {
    for (const role of ['investor', 'trader', 'operator'] as const) {
      const screen = await open('/', role);
      await expect.element(page.getByRole('tab', { name: 'Status' })).toHaveAttribute('aria-selected', 'true');
      expect(labels()).toEqual(['Status', 'Strategy', 'Bots', 'Backtest', 'Reports']);
      expect(values()).toEqual(['status', 'strategy', 'bot_control', 'backtest', 'reports']);
      await screen.unmount();
      network.stop();
    }
  });

  test('SHELL-23, OP-09 admins have three more', async () => {
    await open('/', 'admin');
    await expect.element(page.getByRole('tab', { name: 'Settings' })).toBeVisible();
    expect(labels()).toEqual(['Status', 'Strategy', 'Bots', 'Backtest', 'Reports', 'Fund', 'Paper Trades', 'Settings']);
    expect(values().slice(5)).toEqual(['fund', 'paper_trades', 'settings']);
  });
});

describe('a narrow screen', () => {
  test('SHELL-14, SHELL-21 at 390 px the role and the logout are visible, and the strip of tabs shows that it continues', async () => {
    await page.viewport(390, 844);
    await open('/', 'admin');
    const role = page.getByText('admin', { exact: true });
    await expect.element(role).toBeVisible();
    const end = role.element().getBoundingClientRect().right;
    expect(end).toBeLessThanOrEqual(button('Logout').element().getBoundingClientRect().left);
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390);
    const strip = page.getByRole('tablist', { name: 'Dashboard' });
    await expect.element(strip).toHaveAttribute('data-more', 'right');
    expect(getComputedStyle(strip.element()).maskImage).toContain('linear-gradient');
    await page.getByRole('tab', { name: 'Settings' }).click();
    await expect.element(strip).toHaveAttribute('data-more', 'left');
    const settings = page.getByRole('tab', { name: 'Settings' }).element().getBoundingClientRect();
    expect(settings.right).toBeLessThanOrEqual(390);
    await page.viewport(1440, 900);
    await expect.element(strip).not.toHaveAttribute('data-more');
  });

  test.each(['trader', 'operator', 'investor'] as const)('at 375 px the page begins below one row of the header; %s', async (role) => {
    await page.viewport(375, 812);
    await open('/', role);
    await expect.element(page.getByRole('tab', { name: 'Status' })).toBeVisible();
    const header = page.getByRole('banner').element();
    expect(header.getBoundingClientRect().height).toBeLessThan(60);
    expect(header.contains(toggle('Dark').element())).toBe(false);
    await expect.element(toggle('Dark')).toBeEnabled();
    await expect.element(button('Stop all')).toBeVisible();
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(375);
    await page.viewport(1440, 900);
    expect(header.contains(toggle('Dark').element())).toBe(true); // on a phone they stand at the end of the page
  });

  test('a table wider than its place shows on which side columns are out of sight', async () => {
    await page.viewport(390, 844);
    await open('/', 'trader');
    const log = page.getByRole('region', { name: 'Order Log, scrollable' });
    await expect.element(log).toHaveAttribute('data-more', 'right');
    log.element().scrollLeft = 10_000;
    await expect.element(log).toHaveAttribute('data-more', 'left');
    await page.viewport(1440, 900);
  });
});

test('SHELL-15, SHELL-16 off the Status tab its switches are disabled and say why', async () => {
  await open('/', 'trader');
  await expect.element(toggle('PnL')).toBeEnabled();
  await page.getByRole('tab', { name: 'Reports' }).click();
  for (const name of ['PnL', 'Orders']) {
    await expect.element(toggle(name)).toBeDisabled();
    await expect.element(toggle(name)).toHaveAccessibleDescription('Shows or hides a panel of the Status tab');
  }
  await expect.element(toggle('Dark')).toBeEnabled();
  await page.getByRole('tab', { name: 'Status' }).click();
  await expect.element(toggle('Orders')).toBeEnabled();
});

test('what is opened on a view is closed with its tab, and a run stays chosen on the first view', async () => {
  await open('/', 'trader', (net) => net.on('study', problem(404)));
  await expect.element(page.getByRole('tab', { name: 'Status' })).toBeVisible();
  const leave = async (view: string) => {
    await expect.element(page.getByRole('tab', { name: view })).toHaveAttribute('aria-selected', 'true');
    await page.getByRole('tab', { name: 'Status' }).click();
    await expect.element(page.getByRole('tab', { name: 'Status' })).toHaveAttribute('aria-selected', 'true');
    return addressStore.getState().values.run;
  };
  changeAddress({ tab: 'backtest', view: 'optimization', run: 'a-study' });
  expect(await leave('Optimization')).toBeUndefined();
  changeAddress({ tab: 'backtest', view: null, run: 'a-run' });
  expect(await leave('Runner')).toBe('a-run');
});

test('the charts name the library that draws them', async () => {
  await open('/', 'trader');
  const link = page.getByRole('link', { name: 'Charts by TradingView Lightweight Charts' });
  await expect.element(link).toHaveAttribute('href', 'https://www.tradingview.com/');
});

test('the first page of an investor begins with what the fund made this month, and its statement', async () => {
  await open('/', 'investor');
  const statement = page.getByRole('link', { name: 'Download Statement' });
  await expect.element(statement).toBeVisible();
  const month = new Date().toISOString().slice(0, 7);
  await expect.element(statement).toHaveAttribute('href', `/api/profits/statement?month=${month}`);
  const fleet = page.getByRole('region', { name: 'Fleet', exact: true });
  await expect.element(fleet).toBeVisible();
  expect(statement.element().getBoundingClientRect().top).toBeLessThan(fleet.element().getBoundingClientRect().top);
  await cleanup();
  await open('/', 'trader');
  await expect.element(fleet).toBeVisible();
  expect(statement.elements()).toEqual([]);
});
