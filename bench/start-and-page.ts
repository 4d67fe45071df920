// How long a second start takes, and how heavy and how quick the page is.
import { chromium } from '@playwright/test';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProduct } from '../test/e2e/product.ts';
import { quantile, row } from './support/figures.ts';

const port = 3931;
const rounds = 5;
const home = mkdtempSync(join(tmpdir(), 'flotilla-bench-'));
chmodSync(home, 0o755);
const environment = { ADMIN_EMAIL: 'admin@example.com', ADMIN_PASSWORD: 'a long password' };
const url = `http://127.0.0.1:${port}`;

try {
  await (await startProduct({ home, port, environment })).stop();
  const starts: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    const starting = startProduct({ home, port, environment });
    while (
      !(await fetch(`${url}/api/system/status`)
        .then((reply) => reply.ok)
        .catch(() => false))
    )
      await sleep(10);
    starts.push(performance.now() - began);
    const product = await starting;
    if (round === rounds - 1) await measurePage();
    await product.stop();
  }
  row(`second start to the first answer, median of ${rounds}`, `${(quantile(starts, 0.5) / 1000).toFixed(2)} s`, 'under 3 s');
} finally {
  rmSync(home, { recursive: true, force: true });
}

const assets = join(import.meta.dirname, '../dist/web/assets');
const scripts = readdirSync(assets).filter((name) => name.endsWith('.js.gz'));
const bytes = scripts.reduce((sum, name) => sum + statSync(join(assets, name)).size, 0);
// A tab loads its own part when it is first opened: what a person waits for is that of the first page after the sign-in.
row(`all JavaScript of the page, ${scripts.length} files, gzip`, `${(bytes / 1000).toFixed(0)} kB`, 'no promise');
const entry = /assets\/(index-[\w-]+\.js)/u.exec(readFileSync(join(assets, '../index.html'), 'utf8'))?.[1] ?? '';
row('of it for the sign-in page', `${(statSync(join(assets, `${entry}.gz`)).size / 1000).toFixed(0)} kB`, 'no promise');

async function measurePage(): Promise<void> {
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
  await browser.close();
  row(`sign-in page usable, cold cache, median of ${rounds}`, `${quantile(usable, 0.5).toFixed(0)} ms`, 'under 1 s');
}
