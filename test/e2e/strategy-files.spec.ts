import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { strategyText } from '#strategy-process/testing/strategy-text.ts';
import { account, signIn } from './people.ts';
import { expectToast } from './toasts.ts';

test('a file put into the folder is a strategy that a bot decides by; broken it says why; a newer version is taken with one press', async ({
  page,
}) => {
  const folder = join(process.env['E2E_HOME'] ?? '', 'strategies');
  mkdirSync(folder, { recursive: true });
  const named = (compute = ''): string =>
    strategyText({ compute }).replace(`name: 'Above'`, `name: 'Shown'`).replace(`title: 'Above the average'`, `title: 'Shown rises'`);
  writeFileSync(join(folder, 'shown.ts'), named());

  await signIn(page, 'admin', '/?tab=strategy');
  await page.getByRole('tab', { name: 'Files' }).click();
  const row = page.getByRole('listitem', { name: 'shown.ts' });
  await expect(row.getByText('ready', { exact: true })).toBeVisible();
  await expect(row.getByText('Shown rises')).toBeVisible();

  const { strategies } = (await (await page.request.get('/api/strategies')).json()) as {
    strategies: { id: string; strategy_class_name: string }[];
  };
  const strategyId = strategies.find((each) => each.strategy_class_name === 'Shown')?.id ?? '';
  const headers = { origin: new URL(page.url()).origin };
  const made = await page.request.post('/api/bots/create', {
    headers,
    data: {
      strategy_id: strategyId,
      exchange_id: 'sandbox',
      margin_mode: 'spot',
      stake_currency: 'USDT',
      stake_amount: 100,
      max_open_trades: 1,
      leverage: 1,
      trading_pairs: ['BTC/USDT'],
      leverage_mode: 'isolated',
      mode: 'paper',
      nickname: 'Shown Bot',
      user_email: account('admin').email,
      own_settings: { timeframe: '1m' },
    },
  });
  expect(made.status(), await made.text()).toBe(201);
  const { id } = (await made.json()) as { id: string };
  await page.request.post(`/api/bots/${id}/toggle?status=active`, { headers }).catch(() => undefined);
  await page.getByRole('tab', { name: 'Bots' }).first().click();
  const card = page.getByRole('article').filter({ hasText: 'Shown Bot' });
  await expect(card.getByText(', version 1')).toBeVisible();
  const activate = card.getByRole('button', { name: 'Activate' });
  if (await activate.isVisible()) {
    await activate.click();
    await page.getByRole('dialog', { name: 'Activate Bot' }).getByRole('button', { name: 'Confirm' }).click();
  }
  const decisions = async (): Promise<{ gate: string | null; action: string }[]> =>
    ((await (await page.request.get(`/api/bots/${id}/decisions`)).json()) as { decisions: { gate: string | null; action: string }[] })
      .decisions;
  await expect.poll(async () => (await decisions()).length, { intervals: [2_000] }).toBeGreaterThan(0);
  expect((await decisions()).filter(({ gate }) => gate === 'strategy-failed')).toEqual([]);

  writeFileSync(join(folder, 'shown.ts'), 'export default {{;');
  await page.getByRole('tab', { name: 'Strategy' }).click();
  await page.getByRole('tab', { name: 'Files' }).click();
  await expect(row.getByText(/shown\.ts cannot be loaded/u)).toBeVisible();
  await expect(row.getByText('Version 1 passed its checks earlier and stays in use.')).toBeVisible();

  writeFileSync(join(folder, 'shown.ts'), named('signals.exitLong[0] = 0;'));
  await expect(row.getByText('newer version there')).toBeVisible();
  await row.getByRole('button', { name: 'Code and what differs' }).click();
  await expect(row.getByText('lines added: 1, removed: 1')).toBeVisible();
  await expectToast(page, 'Shown Bot runs version 2 from the next candle on', () =>
    row.getByRole('button', { name: 'Take version 2 for Shown Bot' }).click(),
  );
  await expect(row.getByText('newer version there')).toBeHidden();
});
