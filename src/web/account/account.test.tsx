import { roles } from '#contract/fields.ts';
import { afterEach, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import type { Answerer } from '../testing/answerer.ts';
import { problem } from '../testing/answerer.ts';
import { aUser } from '../testing/samples.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';

let network: Answerer;
const open = async (answers: (network: Answerer) => Answerer = (same) => same, role: (typeof roles)[number] = 'investor') => {
  network = answers(answerFor(aUser(role)));
  startPage('/');
  const screen = await render(<TestPage path="/" search="?tab=reports" />);
  await page.getByTitle('Your Account Settings').click();
  return screen;
};
afterEach(async () => {
  await cleanup();
  network.stop();
});

const settings = () => page.getByRole('dialog', { name: 'Your Account Settings' });
const modal = () => page.getByRole('dialog', { name: 'Change Password' });
const fill = async (password: string, confirmation: string) => {
  await modal().getByLabelText('New Password', { exact: true }).fill(password);
  await modal().getByLabelText('Confirm Password', { exact: true }).fill(confirmation);
  await modal().getByRole('button', { name: 'Change Password' }).click();
};
const openModal = () => settings().getByRole('button', { name: 'Change Password' }).click();

describe('your account settings', () => {
  test('ACCT-01, SHELL-29, OP-07, ROLE-14 the user summary opens them for every role', async () => {
    for (const role of roles) {
      const screen = await open(undefined, role);
      await expect.element(settings()).toBeVisible();
      await expect.element(settings().getByText(`${role}@flotilla.example`)).toBeVisible();
      await screen.unmount();
      network.stop();
    }
  });

  test('ACCT-02, ACCT-03, OP-12, VALID-09, VALID-10 the modal checks both entries before anything is sent', async () => {
    await open();
    await openModal();
    await fill('secret-secret', 'secret-secres');
    await expect.element(modal().getByText('Passwords do not match', { exact: true })).toBeVisible();
    await fill('secret', 'secret');
    await expect.element(modal().getByText('Password must be at least 8 characters')).toBeVisible();
    await modal().getByRole('button', { name: 'Cancel' }).click();
    await expect.element(modal()).not.toBeInTheDocument();
    expect(network.of('updatePassword')).toEqual([]);
  });

  test('API-05, ACCT-12, ACCT-16 a change is confirmed at the top for two seconds', async () => {
    await open((net) => net.on('updatePassword', { status: 'Password updated successfully' }));
    await openModal();
    await fill('secret-secret', 'secret-secret');
    await expect.element(settings().getByText('Changes saved!')).toBeVisible();
    const shown = Date.now();
    await expect.element(settings().getByText('Changes saved!'), { timeout: 4000 }).not.toBeInTheDocument();
    expect(Date.now() - shown).toBeGreaterThan(1500);
    expect(network.of('updatePassword')[0]?.body).toEqual({ password: 'secret-secret' });
  });

  test('ACCT-13, ERR-34, OP-80 a failure is shown with its reason, in the modal and then at the top', async () => {
    await open((net) => net.on('updatePassword', problem(400, 'Password is required')));
    await openModal();
    await fill('secret-secret', 'secret-secret');
    await expect.element(modal().getByText('Failed to change password')).toBeVisible();
    await expect.element(modal().getByText('Password is required')).toBeVisible();
    await modal().getByRole('button', { name: 'Cancel' }).click();
    await expect.element(settings().getByText('Failed to change password')).toBeVisible();
    await expect.element(settings().getByText('Password is required')).toBeVisible();
  });

  test('API-05 when the server wants the current password the modal asks for it', async () => {
    await open((net) =>
      net.on('updatePassword', ({ body }) =>
        (body as { currentPassword?: string }).currentPassword === 'old-secret'
          ? { status: 'Password updated successfully' }
          : problem(403, 'Enter your current password to continue.'),
      ),
    );
    await openModal();
    await expect.element(modal().getByLabelText('Current Password', { exact: true })).not.toBeInTheDocument();
    await fill('secret-secret', 'secret-secret');
    await expect.element(modal().getByText('Enter your current password to continue.')).toBeVisible();
    await modal().getByLabelText('Current Password', { exact: true }).fill('old-secret');
    await modal().getByRole('button', { name: 'Change Password' }).click();
    await expect.element(settings().getByText('Changes saved!')).toBeVisible();
    expect(network.of('updatePassword')[1]?.body).toEqual({ password: 'secret-secret', currentPassword: 'old-secret' });
  });
});
