import type { Page } from '@playwright/test';
import { expect, test } from '@playwright/test';
import { choose, signUp } from './people.ts';
import { expectToast } from './toasts.ts';

const figure = (page: Page, name: string) =>
  page
    .getByRole('table', { name: 'Figures' })
    .getByRole('row')
    .filter({ has: page.getByText(name, { exact: true }) })
    .getByRole('cell')
    .nth(1);

test('rules begin as a template, show what each edit does, give the figures of the server, and trade on paper', async ({ page }) => {
  await signUp(page, 'a rule for every dip', '/?tab=strategy');
  await page.getByRole('tab', { name: 'Rules' }).click();
  await expect(page.getByRole('heading', { name: 'No rules of your own yet' })).toBeVisible();
  await choose(page, 'Trading mode', 'spot');
  await choose(page, 'Days', '7 days of 5m');
  await page.getByRole('button', { name: 'Start from this: RSI reversal' }).click();
  await expect(figure(page, 'Trades')).toHaveText(/^\d+$/u);

  await page.getByRole('textbox', { name: 'Stop loss, below the entry' }).fill('2.5');
  await expect(page.getByText(/Leave in any case by stop at -2\.50%/u)).toBeVisible();
  await expectToast(page, 'RSI reversal is saved, for you alone', () => page.getByRole('button', { name: 'Save', exact: true }).click());
  const id = new URL(page.url()).searchParams.get('strategy') ?? '';

  // A change against the saved version, which a reload keeps.
  await page.getByRole('textbox', { name: 'Stop loss, below the entry' }).fill('2');
  await expect(page.getByText('draft of version 2')).toBeVisible();
  await expect(page.getByRole('table', { name: 'Figures' }).getByText('Difference')).toBeVisible();
  await page.reload();
  await expect(page.getByText('draft of version 2')).toBeVisible();
  await expectToast(page, 'Saved as version 2', () => page.getByRole('button', { name: 'Save as version 2' }).click());

  // The server's backtest of what is saved gives the same; a candle may close between the two, then both are made again.
  await expect(async () => {
    await page.reload();
    await expect(figure(page, 'Trades')).toHaveText(/^\d+$/u);
    const body = { strategy_id: id, exchange: 'Sandbox', symbol: 'BTC/USDT', trading_mode: 'spot', timeframe: '5m', days: 7 };
    const answer = await page.request.post('/api/backtest/run', {
      headers: { origin: new URL(page.url()).origin },
      data: { ...body, stake_amount: 300, max_open_trades: 1 },
    });
    expect(answer.status(), await answer.text()).toBe(200);
    const { metrics } = (await answer.json()) as { metrics: { total_trades: number; net_pnl: number } };
    const pnl = `${metrics.net_pnl < 0 ? '-' : '+'}$${Math.abs(metrics.net_pnl).toFixed(2)}`;
    expect([await figure(page, 'Trades').textContent(), await figure(page, 'Net PNL').textContent()]).toEqual([
      String(metrics.total_trades),
      pnl,
    ]);
  }).toPass();

  await page.getByRole('button', { name: 'Use for a bot' }).click();
  await expect(page.getByRole('combobox', { name: 'Strategy' })).toHaveValue('RSI reversal');
  await page.getByLabel('Nickname').fill('Rule Bot');
  await expectToast(page, 'Bot created successfully', () => page.getByRole('button', { name: 'Create Bot' }).click());
  await page.getByRole('tab', { name: 'Bots', exact: true }).nth(1).click();
  const card = page.getByRole('article').filter({ hasText: 'Rule Bot' });
  await expect(card).toContainText('version 2');
  await card.getByRole('button', { name: 'Activate' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click();
  await expect(card.getByText('active', { exact: true })).toBeVisible();

  // The bot keeps its version until a press takes the next one to it.
  await page.getByRole('tab', { name: 'Strategy' }).click();
  await page.getByRole('tab', { name: 'Rules' }).click();
  await page.getByRole('textbox', { name: 'Stop loss, below the entry' }).fill('3');
  await expect(page.getByText('Rule Bot keeps version 2 until somebody takes version 3 to it')).toBeVisible();
  await page.getByRole('button', { name: 'Save as version 3' }).click();
  await page.getByRole('button', { name: 'What differs' }).click();
  await expect(page.getByRole('list', { name: 'What differs' }).getByText('-3.00%')).toBeVisible();
  await expectToast(page, 'Rule Bot runs version 3 from the next candle on', () =>
    page.getByRole('button', { name: 'Take version 3 for Rule Bot' }).click(),
  );
});
