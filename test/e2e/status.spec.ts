import { expect, test } from '@playwright/test';
import { choose, enterPassword, signIn, signInAlone } from './people.ts';

test('MON-01, MON-26..29 the dashboard opens on the first bot and pair with moving candles', async ({ page }) => {
  const candles: { close: number; timestamp: number }[] = [];
  page.on('response', async (response) => {
    if (!response.url().includes('/api/chart/candles') || !response.ok()) return;
    const body = (await response.json().catch(() => null)) as { candles: { close: number; timestamp: number }[] } | null;
    const last = body?.candles.at(-1);
    if (last !== undefined) candles.push(last);
  });
  await signIn(page, 'admin');
  await expect(page.getByText(/^Win Rate: \d+\.\d% \| Trades: \d+ \| Strategy: .+$/u)).toBeVisible();
  await expect(page.locator('canvas').first()).toBeVisible();
  // MON-33: the chart is asked for every two seconds, and the market moves between.
  await expect.poll(() => new Set(candles.map(({ close }) => close)).size, { timeout: 30_000 }).toBeGreaterThan(2);
});

test('MON-33, API-16 after the first answers only what has changed travels, and the price is the same on both panels', async ({ page }) => {
  const answers: { size: number; isPartial: boolean }[] = [];
  const calls: string[] = [];
  page.on('response', async (response) => {
    const { pathname } = new URL(response.url());
    calls.push(pathname);
    if (pathname !== '/api/chart/candles' || !response.ok()) return;
    const text = await response.text().catch(() => '{}');
    answers.push({ size: text.length, isPartial: (JSON.parse(text) as { is_partial?: boolean }).is_partial === true });
  });
  await signIn(page, 'admin');
  await expect.poll(() => answers.filter(({ isPartial }) => isPartial).length, { timeout: 30_000 }).toBeGreaterThan(3);
  expect(answers.filter(({ isPartial }) => isPartial).every(({ size }) => size < 1_000)).toBe(true);
  expect(answers.filter(({ isPartial }) => !isPartial)).toHaveLength(1);
  expect(calls.filter((path) => path === '/api/chart/overlays').length).toBeLessThan(4);
  const ages = page.getByText(/^as of \d\d:\d\d:\d\d UTC$/u);
  await expect(ages).toHaveCount(2);
  await expect.poll(async () => new Set(await ages.allTextContents()).size).toBe(1);
});

test('MON-16 a row of the log opens how its trade went, and the chart shows it', async ({ page }) => {
  await signIn(page, 'admin');
  await choose(page, 'Bot', 'Morning Cross');
  await page.getByRole('table', { name: 'Order Log' }).locator('.fl-pick').nth(8).click(); // some days ago: older candles are needed
  await expect(page.getByText('Exit reason')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Latest' })).toBeVisible({ timeout: 15_000 });
  await page.getByRole('button', { name: 'Latest' }).click();
  await expect(page.getByRole('button', { name: 'Latest' })).toHaveCount(0);
});

test('MON-30, MON-32 changing bot and pair changes what is shown', async ({ page }) => {
  await signIn(page, 'admin');
  await choose(page, 'Bot', 'Morning Cross');
  await expect(page.getByText(/Strategy: EMA cross/u)).toBeVisible();
  await choose(page, 'Trading Pair', 'ETH/USDT');
  await expect(page.getByRole('cell', { name: 'ETH/USDT' }).first()).toBeVisible();
  await expect(page.getByRole('cell', { name: 'BTC/USDT', exact: true })).toHaveCount(0);
});

test('SHELL-15, SHELL-16, MON-07, MON-08 the panels come and go with their switches', async ({ page }) => {
  await signIn(page, 'trader');
  await expect(page.getByRole('heading', { name: 'PnL Overview' })).toBeVisible();
  await page.getByRole('switch', { name: 'PnL' }).click();
  await expect(page.getByRole('heading', { name: 'PnL Overview' })).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'Order Log' })).toBeVisible();
  await page.getByRole('switch', { name: 'Orders' }).click();
  await expect(page.getByRole('heading', { name: 'Order Log' })).toHaveCount(0);
});

test('SHELL-24..28 the theme follows the switch and is remembered', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await signIn(page, 'trader');
  await expect(page.locator('html')).toHaveClass(/dark/u);
  await page.getByRole('switch', { name: 'Dark' }).click();
  await expect(page.locator('html')).not.toHaveClass(/dark/u);
  expect(await page.evaluate(() => localStorage.getItem('theme'))).toBe('light');
  await page.reload();
  await expect(page.locator('html')).not.toHaveClass(/dark/u);
});

test('SHELL-21..23 admins see eight tabs, others five', async ({ page }) => {
  await signInAlone(page, 'investor');
  await expect(page.getByRole('tab')).toHaveText(['Status', 'Strategy', 'Bots', 'Backtest', 'Reports']);
  await page.getByRole('button', { name: 'Logout' }).click();
  await expect(page).toHaveURL(/\/login$/u); // its answer takes the cookies away
  await signIn(page, 'admin');
  await expect(page.getByRole('tab')).toHaveText(['Status', 'Strategy', 'Bots', 'Backtest', 'Reports', 'Fund', 'Paper Trades', 'Settings']);
});

test('the documentation of the calls lists calls and nothing else', async ({ request }) => {
  const reply = (await (await request.get('/api/openapi.json')).json()) as { paths: object };
  const paths = Object.keys(reply.paths);
  expect(paths.length).toBeGreaterThan(30);
  expect(paths.filter((path) => !path.startsWith('/api/'))).toEqual([]);
});

test('OP-19, ROLE-02 no token is readable by scripts', async ({ page, context }) => {
  await enterPassword(page, 'trader');
  expect(await page.evaluate(() => document.cookie)).toBe('');
  const stored = await page.evaluate(() => JSON.stringify(Object.entries(localStorage)));
  for (const cookie of await context.cookies()) expect(stored).not.toContain(cookie.value);
});
