import { readFileSync } from 'node:fs';
import type { Download, Page } from '@playwright/test';
import { expect, test } from '@playwright/test';
import { patienceMs } from '../support/patience.ts';
import { choose, signIn } from './people.ts';

const figure = (page: Page, name: string) =>
  page.locator('[aria-label="Figures of the range"] > div').filter({ hasText: name }).locator('dd b');

async function downloaded(page: Page, press: () => Promise<void>): Promise<{ name: string; file: Buffer }> {
  const [download]: [Download, void] = await Promise.all([page.waitForEvent('download'), press()]);
  return { name: download.suggestedFilename(), file: readFileSync(await download.path()) };
}

test('a trader sees in one press what was made this month, puts it together by pair, and takes it along as CSV and PDF', async ({
  page,
}) => {
  await signIn(page, 'trader');
  await page.getByRole('link', { name: 'Profits this month' }).click();
  await expect(figure(page, 'Net Profit')).toHaveText(/^[+-]\$\d+\.\d\d$/u);

  // Live bots of the demonstration may have closed trades by now, which come first.
  await page.goto(`${page.url()}&mode=paper`);
  await choose(page, 'Range', 'All');
  await choose(page, 'Group by', 'Pair');
  const table = page.getByRole('table', { name: 'Profits by Pair' });
  await expect(table).toBeVisible();
  const total = table.getByRole('row').last().getByRole('cell');
  // A bot may close a trade meanwhile: both are of one answer.
  await expect(async () => {
    const above = [await figure(page, 'Net Profit').textContent(), await figure(page, 'Trades').textContent()];
    expect([await total.nth(1).textContent(), await total.nth(2).textContent()]).toEqual(above);
  }).toPass({ timeout: patienceMs });
  await expect(page.getByRole('figure', { name: 'Running total of the range' })).toBeVisible();
  await expect(page.getByRole('grid', { name: /^Profit by day, \d{4}-\d\d$/u })).toBeVisible();

  const csv = await downloaded(page, () => page.getByRole('button', { name: 'CSV' }).click());
  expect(csv.name).toBe('profits_paper_USDT_pair_first_today.csv');
  const lines = csv.file.toString('utf8').trimEnd().split('\r\n');
  expect(lines.at(-1)).toMatch(/^"paper","USDT","total","","\d+","\d+","\d+","-?\d+(\.\d+)?",/u);
  const pdf = await downloaded(page, () => page.getByRole('link', { name: 'Download Statement' }).click());
  expect(pdf.name).toMatch(/^statement_\d{4}-\d\d\.pdf$/u);
  expect(pdf.file.subarray(0, 5).toString()).toBe('%PDF-');

  await page.reload(); // all that was chosen is in the address
  await expect(page.getByRole('combobox', { name: 'Group by' })).toHaveValue('Pair');
  await page.goBack();
  await expect(page.getByRole('combobox', { name: 'Group by' })).toHaveValue('Bot');
});

test('an investor finds the month of the fund with its return first', async ({ page }) => {
  await signIn(page, 'investor');
  await page.getByRole('link', { name: 'Profits this month' }).click();
  const month = page.getByRole('region', { name: 'Month of the Fund' });
  await month.getByRole('button', { name: 'Month before' }).click();
  await expect(month.getByRole('region', { name: 'paper USDT' }).getByText('Return', { exact: true })).toBeVisible();
  const pdf = await downloaded(page, () => month.getByRole('link', { name: 'Download Statement' }).click());
  expect(pdf.file.subarray(0, 5).toString()).toBe('%PDF-');
});
