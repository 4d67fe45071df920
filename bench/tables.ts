// Long lists in a browser: how long the longest frame takes while they are scrolled, and how soon a key in the filter is painted.
import { chromium } from '@playwright/test';
import type { Page } from '@playwright/test';
import { sql } from 'kysely';
import { framesDuring, keyToPaint, watchFrames } from './support/frames.ts';
import { quantile, row } from './support/figures.ts';
import { addLongUse } from './support/many-trades.ts';
import { password, startProduct } from './support/product.ts';

const bots = Number(process.env['BOTS'] ?? 2_000);
const product = await startProduct({
  bots: 200,
  people: 1,
  seed: async (db, passwordHash) => {
    await addLongUse(db, { traders: 200, bots, trades: 20_000, days: 200 }, passwordHash);
    // One bot has a table of a thousand trades.
    await sql`update trades set bot_id = (select id from bots where mode = 'paper' order by nickname limit 1)
      where id in (select id from trades where mode = 'paper' and status = 'closed' limit 1500)`.execute(db);
  },
});
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
  const { rows } = await sql<{ id: string }>`select id from bots where mode = 'paper' order by nickname limit 1`.execute(product.db);
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${product.url}/login`);
  await page.getByLabel('Email').fill('p0@example.com');
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign In', exact: true }).click();
  await page.getByRole('tab', { name: 'Bots' }).first().waitFor();
  const open = async (search: string, until: () => Promise<unknown>): Promise<void> => {
    await page.goto(`${product.url}/${search}`);
    await until();
    await page.waitForTimeout(3_000); // what is loaded once has been
    await watchFrames(page);
  };

  await open('?tab=bot_control', () => page.locator('.bot-card').first().waitFor());
  await scrolled(page, `the list of ${bots} bots, its first cards`, 'main, body');
  const search = page.getByLabel('Search bots');
  await search.focus();
  await filtered(page, `the list of ${bots} bots, a key in the search`, ['1', '2', 'Backspace', 'Backspace']);
  for (let i = 0; i < 9; i++) await page.getByRole('button', { name: 'Show More' }).click(); // thirty more each time
  await page.waitForTimeout(1_000);
  await scrolled(page, '  with 300 cards', 'main, body');
  await search.focus();
  await filtered(page, '  a key in the search, with 300 cards', ['1', '2', 'Backspace', 'Backspace']);

  await open('?tab=status', () => page.getByRole('button', { name: /^Show all/u }).waitFor());
  await page.getByRole('button', { name: /^Show all/u }).click();
  await page.waitForTimeout(3_000);
  await scrolled(page, `the fleet of ${bots} bots`, '.fleet-scroll');

  await open('?tab=paper_trades', () => page.locator('.paper-table tbody tr').nth(2).waitFor());
  await scrolled(page, '1,000 paper trades', '.paper-scroll');

  await open(`?tab=bot_control&view=trades&bot=${rows[0]?.id}`, () => page.locator('.fl-table tbody tr').nth(2).waitFor());
  await scrolled(page, '1,000 trades of a bot', '.fl-table-scroll');
} finally {
  await browser.close();
  await product.stop();
}

/** Turns the wheel over a list for some seconds, down and up again. */
async function scrolled(page: Page, what: string, list: string): Promise<void> {
  const box = await page.locator(list).first().boundingBox();
  await page.mouse.move((box?.x ?? 0) + 200, Math.min((box?.y ?? 0) + 120, 700));
  const frames = await framesDuring(page, async () => {
    for (let i = 0; i < 80; i++) {
      await page.mouse.wheel(0, i < 50 ? 400 : -400);
      await page.waitForTimeout(50);
    }
  });
  const longest = Math.max(...frames);
  row(
    `${longest > 50 ? 'MISSED ' : ''}${what}, frames while scrolling`,
    `${quantile(frames, 0.5).toFixed(0)} / ${quantile(frames, 0.99).toFixed(0)} / ${longest.toFixed(0)} ms`,
    'p50, p99, longest: under 50 ms',
  );
}

/** Presses keys one after the other. */
async function filtered(page: Page, what: string, keys: readonly string[]): Promise<void> {
  const took: number[] = [];
  for (let round = 0; round < 4; round++) for (const key of keys) took.push(await keyToPaint(page, key));
  const longest = Math.max(...took);
  row(
    `${longest > 100 ? 'MISSED ' : ''}${what}, until it is painted`,
    `${quantile(took, 0.5).toFixed(0)} / ${longest.toFixed(0)} ms`,
    'median, longest: under 100 ms',
  );
}
