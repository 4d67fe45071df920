import { expect, test } from '@playwright/test';
import { choose, enterPassword, signIn, signInAlone } from './people.ts';

test('MON-01, MON-26..29 the dashboard opens on the first bot and pair with moving candles', async ({ page }) => {
  await signIn(page, 'admin');
  await expect(page.getByText(/^Win Rate: \d+\.\d% \| Trades: \d+ \| Strategy: .+$/u)).toBeVisible();
  await expect(page.locator('canvas').first()).toBeVisible();
  // MON-33: the chart is as of two seconds ago at most, and the market moves between.
  const prices = new Set<string>();
  const price = page.locator('.mon-price strong');
  await expect.poll(async () => prices.add(await price.innerText()).size).toBeGreaterThan(2);
});

test('MON-33, API-16 after the first answers what changes comes line by line: few calls, and the same price on both panels', async ({
  page,
}) => {
  const calls: string[] = [];
  page.on('request', (request) => calls.push(new URL(request.url()).pathname));
  await signIn(page, 'admin');
  const of = (path: string) => calls.filter((each) => each === path);
  const ofServer = () => calls.filter((path) => path.startsWith('/api/')).length;
  await expect.poll(() => of('/api/status/follow').length).toBeGreaterThan(0);
  const seen = new Set<string>();
  let from = 0;
  const begin = async () => {
    // All that is loaded once has been; a page that asks for its candles by itself is never so long at rest.
    for (let known = -1; known < ofServer(); await page.waitForTimeout(3_000)) known = ofServer();
    calls.length = 0;
    seen.clear();
    from = Date.now();
  };
  await begin();
  while (Date.now() - from < 20_000 || seen.size <= 6) {
    seen.add(await page.locator('.mon-price').innerText()); // a price, and its time, every two seconds
    await page.waitForTimeout(1_000);
    // Where a line is late the page asks by itself, as it should, and follows again. What it does while it follows is seen from then on.
    if (of('/api/chart/candles').length > 0) await expect.poll(() => of('/api/status/follow').length).toBeGreaterThan(0);
    if (of('/api/status/follow').length > 0) await begin();
  }
  expect(of('/api/chart/candles')).toEqual([]);
  expect(ofServer()).toBeLessThan((30 * (Date.now() - from)) / 60_000); // below 30 a minute
  const ages = page.getByText(/^as of \d\d:\d\d:\d\d UTC$/u);
  await expect(ages).toHaveCount(2);
  await expect.poll(async () => new Set(await ages.allTextContents()).size).toBe(1);
});

test('MON-16 a row of the log opens how its trade went, and the chart shows it', async ({ page }) => {
  await signIn(page, 'admin');
  await choose(page, 'Bot', 'Morning Cross');
  await page.getByRole('table', { name: 'Order Log' }).locator('.fl-pick').nth(8).click(); // some days ago: older candles are needed
  await expect(page.getByText('Exit reason')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Latest' })).toBeVisible();
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
