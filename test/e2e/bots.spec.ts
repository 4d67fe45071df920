import type { Page } from '@playwright/test';
import { expect, test } from '@playwright/test';
import { signIn, takeSession } from './people.ts';
import { expectToast } from './toasts.ts';

const card = (page: Page, nickname: string) => page.getByRole('article').filter({ hasText: nickname });

/** Those of others besides one's own, which the list begins with. */
const showAll = (page: Page) => page.getByRole('radiogroup', { name: 'Whose bots' }).getByText('All', { exact: true }).click();

async function openBots(page: Page, role: string): Promise<void> {
  await signIn(page, role, '/?tab=bot_control');
  if (role !== 'trader') await showAll(page); // Morning Cross is the trader's
  await expect(card(page, 'Morning Cross')).toBeVisible();
}

test('BOTS-12, BOTS-13, BOTS-23..27, ERR-39 a bot is paused and activated by a click and a confirmation', async ({ page }) => {
  await openBots(page, 'trader');
  const bot = card(page, 'Morning Cross');
  await bot.getByRole('button', { name: 'Pause' }).click();
  const dialog = page.getByRole('dialog', { name: 'Pause Bot' });
  await expect(dialog.getByText('Are you sure you want to pause this bot?')).toBeVisible();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(bot.getByRole('button', { name: 'Pause' })).toBeVisible();

  await bot.getByRole('button', { name: 'Pause' }).click();
  await expectToast(page, 'Bot paused successfully', () =>
    page.getByRole('dialog', { name: 'Pause Bot' }).getByRole('button', { name: 'Confirm' }).click(),
  );
  await expect(bot.getByRole('button', { name: 'Activate' })).toBeVisible();

  await bot.getByRole('button', { name: 'Activate' }).click();
  await expectToast(page, 'Bot active successfully', () =>
    page.getByRole('dialog', { name: 'Activate Bot' }).getByRole('button', { name: 'Confirm' }).click(),
  );
  await expect(bot.getByRole('button', { name: 'Pause' })).toBeVisible();
});

test('BOTS-14 switching to live is off, with its reason, while there is no key', async ({ page }) => {
  await openBots(page, 'trader');
  await expect(card(page, 'Dip Buyer').getByText('Needs an API key: add one on Configure Bot or in your account settings.')).toBeVisible();
  await expect(card(page, 'Dip Buyer').getByRole('button', { name: 'Switch to Live' })).toBeDisabled();
});

test('the demonstration opens with open positions, and the fleet says what each bot does', async ({ page }) => {
  await signIn(page, 'admin');
  const rows = page.getByRole('table', { name: 'Fleet' }).getByRole('row');
  await expect(rows).toHaveCount(8); // the head and seven bots
  await expect(rows.filter({ hasText: /[1-9] of \d/u }).first()).toBeVisible();
  await expect(page.getByRole('img', { name: /7-day PnL/u }).first()).toBeVisible();
});

test('BOTS-20..22 other people’s bots are shown but inert', async ({ page }) => {
  await openBots(page, 'investor');
  const foreign = card(page, 'Morning Cross');
  await expect(foreign.getByRole('button', { name: 'Pause' })).toBeDisabled();
  await expect(card(page, 'Direction Study').getByRole('button', { name: 'Activate' })).toBeEnabled();
  await expect(foreign.getByText('t***@flotilla.example')).toBeVisible();
});

test('BOTS-05..09, BOTS-16 search and filters', async ({ page }) => {
  await openBots(page, 'admin');
  await page.getByPlaceholder('Search by name or nickname').fill('CROSS');
  await expect(page.getByRole('article')).toHaveCount(1);
  await page.getByPlaceholder('Search by name or nickname').fill('no such bot');
  await expect(page.getByText('No bots found')).toBeVisible();
  await expect(page.getByText('No bot matches the search and filters.')).toBeVisible();
  await expect(page.getByText('Create a new bot to get started')).toHaveCount(0);
});

test('OP-32 a bot gets a stop and a parameter of its own, its card counts them, and one press gives each back', async ({ page }) => {
  await takeSession(page, 'admin');
  const all = (await (await page.request.get('/api/bots')).json()) as { id: string; nickname: string }[];
  const id = all.find(({ nickname }) => nickname === 'Night Trend')?.id ?? '';
  const form = page.getByRole('group', { name: 'Strategy Settings' });
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const saved = async () => {
    await press('Update Bot');
    await expect(page.getByText('No changes', { exact: true })).toBeVisible();
  };
  const ownOf = async () =>
    ((await (await page.request.get(`/api/bots/${id}`)).json()) as { own_settings: Record<string, unknown> }).own_settings;
  await page.goto(`/?tab=bot_control&view=configure&bot=${id}`);
  const before = await ownOf();
  await press('Set own Stop Loss');
  await page.getByLabel('Own Stop Loss', { exact: true }).fill('3');
  await press('Set own Factor');
  await page.getByLabel('Own Factor', { exact: true }).fill('2.5');
  await expect(form.getByText(/own settings\./u)).toBeVisible();
  await saved();
  expect(await ownOf()).toEqual({ ...before, stoploss: -0.03, parameters: { factor: 2.5 } });
  await expect(page.getByText(/own stop loss inherited → -3.00%, own Factor inherited → 2.5/u).first()).toBeVisible();

  await page.goto('/?tab=bot_control');
  await showAll(page);
  await expect(card(page, 'Night Trend').getByText(/, \d own settings/u)).toBeVisible();

  await page.goto(`/?tab=bot_control&view=configure&bot=${id}`);
  await press('Inherit Stop Loss');
  await press('Inherit Factor');
  await saved();
  expect(await ownOf()).toEqual(before);
});
