import { expect, test } from '@playwright/test';
import { choose, signIn } from './people.ts';

test('a long backtest says what it is doing and is cancelled; the list keeps it, and it is filled in again', async ({ page }) => {
  await signIn(page, 'trader', '/?tab=backtest');
  await choose(page, 'Strategy', 'EMA cross');
  await choose(page, 'Exchange', 'Sandbox');
  await choose(page, 'Timeframe', '1m');
  await choose(page, 'Data Period', '1 Year');
  await page.getByRole('combobox', { name: 'Symbol' }).fill('sol/usdt');
  await page.getByRole('button', { name: 'Run Backtest' }).click();
  // The last days may be there already: the chart and other runs keep candles too.
  await expect(page.getByText(/^Downloading candles \d{4}-\d{2} \(\d+ of 3\d\d days\)/u)).toBeVisible();
  await page.getByRole('button', { name: 'Cancel Backtest' }).click();
  await expect(page.getByText('Ready to run backtest')).toBeVisible();
  const row = page.getByRole('table', { name: 'Earlier Runs' }).getByRole('row').filter({ hasText: 'SOL/USDT:USDT' });
  await expect(row.getByRole('cell', { name: 'cancelled' })).toBeVisible();

  // The next run may begin at once, with the same settings but for the period.
  await choose(page, 'Timeframe', '1h');
  await row.getByRole('button', { name: /^Run again/u }).click();
  await expect(page.getByRole('combobox', { name: 'Timeframe' })).toHaveValue('1m');
  await choose(page, 'Timeframe', '15m');
  await choose(page, 'Data Period', '7 Days');
  await page.getByRole('button', { name: 'Run Backtest' }).click();
  await expect(page.getByText('Backtest over 7 days on Sandbox')).toBeVisible();
  await expect(page).toHaveURL(/[?&]run=/u);
  await page.reload();
  await expect(page.getByText('Backtest over 7 days on Sandbox')).toBeVisible();
  await expect(page.getByRole('combobox', { name: 'Data Period' })).toHaveValue('7 Days');
});
