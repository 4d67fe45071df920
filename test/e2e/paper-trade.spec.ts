import { openDatabase } from '#storage/database.ts';
import { startEmbeddedServer } from '#storage/embedded/embedded-server.ts';
import { expect, test } from '@playwright/test';
import { sql } from 'kysely';
import { choose, signIn } from './people.ts';
import { expectToast } from './toasts.ts';

test('a paper trade opens and closes before one’s eyes, on the chart and in the order log', async ({ page }) => {
  // A bot that wants to hold from the next minute on and leaves a minute later; its settings are set where no screen sets them yet.
  const server = await startEmbeddedServer(process.env['E2E_HOME'] ?? '');
  const db = openDatabase(server.url, { connections: 1 });
  await sql`update bots set own_settings = '{"timeframe": "1m", "minimalRoi": {"0": 10, "1": -1}, "maxConsecutiveLosses": 1000}', updated_at = now() where nickname = 'Just Hold'`.execute(
    db,
  );
  await sql`update strategies set order_types = '{"entry": "market", "exit": "market"}' where class_name = 'BuyAndHold'`.execute(db);
  await db.destroy();
  expect(server.adopted).toBe(true);

  await signIn(page, 'admin', '/?tab=bot_control');
  await page.getByRole('article').filter({ hasText: 'Just Hold' }).getByRole('button', { name: 'Activate' }).click();
  await expectToast(page, 'Bot active successfully', () =>
    page.getByRole('dialog', { name: 'Activate Bot' }).getByRole('button', { name: 'Confirm' }).click(),
  );

  await page.getByRole('tab', { name: 'Status' }).click();
  await choose(page, 'Bot', 'Just Hold');
  const rows = page.getByRole('table', { name: 'Order Log', exact: true }).getByRole('row');
  const refresh = async (): Promise<string> => {
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.waitForTimeout(1_000);
    return (await rows.nth(1).textContent()) ?? '';
  };
  await expect.poll(refresh, { intervals: [2_000] }).toMatch(/open/u);
  const opened = (await rows.nth(1).getByRole('cell').first().textContent()) ?? '';
  // Its marker stands on the chart: the overlay that the chart draws names the minute.
  const overlays = await page.waitForResponse((response) => response.url().includes('/api/chart/overlays') && response.ok());
  const { trades } = (await overlays.json()) as { trades: { timestamp: number; direction: string }[] };
  expect(trades.map(({ timestamp }) => new Date(timestamp).toISOString().slice(0, 16))).toContain(opened.slice(0, 16).replace(' ', 'T'));
  await expect
    .poll(
      async () => {
        await refresh();
        return rows.filter({ hasText: opened }).first().textContent();
      },
      { intervals: [2_000] },
    )
    .toMatch(/closed/u);
});
