import type { Page } from '@playwright/test';
import { expect, test } from '@playwright/test';
import { account, choose, signIn, signUp } from './people.ts';
import { expectToast } from './toasts.ts';

async function openSettings(page: Page): Promise<void> {
  await signIn(page, 'admin', '/?tab=settings');
  await expect(page.getByText(/^\d+ of \d+ users$/u)).toBeVisible();
}

test('USERS-10, USERS-18, ROLE-10, ROLE-12 an admin changes a trader’s role and bot; the trader’s session is over', async ({
  page,
  browser,
  baseURL,
}) => {
  const password = 'the password of a new trader';
  const theirs = await (await browser.newContext()).newPage();
  const email = await signUp(theirs, password);
  await openSettings(page);
  await page.getByPlaceholder('Search by name or email...').fill(email);
  await choose(page, `Role of ${email}`, 'operator');
  await page.getByPlaceholder('Search by name or email...').fill(account('trader').email);
  const row = page.getByRole('listitem', { name: account('trader').email, exact: true });
  await row.getByRole('button').first().click();
  await choose(page, 'Status of Morning Cross', 'paused');
  await expect(theirs.getByTitle('Your Account Settings')).toContainText('trader'); // nothing has been sent yet

  await page.getByRole('button', { name: 'Save All Changes' }).click();
  await expectToast(page, 'Changes saved!', () =>
    page.getByRole('dialog', { name: 'Save All Changes' }).getByRole('button', { name: 'Save Changes' }).click(),
  );
  await expect(page.getByRole('listitem', { name: 'Morning Cross' }).getByText('paused').first()).toBeVisible();
  await expect(theirs.getByText('Your session has ended. Please sign in again.')).toBeVisible();

  // Who signs in again has the new role.
  await theirs.getByLabel('Email').fill(email);
  await theirs.getByLabel('Password', { exact: true }).fill(password);
  await theirs.getByRole('button', { name: 'Sign In', exact: true }).click();
  await expect(theirs.getByTitle('Your Account Settings')).toContainText('operator');
  await theirs.context().close();

  // As it was, for tests that follow.
  const users = (await (await page.request.get('/api/settings/users')).json()) as { bots: { id: string; name: string }[] }[];
  const bot = users.flatMap(({ bots }) => bots).find(({ name }) => name === 'Morning Cross');
  const answer = await page.request.post(`/api/settings/bots/${bot?.id}/status`, {
    data: { status: 'active' },
    headers: { origin: baseURL ?? '' },
  });
  expect(answer.status()).toBe(200);
});
