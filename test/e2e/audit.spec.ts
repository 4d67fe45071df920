import { readFile } from 'node:fs/promises';
import { expect, test } from '@playwright/test';
import { signIn, signUp } from './people.ts';

test('an admin finds what somebody did in the audit log, opens it, and takes it along as a file', async ({ page, browser, baseURL }) => {
  const stranger = await browser.newContext();
  const email = await signUp(await stranger.newPage(), 'the password of somebody new', '/?tab=backtest');
  await stranger.close();
  const refused = `nobody-${Date.now()}@flotilla.example`;
  const wrong = { email: refused, password: 'a wrong password 1' };
  expect((await page.request.post('/api/auth/login', { data: wrong, headers: { origin: baseURL ?? '' } })).status()).toBe(401);
  await signIn(page, 'admin', '/?tab=settings');
  const users = (await (await page.request.get('/api/settings/users')).json()) as { id: string; email: string }[];
  const id = users.find((user) => user.email === email)?.id ?? '';
  for (const role of ['operator', 'trader']) {
    const answer = await page.request.post(`/api/settings/users/${id}/role`, { data: { role }, headers: { origin: baseURL ?? '' } });
    expect(answer.status()).toBe(200);
  }

  await page.getByRole('link', { name: 'Audit Log' }).click();
  await expect(page).toHaveURL(/[?&]view=audit/u);
  await expect(page.getByText(/^Log intact: \d+ records, each bound to the one before\.$/u)).toBeVisible();
  const table = page.getByRole('table', { name: 'Audit Log' });
  await expect(table.getByText('somebody unknown').first()).toBeVisible();

  await page.getByRole('searchbox', { name: 'Search records' }).fill(email);
  await page.getByRole('combobox', { name: 'Action' }).click();
  await page.getByRole('option', { name: 'Changed the role of a user' }).click();
  await expect(table.getByText('Changed the role of a user').first()).toBeVisible();
  await expect(table.getByText('Signed in')).toHaveCount(0);
  await table.getByRole('button').first().click();
  await expect(page.getByRole('row', { name: 'Role operator trader' })).toBeVisible();

  const count = await table.getByText('Changed the role of a user').count();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^audit-\d{4}-\d\d-\d\d\.csv$/u);
  const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
  expect(lines.length).toBe(count + 1);
  expect(lines[1]).toContain(`"Changed the role of a user","change-role","${email}","${id}"`);

  await page.goBack();
  await expect(page.getByRole('region', { name: 'User Management' })).toBeVisible();
});
