import type { ConsoleMessage, Page } from '@playwright/test';
import { expect, test } from '@playwright/test';
import { choose, moveTo, signIn, signUp } from './people.ts';
import { expectToast } from './toasts.ts';

/** Whether it is about the report of a day that has just begun (UTC): there may be none before the snapshots of its first hour. */
function isOfNewDay(message: ConsoleMessage): boolean {
  const now = new Date();
  const report = `/api/reports/${now.toISOString().slice(0, 10)}`;
  const isOfReport = message.location().url.includes(report) || message.text().includes('No report data available for the date.');
  return now.getUTCHours() * 60 + now.getUTCMinutes() < 75 && isOfReport;
}

/** Notes what no screen may do: log an error, or get an answer that is none. A session check before the sign-in may be refused. */
function watchFaults(page: Page): string[] {
  const faults: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('401') && !isOfNewDay(message)) faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('response', (response) => {
    if (response.status() >= 500) faults.push(`${response.status()} ${response.url()}`);
  });
  return faults;
}

const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true }).first();

test('GEN-01, GEN-02, GEN-05, GEN-06, GEN-09 a stranger registers, creates a paper bot, starts, pauses and stops it', async ({ page }) => {
  const faults = watchFaults(page);
  await signUp(page, 'a walk along the quay');
  await tab(page, 'Bots').click();
  await tab(page, 'Configure Bot').click();
  await page.getByLabel('Nickname').fill('First of mine');
  await choose(page, 'Exchange', 'Sandbox');
  await choose(page, 'Strategy', 'EMA cross');
  await choose(page, 'Market Type', 'spot');
  await expect(page.getByRole('combobox', { name: 'Trading Mode' })).toHaveValue('paper');
  await choose(page, 'Stake Currency', 'USDT');
  await page.getByLabel('Stake Amount').fill('50');
  await page.getByRole('combobox', { name: 'Trading Pairs' }).click();
  await page.getByRole('option', { name: 'SOL/USDT', exact: true }).click();
  await page.keyboard.press('Escape');
  await expectToast(page, 'Bot created successfully', () => page.getByRole('button', { name: 'Create Bot' }).click());

  await page.getByRole('tab', { name: 'Bots', exact: true }).nth(1).click();
  const card = page.getByRole('article').filter({ hasText: 'First of mine' });
  await expect(card).toContainText('paper');
  for (const [action, state] of [
    ['Activate', 'active'],
    ['Pause', 'paused'],
    ['Activate', 'active'],
  ] as const) {
    await card.getByRole('button', { name: action }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click();
    await expect(card.getByText(state, { exact: true })).toBeVisible();
  }
  expect(faults).toEqual([]);
});

/** What each role finds: every tab it has, with what must be seen there. */
const seen: Record<string, (page: Page) => ReturnType<Page['locator']>> = {
  Status: (page) => page.getByRole('figure').first(),
  Strategy: (page) => page.getByRole('region', { name: 'Strategy Performance' }),
  Bots: (page) => page.getByRole('article').first(),
  Backtest: (page) => page.getByRole('button', { name: 'Run Backtest' }),
  Reports: (page) => page.getByRole('link', { name: 'Download PDF' }),
  Fund: (page) => page.getByRole('tab', { name: 'Fund Overview' }),
  'Paper Trades': (page) => page.getByRole('table').first(),
  Settings: (page) => page.getByRole('heading', { name: 'User Management' }),
};
const forAll = ['Status', 'Strategy', 'Bots', 'Backtest', 'Reports'];
const allTabs = [...forAll, 'Fund', 'Paper Trades', 'Settings'];

for (const [role, tabs] of [
  ['investor', forAll],
  ['trader', forAll],
  ['operator', forAll],
  ['admin', allTabs],
] as const) {
  test(`GEN-03, GEN-04, GEN-07, GEN-08 what a person with the role ${role} finds`, async ({ page }) => {
    const faults = watchFaults(page);
    await signIn(page, role);
    expect(await page.getByRole('tablist').first().getByRole('tab').allTextContents()).toEqual(tabs);
    for (const name of tabs) {
      await tab(page, name).click();
      await expect(seen[name]?.(page) ?? page, name).toBeVisible();
    }
    // No bot is chosen: of a bot of their own operators see the views too.
    await moveTo(page, '/?tab=bot_control');
    await expect(page.getByRole('article').first()).toBeVisible();
    const views = ['Bots', 'Configure Bot', 'Trades', 'PNL'];
    const subTabs = await page.getByRole('tab').allTextContents();
    expect(subTabs.filter((name) => views.includes(name)).slice(1)).toEqual(role === 'trader' || role === 'admin' ? views : ['Bots']);
    if (role === 'trader' || role === 'admin') {
      if (role === 'admin') await page.getByRole('radiogroup', { name: 'Whose bots' }).getByText('All', { exact: true }).click();
      await page
        .getByRole('article')
        .filter({ hasText: 'Morning Cross' })
        .getByRole('button', { name: 'Morning Cross', exact: true })
        .click();
      await tab(page, 'Trades').click();
      await expect(page.getByRole('table', { name: 'Trades' }).getByRole('row').nth(1)).toContainText('/USDT');
      await tab(page, 'PNL').click();
      await expect(page.getByRole('table', { name: 'PNL Snapshots' }).getByRole('row').nth(1)).toContainText('$');
    }
    expect(faults).toEqual([]);
  });
}
