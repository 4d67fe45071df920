import { roles } from '#contract/fields.ts';
import { afterEach, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page, userEvent } from 'vitest/browser';
import { sessionStore } from '../session/session-store.ts';
import type { Answerer } from '../testing/answerer.ts';
import { noAnswer, problem } from '../testing/answerer.ts';
import { expectToGoAfter, holdMoments } from '../testing/held-time.ts';
import { expectNoFurtherTry } from '../testing/cancelled-question.ts';
import { idOf } from '../testing/samples/ids.ts';
import { aUser } from '../testing/samples/users.ts';
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

const section = () => settings().getByRole('group', { name: 'Two-Factor Authentication' });
const inSection = (name: string) => section().getByRole('button', { name, exact: true });
const sent = { status: '2FA code sent to your email' };
const verified = (changes = {}) => ({ status: '2FA verified successfully', ...aUser('investor', { has_2fa: true, ...changes }) });
const settings = () => page.getByRole('dialog', { name: 'Your Account Settings' });
const modal = () => page.getByRole('dialog', { name: 'Change Password' });
const fill = async (password: string, confirmation: string) => {
  await modal().getByLabelText('New Password', { exact: true }).fill(password);
  await modal().getByLabelText('Confirm Password', { exact: true }).fill(confirmation);
  await modal().getByRole('button', { name: 'Change Password' }).click();
};
const openModal = () => settings().getByRole('button', { name: 'Change Password' }).click();

describe('your account settings', () => {
  test.each(roles)('ACCT-01, SHELL-29, OP-07, ROLE-14, ROLE-15 the user summary opens them for the role %s', async (role) => {
    await open(undefined, role);
    await expect.element(settings()).toBeVisible();
    await expect.element(settings().getByText(`${role}@flotilla.example`)).toBeVisible();
    await expect.element(settings().getByRole('button', { name: 'Change Password' })).toBeEnabled();
    await expect.element(inSection('Setup 2FA')).toBeEnabled();
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
    holdMoments();
    await fill('secret-secret', 'secret-secret');
    await expect.element(settings().getByText('Changes saved!')).toBeVisible();
    await expectToGoAfter(2000, settings().getByText('Changes saved!'));
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
    holdMoments(2000);
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

  test('a change of the password that is cancelled while it is sent does not go out again', async () => {
    await open();
    await openModal();
    await expectNoFurtherTry(network, 'updatePassword', {
      confirm: () => fill('secret-secret', 'secret-secret'),
      cancel: () => modal().getByRole('button', { name: 'Cancel' }).click(),
      says: 'Cancelled: nothing more is sent. The password may be changed already: try the new one first when you sign in.',
    });
  });
});

describe('the second factor', () => {
  const openCode = async (answers: (network: Answerer) => Answerer = (same) => same) => {
    const screen = await open((net) => answers(net.on('setUpTwoFactor', sent)));
    await inSection('Setup 2FA').click();
    await expect.element(section().getByText('A 6-digit code was sent to investor@flotilla.example', { exact: true })).toBeVisible();
    return screen;
  };
  const code = () => section().getByLabelText('2FA Code');

  test('ACCT-04, ACCT-05, OP-24 is said to be on, or can be set up; it is never switched off here', async () => {
    const screen = await open();
    await expect.element(inSection('Setup 2FA')).toBeEnabled();
    expect(section().getByText('2FA is enabled for your account').elements()).toEqual([]);
    await screen.unmount();
    network.stop();
    await open((net) => net.on('getMe', aUser('investor', { has_2fa: true })));
    await expect.element(section().getByText('2FA is enabled for your account', { exact: true })).toBeVisible();
    expect(section().getByRole('button').elements()).toEqual([]);
  });

  test('ACCT-06 cannot be set up without a user id', async () => {
    await open();
    await expect.element(inSection('Setup 2FA')).toBeEnabled();
    network.on('getMe', problem(403));
    sessionStore.setState({ user: null });
    await expect.element(inSection('Setup 2FA')).toBeDisabled();
    await expect.element(inSection('Setup 2FA')).toHaveAttribute('title', 'User not authenticated. Please log in again.');
  });

  test('ACCT-07, ACCT-08, ACCT-09, ACCT-14, ACCT-15, API-11, API-12, ROLE-15 a mailed code of six digits switches it on', async () => {
    holdMoments(2000);
    await openCode();
    expect(network.of('setUpTwoFactor').map(({ path }) => path)).toEqual([`/auth/generate-2fa/${idOf(1)}`]);
    await expect.element(code()).toHaveFocus();
    for (const [typed, kept, isEnabled] of [
      ['12345', '12345', false],
      ['12a4-5 6b7x89', '124567', true],
      ['abc', '', false],
      ['1234567890', '123456', true],
    ] as const) {
      await code().fill(typed);
      await expect.element(code()).toHaveValue(kept);
      if (isEnabled) await expect.element(inSection('Verify Code')).toBeEnabled();
      else await expect.element(inSection('Verify Code')).toBeDisabled();
    }
    let release = () => {};
    network.on('verifyTwoFactor', () => new Promise((resolve) => (release = () => resolve(verified()))));
    await inSection('Verify Code').click();
    await expect.element(inSection('Verify Code')).toHaveAttribute('aria-busy', 'true');
    expect(sessionStore.getState().user?.has_2fa).toBe(false);
    release();
    await expect.element(section().getByText('2FA is enabled for your account')).toBeVisible();
    await expect.element(settings().getByText('Changes saved!')).toBeVisible();
    expect(sessionStore.getState().user?.has_2fa).toBe(true);
    expect(network.of('verifyTwoFactor').map(({ path, body }) => [path, body])).toEqual([
      [`/auth/verify-2fa/${idOf(1)}`, { code: '123456' }],
    ]);
  });

  test('ACCT-09 Enter sends six digits and nothing less', async () => {
    await openCode((net) => net.on('verifyTwoFactor', verified()));
    await code().fill('12345');
    await userEvent.keyboard('{Enter}');
    expect(network.of('verifyTwoFactor')).toEqual([]);
    await userEvent.keyboard('6{Enter}');
    await expect.element(section().getByText('2FA is enabled for your account')).toBeVisible();
  });

  test('ACCT-13, ERR-36, OP-20 a wrong code is said at the top; the next one may be right', async () => {
    holdMoments(2000);
    await openCode((net) => net.on('verifyTwoFactor', problem(400, 'Invalid or expired 2FA code. Please try again.')));
    await code().fill('111111');
    await inSection('Verify Code').click();
    await expect.element(settings().getByRole('alert')).toHaveTextContent('Invalid or expired 2FA code. Please try again.');
    network.on('verifyTwoFactor', verified());
    await inSection('Verify Code').click();
    await expect.element(settings().getByText('Changes saved!')).toBeVisible();
    expect(settings().getByRole('alert').elements()).toEqual([]);
  });

  test('ERR-36, OP-80 too many tries are the reason below the same text', async () => {
    await openCode((net) => net.on('verifyTwoFactor', problem(429, 'Too many attempts. Please try again later.')));
    await code().fill('111111');
    await inSection('Verify Code').click();
    await expect
      .element(settings().getByRole('alert'))
      .toHaveTextContent('Invalid or expired 2FA code. Please try again.Too many attempts. Please try again later.');
  });

  test('ACCT-10, OP-20, ERR-09 Resend Code sends a new one and says so in green, or why it could not', async () => {
    await openCode((net) => net.on('resendTwoFactor', { status: 'A new 2FA code has been sent to your email' }));
    await inSection('Resend Code').click();
    const news = section().getByText('A new 2FA code has been sent to your email', { exact: true });
    await expect.element(news).toBeVisible();
    expect(getComputedStyle(news.element()).color).toBe('rgb(76, 195, 138)');
    expect(network.of('resendTwoFactor').map(({ body }) => body)).toEqual([{ email: 'investor@flotilla.example' }]);
    network.on('resendTwoFactor', problem(429, 'Too many requests. Please try again later.'));
    await inSection('Resend Code').click();
    await expect
      .element(settings().getByRole('alert'))
      .toHaveTextContent('Failed to resend 2FA code. Please try again.Too many requests. Please try again later.');
    await expect.element(news).not.toBeInTheDocument();
  });

  test('ACCT-11 Cancel returns to the beginning, with the focus where it began', async () => {
    await openCode();
    await code().fill('123');
    await inSection('Cancel').click();
    await expect.element(inSection('Setup 2FA')).toHaveFocus();
    expect(section().getByRole('textbox').elements()).toEqual([]);
    await inSection('Setup 2FA').click();
    await expect.element(code()).toHaveValue('');
  });

  test('ERR-35, ACCT-13 a code that could not be sent is said at the top, and nothing is asked for', async () => {
    await open((net) => net.on('setUpTwoFactor', problem(503, 'Email could not be sent. Please try again.')));
    await inSection('Setup 2FA').click();
    await expect
      .element(settings().getByRole('alert'))
      .toHaveTextContent('Failed to send 2FA code. Please try again.Email could not be sent. Please try again.');
    await expect.element(inSection('Setup 2FA')).toBeEnabled();
  });
});

describe('the session behind the settings', () => {
  test('OP-79 is checked when they open: role and second factor on them are those of now', async () => {
    await open();
    await expect.element(inSection('Setup 2FA')).toBeEnabled();
    await settings().getByRole('button', { name: 'Close' }).click();
    network.on('getMe', aUser('investor', { has_2fa: true }));
    await page.getByTitle('Your Account Settings').click();
    await expect.element(section().getByText('2FA is enabled for your account')).toBeVisible();
  });

  test('ERR-30, OP-79 an ended session that cannot be renewed now', async () => {
    await open();
    await settings().getByRole('button', { name: 'Close' }).click();
    network.on('getMe', problem(401, 'Not authenticated')).on('refreshSession', noAnswer);
    await page.getByTitle('Your Account Settings').click();
    await expect.element(settings().getByText('Authentication failed. Please log in again.')).toBeVisible();
  });

  test('ERR-31, OP-79 a check that fails otherwise', async () => {
    await open();
    await settings().getByRole('button', { name: 'Close' }).click();
    network.on('getMe', problem(403, 'Origin not allowed'));
    await page.getByTitle('Your Account Settings').click();
    await expect.element(settings().getByText('Failed to authenticate. Please try again.')).toBeVisible();
  });

  test('ERR-37, OP-79 without a session user nothing is sent', async () => {
    await open((net) => net.on('setUpTwoFactor', sent));
    await inSection('Setup 2FA').click();
    await section().getByLabelText('2FA Code').fill('123456');
    network.on('getMe', problem(403));
    sessionStore.setState({ user: null });
    const says = () => expect.element(settings().getByText('User not authenticated. Please log in again.')).toBeVisible();
    await inSection('Verify Code').click();
    await says();
    await inSection('Cancel').click();
    await openModal();
    await says();
    await expect.element(modal()).not.toBeInTheDocument();
    expect([...network.of('verifyTwoFactor'), ...network.of('updatePassword')]).toEqual([]);
  });
});

test('ACCT-01, OP-07 admins have the same above User Management in the Settings tab', async () => {
  network = answerFor(aUser('admin'));
  startPage('/');
  await render(<TestPage path="/" search="?tab=settings" />);
  await expect.element(page.getByRole('heading', { name: 'Your Account Settings', exact: true })).toBeVisible();
  const account = page.getByRole('region', { name: 'Your Account Settings' });
  await account.getByRole('button', { name: 'Change Password' }).click();
  await expect.element(modal().getByRole('button', { name: 'Change Password', exact: true })).toBeVisible();
  const place = (name: string) => page.getByRole('region', { name }).element().getBoundingClientRect();
  await expect.element(page.getByRole('region', { name: 'User Management' })).toBeInTheDocument();
  expect(place('Your Account Settings').bottom).toBeLessThanOrEqual(place('User Management').top);
});
