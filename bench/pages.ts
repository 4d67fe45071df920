// How soon a person can work with Status and Bots where 200 bots run: after a reload, and after the press of the tab. What it costs
// in processor time depends less on what else the machine does.
import type { Page } from '@playwright/test';
import { chromium } from '@playwright/test';
import { loadavg } from 'node:os';
import { quantile, row } from './support/figures.ts';
import { password, startProduct } from './support/product.ts';
import { familyCpuMs } from './support/processor-time.ts';

const rounds = Number(process.env['TIMES'] ?? 9);
const bots = Number(process.env['BOTS'] ?? 200);
const product = await startProduct({ bots, people: 1 });
const server = await chromium.launchServer({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});
try {
  const browser = await chromium.connect(server.wsEndpoint());
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const tab = (name: string) => page.getByRole('tablist', { name: 'Dashboard' }).getByRole('tab', { name, exact: true });
  await page.goto(`${product.url}/login`);
  await page.getByLabel('Email').fill('p0@example.com');
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign In', exact: true }).click();
  await statusUsable(page);

  const reload = () => page.reload({ waitUntil: 'commit' });
  const openStatus = () => tab('Status').click();
  const openBots = () => tab('Bots').click();
  await figure(page, 'Status after a reload', reload, statusUsable);
  await figure(page, 'Bots after the press of its tab', openBots, botsUsable, () => openStatus().then(() => statusUsable(page)));
  await figure(page, 'Status after the press of its tab', openStatus, statusUsable, () => openBots().then(() => botsUsable(page)));
  await openBots();
  await figure(page, 'Bots after a reload', reload, botsUsable);
  await browser.close();
} finally {
  await server.close();
  await product.stop();
}

async function figure(
  page: Page,
  name: string,
  open: () => Promise<unknown>,
  usable: (page: Page) => Promise<void>,
  before: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const [took, cpu]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    await before();
    await page.waitForTimeout(1_000);
    const used = familyCpuMs(server.process().pid ?? 0);
    const began = performance.now();
    await open();
    await usable(page);
    took.push(performance.now() - began);
    cpu.push(familyCpuMs(server.process().pid ?? 0) - used);
  }
  const [half, longest, most] = [quantile(took, 0.5), Math.max(...took), quantile(cpu, 0.5)].map(Math.round);
  row(`${name}, ${bots} bots, median / longest of ${rounds}`, `${half} / ${longest} ms`, `under 1 s; load ${loadavg()[0]?.toFixed(1)}`);
  row('  processor time of the browser, median', `${most} ms`, 'under 1 s');
}

/** The line of the chosen bot stands, its chart is drawn, the rows of the bots stand, and the choice of a bot answers. */
async function statusUsable(page: Page): Promise<void> {
  await page.getByText(/^Win Rate: /u).waitFor();
  await page.locator('canvas').first().waitFor();
  await page.getByRole('table', { name: 'Fleet' }).locator('tbody tr').nth(5).waitFor();
  await page.getByRole('combobox', { name: 'Bot', exact: true }).click({ trial: true });
}

/** The cards stand, and the button of a new bot answers. */
async function botsUsable(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New Bot' }).click({ trial: true });
  await page.locator('.bot-card').nth(5).waitFor();
}
