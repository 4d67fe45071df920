import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { replayYesterday } from './certified-day.ts';
import { takeSession } from './people.ts';

test('ADD-certificate an admin has a day replayed, reads what of the promise arrived, replays it again, and takes it along as a PDF', async ({
  page,
}) => {
  await takeSession(page, 'admin');
  const day = await replayYesterday(page, 'Amber Band');
  const checks = page.getByRole('region', { name: 'Checks' });
  // The past of the demonstration was made by the backtester itself.
  await expect(page.getByText(/Both are equal to the last decimal\.$/u)).toBeVisible();
  await expect(checks.getByText(/^\s*(\d+) of \1$/u)).toBeVisible(); // trades
  const rows = page.getByRole('table', { name: 'Trades of the day' }).getByRole('row');
  await expect(rows.nth(1).getByRole('cell').last()).toHaveText('equal');
  await expect(page.getByRole('figure', { name: 'From the backtest to the account' }).getByRole('listitem')).toHaveCount(9);

  const fingerprint = checks.locator('code');
  const before = await fingerprint.textContent();
  await page.getByRole('button', { name: 'Replay Again' }).click();
  await expect(page.getByRole('button', { name: 'Replay Again' })).toBeEnabled();
  await expect(fingerprint).toHaveText(before ?? '');

  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download PDF' }).click()]);
  expect(download.suggestedFilename()).toBe(`certificate_${day}.pdf`);
  expect(
    readFileSync(await download.path())
      .subarray(0, 5)
      .toString(),
  ).toBe('%PDF-');

  await page.getByRole('button', { name: 'Previous day' }).click();
  const date = page.getByLabel('Date', { exact: true });
  await expect(date).not.toHaveValue(day);
  await expect(page).toHaveURL(new RegExp(`day=${await date.inputValue()}`, 'u')); // the history follows the page by a moment
  await page.goBack();
  await expect(date).toHaveValue(day);

  // Also where the page has chosen the bot, and the first press puts it into the address.
  await page.goto('/?tab=reports&view=certificates');
  await expect(date).not.toHaveValue('');
  const newest = await date.inputValue();
  await page.getByRole('button', { name: 'Previous day' }).click();
  await expect(date).not.toHaveValue(newest);
  await expect(page).toHaveURL(new RegExp(`day=${await date.inputValue()}`, 'u'));
  await page.goBack();
  await expect(date).toHaveValue(newest);
});

test('a trader sees the certificates of own bots alone, an investor none', async ({ page }) => {
  await takeSession(page, 'trader');
  await page.goto('/?tab=reports&view=certificates');
  await page.getByRole('combobox', { name: 'Bot' }).click();
  const options = page.getByRole('option');
  await expect(options.first()).toBeVisible();
  const names = await options.allTextContents();
  const bots = (await (await page.request.get('/api/bots')).json()) as { nickname: string; email: string }[];
  expect(names.toSorted()).toEqual(
    bots
      .filter(({ email }) => email === 'trader@flotilla.example')
      .map(({ nickname }) => nickname)
      .toSorted(),
  );
  await page.keyboard.press('Escape');
  await takeSession(page, 'investor');
  await page.goto('/?tab=reports&view=certificates');
  await expect(page.getByRole('tab', { name: 'Daily Report' })).toBeVisible();
  await expect(page.getByRole('tab', { name: 'Certificates' })).toHaveCount(0);
});
