import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, test } from '@playwright/test';
import { enterPassword, signIn } from './people.ts';
import { expectToast } from './toasts.ts';
import { patienceMs } from '../support/patience.ts';
import { withoutRest } from '../support/without-rest.ts';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'dist/web');
const files = globSync('**/*', { cwd: folder, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name));

test('the built page holds what it needs and nothing of how it was made', () => {
  expect(files.filter((file) => file.endsWith('.js')).length).toBeGreaterThan(3);
  const kinds = new Set(files.map((file) => /\.([a-z0-9]+)(?:\.(?:br|gz))?$/u.exec(file)?.[1] ?? file));
  expect([...kinds].filter((kind) => !['html', 'js', 'css', 'svg', 'woff2', 'webmanifest', 'sources'].includes(kind))).toEqual([]);
  expect(files.filter((file) => /\.map(\.|$)|\.(test|spec)\.|testing/u.test(file.slice(folder.length)))).toEqual([]);
  for (const file of files.filter((each) => /\.(js|css|html)$/u.test(each))) {
    const text = readFileSync(file, 'utf8');
    for (const word of ['sourceMappingURL', 'sourceURL=', root, 'vitest', '/@vite/', 'import.meta.hot', 'jsxDEV', 'react-dom.development'])
      expect(text.includes(word), `${file} holds ${word}`).toBe(false);
  }
});

test('no map, source or file beside the page is served', async ({ request }) => {
  const script = files.find((file) => file.endsWith('.js'))?.slice(folder.length) ?? '';
  for (const path of [
    `${script}.map`,
    '/.sources',
    '/assets/.sources',
    '/src/web/main.tsx',
    '/package.json',
    '/.git/config',
    '/assets/',
    '/assets/../index.html.map',
  ])
    expect((await request.get(path)).status(), path).toBe(404);
  expect((await request.get(script)).status()).toBe(200);
});

test('the code of the screen comes while the server is asked who is signed in', async ({ page }) => {
  await signIn(page, 'trader'); // a page that has never been open here waits for the answer
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  let answer = () => {};
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/api/auth/me', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto('/?tab=bot_control');
  for (const part of ['dashboard', 'bots-tab'])
    await expect.poll(() => asked.some((path) => new RegExp(`/assets/${part}-.*\\.js$`, 'u').test(path))).toBe(true);
  await expect(page.getByText('Loading...')).toBeVisible();
  answer();
  await expect(page.getByRole('tab', { name: 'Configure Bot' })).toBeVisible();
});

/** The scripts that a page has loaded so far, in bytes as they are stored compressed with gzip. */
async function scriptBytes(page: Page): Promise<number> {
  const scripts = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter(({ name }) => name.endsWith('.js'))
      .map(({ name }) => new URL(name).pathname),
  );
  expect(scripts.length).toBeGreaterThan(3);
  return scripts.reduce((sum, name) => sum + statSync(join(folder, `${name}.gz`)).size, 0);
}

// How long people wait at a first visit over a slow line. What is heavier here is often an import that a page does not need.
for (const role of ['admin', 'trader', 'investor'])
  test(`the sign-in page loads less than 160 kB of scripts with gzip, and with Status less than 300 kB in all: ${role}`, async ({
    page,
  }) => {
    await withoutRest(page);
    await page.goto('/login');
    await expect(page.getByRole('button', { name: 'Sign In', exact: true })).toBeVisible();
    await page.waitForLoadState('networkidle');
    expect(await scriptBytes(page)).toBeLessThan(160_000);
    await enterPassword(page, role);
    await expect(page.getByText(/^Win Rate: /u)).toBeVisible();
    await expect(page.locator('canvas').first()).toBeVisible();
    await page.waitForTimeout(3_000); // what comes after the chart, too
    expect(await scriptBytes(page)).toBeLessThan(300_000);
  });

test('what is needed only at a press is fetched with the first one, and is there once the page is at rest', async ({ page }) => {
  await signIn(page, 'trader');
  let isAway = true;
  await page.route(/\/assets\/(modal|Modal|select)-.*\.js$/u, (route) => (isAway ? route.abort() : route.continue()));
  const stopAll = page.getByRole('button', { name: 'Stop all' });
  await expectToast(page, 'This could not be opened: the server was not reachable.', () => stopAll.click());
  isAway = false;
  await stopAll.click();
  await expect(page.getByRole('dialog', { name: 'Stop All' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog', { name: 'Stop All' })).toBeHidden();
  await expect(stopAll).toBeFocused();

  let isReloaded = false;
  page.once('framenavigated', () => (isReloaded = true));
  const isSelect = (address: string) => /\/assets\/select-.*\.js$/u.test(address);
  const fetched = page.waitForResponse((response) => isReloaded && isSelect(response.url()), { timeout: patienceMs });
  await page.reload();
  await expect(page.getByText(/^Win Rate: /u)).toBeVisible();
  await (await fetched).finished();
  await expect(page.locator('canvas').first()).toBeVisible(); // the code of the chart is there, too
  await page.context().setOffline(true);
  await page.getByRole('combobox', { name: 'PnL Range' }).click();
  await expect(page.getByRole('option', { name: 'Weekly' })).toBeVisible();
  await page.context().setOffline(false);
});
