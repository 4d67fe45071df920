import { expect, test } from '@playwright/test';
import { takeSession } from './people.ts';

test('ADD-trade-orders, ADD-close-trade the orders of a trade are one page, and a person closes the trade there', async ({ page }) => {
  await takeSession(page, 'admin');
  const json = async (path: string): Promise<unknown> => (await page.request.get(`/api${path}`)).json();
  const heldTrades = async (): Promise<string[]> => {
    for (const bot of (await json('/bots')) as { id: string; status: string }[]) {
      if (bot.status !== 'active') continue;
      const open = ((await json(`/bots/${bot.id}/trades`)) as { trade_id: string; status: string; entry_price: number | null }[]).find(
        ({ status, entry_price }) => status === 'open' && entry_price !== null,
      );
      if (open !== undefined) return [open.trade_id];
    }
    return [];
  };
  // Bots of the demonstration trade on what the market does, and other tests pause some of them for a moment.
  let trades: string[] = [];
  await expect.poll(async () => (trades = await heldTrades()).length, 'trades of bots of the demonstration').toBeGreaterThan(0);
  await page.goto(`/?order=${trades[0]}`);
  const record = page.getByRole('table', { name: 'Record' });
  await expect(record.getByText(/^Decided: entry/u)).toBeVisible();
  await expect(record.getByText(/^Fill 1 of \d/u).first()).toBeVisible();

  await page.getByRole('button', { name: 'Close now' }).click();
  const dialog = page.getByRole('dialog', { name: 'Close Trade' });
  await expect(dialog.getByText(/^[+-]\$\d+\.\d\d$/u)).toBeVisible(); // what it would bring now
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await expect(page.getByText('closed by hand', { exact: true })).toBeVisible();
  await expect(record.getByText(/^Decided: exit, (sell|buy) market/u)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Close now' })).toBeHidden();
  await page.getByRole('button', { name: 'Back', exact: true }).click();
  await expect(page.getByRole('table', { name: 'Fleet' })).toBeVisible();
});
