import { expect, test } from '@playwright/test';
import { choose, signIn } from './people.ts';

test('a study is begun, followed to its end through a closed tab, judged, and its best fills in the form of a bot', async ({
  page,
  context,
}) => {
  await signIn(page, 'trader', '/?tab=backtest');
  await page.getByRole('tab', { name: 'Optimization' }).click();
  await choose(page, 'Strategy', 'EMA cross');
  await choose(page, 'Exchange', 'Sandbox');
  await page.getByRole('checkbox', { name: 'BTC/USDT', exact: true }).check();
  await page.getByRole('checkbox', { name: 'ETH/USDT', exact: true }).check();
  await page.getByRole('combobox', { name: 'Timeframe', exact: true }).click();
  await page.getByRole('option', { name: '1h', exact: true }).click();
  await page.getByLabel('Epochs', { exact: true }).fill('300');
  await page.getByLabel('Min Trades').fill('1');
  await page.getByLabel('Seed').fill('7');
  await page.getByRole('button', { name: 'Start Study' }).click();
  await expect(page).toHaveURL(/[?&]run=/u);
  const address = page.url();
  await expect(page.getByRole('heading', { name: 'EMA cross, 2 pairs, 1h' })).toBeVisible();
  await page.close();

  const later = await context.newPage();
  await later.goto(address);
  await expect(later.getByText('done', { exact: true })).toBeVisible();
  await expect(later.getByText('of 300, 100.0%')).toBeVisible();
  await expect(later.getByText(/^The best of [\d,]+ lucky coins would show a Sharpe of/u)).toBeVisible();
  await expect(later.getByRole('img', { name: /^Profit and drawdown of \d+ tries; the best so far made/u })).toBeVisible();
  await expect(later.getByRole('img', { name: /^Median Sharpe by/u })).toBeVisible();
  await expect(later.getByRole('img', { name: /^Lines of the best 60 tries/u })).toBeVisible();

  await later.getByRole('button', { name: 'Open Once' }).click();
  await later.getByRole('dialog').getByRole('button', { name: 'Open Once' }).click();
  await expect(later.getByText(/^There it made/u)).toBeVisible();
  await expect(later.getByText(/opened \d{4}-\d\d-\d\d \d\d:\d\d UTC by trader@flotilla\.example/u)).toBeVisible();

  const best = later.getByRole('table', { name: 'Best Tries' }).getByRole('row').nth(1);
  const settings = await best.locator('.st-settings').innerText();
  const fast = /Fast Period (\d+)/u.exec(settings)?.[1] ?? '';
  await best.getByRole('button', { name: /^Use for Bot/u }).click();
  // A bot that trades the strategy is offered beside a new one; its form is filled in, and nothing is saved yet.
  await later.getByRole('menuitem', { name: 'Morning Cross, paper' }).click();
  await expect(later).toHaveURL(/[?&]tab=bot_control/u);
  await expect(later.getByRole('textbox', { name: 'Nickname' })).toHaveValue('Morning Cross');
  await expect(later.getByText('was inherited').first()).toBeVisible();
  await expect(later.getByRole('textbox', { name: 'Fast Period' })).toHaveValue(fast);
});
