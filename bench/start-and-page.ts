// How long a second start takes, and how heavy and how quick the page is.
import type { Page } from '@playwright/test';
import { chromium } from '@playwright/test';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PrintedAccount } from '../test/e2e/product.ts';
import { startProduct } from '../test/e2e/product.ts';
import { withoutRest } from '../test/support/without-rest.ts';
import { quantile, row } from './support/figures.ts';
import { loadedScripts } from './support/loaded-scripts.ts';

const port = 3931;
const rounds = 5;
const home = mkdtempSync(join(tmpdir(), 'flotilla-bench-'));
chmodSync(home, 0o755);
type Account = Pick<PrintedAccount, 'email' | 'password'>;
const url = `http://127.0.0.1:${port}`;

try {
  const first = await startProduct({ home, port });
  const account = first.accounts[0] ?? { email: '', password: '' }; // whose bots the page shows
  await first.stop();
  const starts: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    const starting = startProduct({ home, port });
    while (
      !(await fetch(`${url}/api/system/status`)
        .then((reply) => reply.ok)
        .catch(() => false))
    )
      await sleep(10);
    starts.push(performance.now() - began);
    const product = await starting;
    if (round === rounds - 1) await measurePage(account);
    await product.stop();
  }
  row(`second start to the first answer, median of ${rounds}`, `${(quantile(starts, 0.5) / 1000).toFixed(2)} s`, 'under 3 s');
} finally {
  rmSync(home, { recursive: true, force: true });
}

async function measurePage(account: Account): Promise<void> {
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  const usable: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const page = await (await browser.newContext()).newPage();
    const began = performance.now();
    await page.goto(`${url}/login`, { waitUntil: 'commit' });
    await page.getByRole('button', { name: 'Sign In', exact: true }).click({ trial: true });
    usable.push(performance.now() - began);
    await page.close();
  }
  await measureScripts(await browser.newPage(), account);
  await browser.close();
  row(`sign-in page usable, cold cache, median of ${rounds}`, `${quantile(usable, 0.5).toFixed(0)} ms`, 'under 1 s');
}

/** A tab loads its own part when it is first opened: what a person waits for is what is loaded until the first pages stand. */
async function measureScripts(page: Page, { email, password }: Account): Promise<void> {
  await withoutRest(page);
  await page.goto(`${url}/login`);
  await page.getByRole('button', { name: 'Sign In', exact: true }).waitFor();
  await page.waitForLoadState('networkidle');
  rows('sign-in page', await loadedScripts(page), 'under 160 kB');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign In', exact: true }).click();
  await page.getByText(/^Win Rate: /u).waitFor();
  await sleep(5_000); // the chart
  rows('Status after it, with the sign-in', await loadedScripts(page), 'under 300 kB');
}

function rows(name: string, { files, sent, gzip }: Awaited<ReturnType<typeof loadedScripts>>, promised: string): void {
  row(`JavaScript of the ${name}, ${files} files, gzip`, `${(gzip / 1000).toFixed(0)} kB`, promised);
  row('  as sent', `${(sent / 1000).toFixed(0)} kB`, 'no promise');
}
