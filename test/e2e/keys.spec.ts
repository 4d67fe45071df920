import { expect, test } from '@playwright/test';
import { signInAlone, signUp } from './people.ts';

test('a key of the sandbox is added, tested by the runner and deleted; the secret is never shown again', async ({ page }) => {
  await signInAlone(page, 'operator', '/?tab=backtest');
  await page.getByTitle('Your Account Settings').click();
  const settings = page.getByRole('dialog', { name: 'Your Account Settings' });
  await expect(settings.getByRole('group', { name: 'Sessions' }).getByText('This session')).toBeVisible();
  await settings.getByRole('button', { name: 'Add Key' }).click();
  const form = page.getByRole('dialog', { name: 'Add API Key' });
  await form.getByRole('combobox', { name: 'Exchange' }).click();
  await page.getByRole('option', { name: 'Sandbox', exact: true }).click();
  await form.getByRole('button', { name: 'Get a Sandbox Key' }).click();
  await expect(form.getByLabel('Secret', { exact: true })).not.toHaveValue('');
  await form.getByRole('button', { name: 'Add Key' }).click();
  // An operator trades with bots that admins make; keys come with them.
  await expect(form.getByText('Only admins and traders can add API keys')).toBeVisible();
  await form.getByRole('button', { name: 'Cancel' }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Logout' }).click();
  await expect(page).toHaveURL(/\/login$/u);

  await signUp(page, 'a key of my own 1', '/?tab=backtest'); // the demonstration's traders have keys already
  await page.getByTitle('Your Account Settings').click();
  await settings.getByRole('button', { name: 'Add Key' }).click();
  await form.getByRole('combobox', { name: 'Exchange' }).click();
  await page.getByRole('option', { name: 'Sandbox', exact: true }).click();
  await form.getByRole('button', { name: 'Get a Sandbox Key' }).click();
  await expect(form.getByLabel('API Key', { exact: true })).not.toHaveValue('');
  const [key, secret] = await Promise.all(['API Key', 'Secret'].map((name) => form.getByLabel(name, { exact: true }).inputValue()));
  await form.getByRole('button', { name: 'Add Key' }).click();
  const row = settings.getByRole('list', { name: 'API Keys' }).getByRole('listitem');
  await expect(row.getByText('Accepted by Sandbox for trading')).toBeVisible();
  const answers: string[] = [];
  page.on(
    'response',
    (response) =>
      void response.text().then(
        (text) => answers.push(text),
        () => undefined,
      ),
  );
  const checked = async (): Promise<string> => /checked ([\d: -]+)/u.exec((await row.textContent()) ?? '')?.[1] ?? '';
  const before = await checked();
  await page.waitForTimeout(1_100); // its time is shown to the second
  await row.getByRole('button', { name: /^Test/u }).click();
  await expect.poll(checked).not.toBe(before);
  await expect(row.getByText('Accepted by Sandbox for trading')).toBeVisible();
  expect(answers.join('\n')).toContain(key?.slice(-4));
  for (const part of [key, secret]) expect(answers.join('\n')).not.toContain(part);
  await row.getByRole('button', { name: /^Delete/u }).click();
  await page.getByRole('dialog', { name: 'Delete API Key' }).getByRole('button', { name: 'Delete' }).click();
  await expect(settings.getByText(/There is none yet/u)).toBeVisible();
});
