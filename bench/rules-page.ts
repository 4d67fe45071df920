/**
 * How long it takes from an edit of rules to its new equity on the screen: 90 days of 5m, replayed in a worker of a real browser, beside the
 * running product. Promised: 95 of 100 below 300 ms. Each edit is a key pressed in a field, one after the other.
 *
 * Usage: node bench/rules-page.ts (after npm run build)
 */
import type { Page } from '@playwright/test';
import { chromium } from '@playwright/test';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProduct } from '../test/e2e/product.ts';
import { chromium as launchOptions } from '../test/support/chromium.ts';
import { quantile, row } from './support/figures.ts';

const port = 3937;
const edits = Number(process.env['EDITS'] ?? 60);
const home = mkdtempSync(join(tmpdir(), 'flotilla-bench-'));
chmodSync(home, 0o755);
const measured = 'rules: edit to equity';

/** Rules to edit, and the field in which it is done: one with few trades, and one with hundreds. */
const cases = [
  { template: 'RSI reversal', field: 'Value of oversold' },
  { template: 'EMA cross', field: 'Value of fastPeriod' },
];

try {
  const product = await startProduct({ home, port });
  try {
    const { email, password } = product.accounts.find(({ role }) => role === 'trader') ?? { email: '', password: '' };
    const browser = await chromium.launch(launchOptions);
    const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
    await page.request.post(`http://127.0.0.1:${port}/api/auth/login`, { data: { email, password } });
    for (const { template, field } of cases) await measure(page, template, field);
    await browser.close();
    console.log(`load of the machine meanwhile: ${loadavg()[0]?.toFixed(1)}`);
  } finally {
    await product.stop();
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}

async function measure(page: Page, template: string, field: string): Promise<void> {
  await page.goto(`http://127.0.0.1:${port}/?tab=strategy&view=rules&strategy=new`);
  await page.getByRole('button', { name: `Start from this: ${template}` }).click();
  await page.getByRole('table', { name: 'Figures' }).waitFor();
  // Against a saved version, whose trades are compared with those of each draft.
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText(/^version 1 of/u).waitFor();
  const input = page.getByRole('textbox', { name: field });
  await input.focus();
  const times: number[] = [];
  for (let i = -5; i < edits; i++) {
    const before = await page.evaluate((name) => performance.getEntriesByName(name).length, measured);
    await page.keyboard.press(i % 2 === 0 ? 'ArrowUp' : 'ArrowDown');
    await page.waitForFunction(([name, count]) => performance.getEntriesByName(name).length > count, [measured, before] as const);
    const took = await page.evaluate((name) => performance.getEntriesByName(name).at(-1)?.duration ?? Number.NaN, measured);
    if (i >= 0) times.push(took); // the first ones compile
    // What each condition does is calculated meanwhile; the next edit comes as a person's would.
    await page.waitForTimeout(250 + (i % 5) * 40);
  }
  const trades = await page
    .getByRole('table', { name: 'Figures' })
    .getByRole('row')
    .filter({ hasText: 'Trades' })
    .getByRole('cell')
    .last()
    .textContent();
  row(`${template}, ${trades?.trim()} against the version, ${edits} edits, p50`, `${quantile(times, 0.5).toFixed(0)} ms`, 'no promise');
  row('  p95', `${quantile(times, 0.95).toFixed(0)} ms`, 'under 300 ms');
}
