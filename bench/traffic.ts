// What an open Status page costs on the wire: every byte of its connections, requests and answers with their headers.
import { chromium } from '@playwright/test';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProduct } from '../test/e2e/product.ts';
import { startCountingProxy } from './support/counting-proxy.ts';
import { row } from './support/figures.ts';

const port = 3935;
const seconds = Number(process.env['SECONDS_EACH'] ?? 60);
const home = mkdtempSync(join(tmpdir(), 'flotilla-bench-'));
chmodSync(home, 0o755);
const product = await startProduct({ home, port });
const [{ email, password } = { email: '', password: '' }] = product.accounts; // those of the demonstration, whose bots the page shows
const proxy = await startCountingProxy(port);
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
});
try {
  const page = await browser.newPage();
  const calls: string[] = [];
  page.on('request', (request) => calls.push(new URL(request.url()).pathname));
  await page.goto(`http://127.0.0.1:${proxy.port}/login`);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign In', exact: true }).click();
  await page.getByText(/^Win Rate: /u).waitFor();
  await sleep(15_000); // all that is loaded once has been, with what is loaded at rest after ten seconds
  calls.length = 0;
  const before = proxy.bytes();
  await sleep(seconds * 1_000);
  const after = proxy.bytes();
  const perHour = (bytes: number): string => `${((bytes * 3_600) / seconds / 1e6).toFixed(2)} MB/h`;
  const [sent, received] = [after.sent - before.sent, after.received - before.received];
  row(`an open Status page, ${seconds} s, all bytes`, perHour(sent + received), 'under 1.5 MB/h');
  row('  of it requests / answers', `${perHour(sent)} / ${perHour(received)}`, 'no promise');
  row('  calls a minute', String(Math.round((calls.length * 60) / seconds)), 'under 30');
  for (const path of new Set(calls)) row(`    ${path}`, String(calls.filter((call) => call === path).length), 'no promise');
} finally {
  await browser.close();
  proxy.close();
  await product.stop();
  rmSync(home, { recursive: true, force: true });
}
