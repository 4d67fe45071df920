import axe from 'axe-core';
import { afterEach, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import type { Answerer } from '../../testing/answerer.ts';
import { problem } from '../../testing/answerer.ts';
import { expectNoFurtherTry } from '../../testing/cancelled-question.ts';
import { holdMoments } from '../../testing/held-time.ts';
import { aUser, someFactors } from '../../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../../testing/test-page.tsx';

let network: Answerer;
const open = async (answers: (network: Answerer) => Answerer = (same) => same) => {
  network = answers(answerFor(aUser('trader')));
  startPage('/');
  await render(<TestPage path="/" search="?tab=reports" />);
  await page.getByTitle('Your Account Settings').click();
  await expect.element(section()).toBeVisible();
};
afterEach(async () => {
  await cleanup();
  network.stop();
});
const settings = () => page.getByRole('dialog', { name: 'Your Account Settings' });
const section = () => settings().getByRole('group', { name: 'Authenticator App', exact: true });
const button = (name: string) => section().getByRole('button', { name, exact: true });
const dialog = (name: string) => page.getByRole('dialog', { name, exact: true });
const faults = async (of: Element) => (await axe.run(of)).violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`);
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const made = { secret, uri: `otpauth://totp/Flotilla:a%40b.cd?secret=${secret}&issuer=Flotilla` };
const codes = Array.from({ length: 10 }, (_, n) => `abcd${'abcdefghij'[n]}-fghij`);
const on = (changes = {}) => someFactors({ app_since: '2026-11-20T07:08:09.000Z', backup_codes: 10, ...changes });

test('an app is set up by its QR code or secret, a first code, and the backup codes are shown until they are stored', async () => {
  let hasApp = false;
  await open((net) =>
    net
      .on('getSecondFactors', () => (hasApp ? on() : someFactors()))
      .on('startAuthenticator', made)
      .on('confirmAuthenticator', () => {
        hasApp = true;
        return { backup_codes: codes };
      })
      .on('getMe', () => aUser('trader', { has_2fa: hasApp })),
  );
  await button('Set Up App').click();
  const setUp = dialog('Set Up an Authenticator App');
  await expect.element(setUp.getByRole('img', { name: 'QR code of the secret' })).toBeVisible();
  await expect.element(setUp.getByText('GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ')).toBeVisible();
  expect(await faults(setUp.element())).toEqual([]);
  await setUp.getByRole('button', { name: 'Confirm' }).click();
  await expect.element(setUp.getByText('Enter the 6-digit code that the app shows')).toBeVisible();
  expect(network.of('confirmAuthenticator')).toEqual([]);
  await setUp.getByLabelText('2FA Code').fill('123456');
  await setUp.getByRole('button', { name: 'Confirm' }).click();

  const shown = dialog('Backup Codes');
  for (const code of codes) await expect.element(shown.getByText(code)).toBeVisible();
  expect(await faults(shown.element())).toEqual([]);
  expect(network.of('confirmAuthenticator')[0]?.body).toEqual({ code: '123456' });
  await shown.getByRole('button', { name: 'I Have Stored Them' }).click();
  await expect.element(section().getByText('Asked for at sign-in since 2026-11-20 07:08:09 UTC')).toBeVisible();
  await expect.element(section().getByText('10 of 10 backup codes are left.')).toBeVisible();
  await expect.element(settings().getByText('2FA is enabled for your account')).toBeVisible(); // ACCT-04
  expect(network.of('startAuthenticator')).toHaveLength(1);
});

test('what the server says to a wrong code is shown, and the secret stays', async () => {
  await open((net) =>
    net.on('startAuthenticator', made).on('confirmAuthenticator', problem(400, 'Invalid or expired 2FA code. Please try again.')),
  );
  await button('Set Up App').click();
  const setUp = dialog('Set Up an Authenticator App');
  await setUp.getByLabelText('2FA Code').fill('123456');
  await setUp.getByRole('button', { name: 'Confirm' }).click();
  await expect.element(setUp.getByText('Invalid or expired 2FA code. Please try again.')).toBeVisible();
  await expect.element(setUp.getByLabelText('Secret', { exact: true })).toBeVisible();
});

test('another app takes the place of the first by a code of that', async () => {
  await open((net) => net.on('getSecondFactors', on()).on('startAuthenticator', made).on('confirmAuthenticator', { backup_codes: codes }));
  await button('Set Up Again').click();
  const setUp = dialog('Set Up an Authenticator App');
  await setUp.getByLabelText('Code of the New App').fill('123456');
  await setUp.getByRole('button', { name: 'Confirm' }).click();
  await expect.element(setUp.getByText('Enter a code of the app in use, or a backup code')).toBeVisible();
  await setUp.getByLabelText('Code of the App in Use, or a Backup Code').fill(' 654321 ');
  await setUp.getByRole('button', { name: 'Confirm' }).click();
  await expect.element(dialog('Backup Codes')).toBeVisible();
  expect(network.of('confirmAuthenticator')[0]?.body).toEqual({ code: '123456', present_code: '654321' });
});

test('new backup codes are asked about and shown', async () => {
  holdMoments(2000);
  await open((net) => net.on('getSecondFactors', on({ backup_codes: 0 })).on('renewBackupCodes', { backup_codes: codes }));
  await expect.element(section().getByText('No backup code is left. Make new ones.')).toBeVisible();
  await button('New Backup Codes').click();
  await dialog('New Backup Codes').getByRole('button', { name: 'Make New Codes' }).click();
  await expect.element(dialog('Backup Codes').getByText(codes[0] ?? '', { exact: true })).toBeVisible();
});

test.each([
  [
    'Remove',
    'Remove Authenticator App',
    'Remove App',
    'stopAuthenticator',
    'Signing in then needs a mailed code. The backup codes are void.',
  ],
  ['Stop Mailed Codes', 'Stop Mailed Codes', 'Stop Mailed Codes', 'stopMailedCodes', /Signing in then needs the app or a backup code/u],
] as const)('"%s" says what follows and needs a code', async (opener, title, act, call, text) => {
  await open((net) => net.on('getSecondFactors', on({ mailed_codes: true })).on(call, { status: 'done' }));
  await button(opener).click();
  await expect.element(dialog(title).getByText(text)).toBeVisible();
  await dialog(title).getByRole('button', { name: act }).click();
  await expect.element(dialog(title).getByText('2FA code is required')).toBeVisible();
  await dialog(title).getByLabelText('Code of the App, or a Backup Code').fill('abcde-fghij');
  await dialog(title).getByRole('button', { name: act }).click();
  await expect.element(dialog(title)).not.toBeInTheDocument();
  expect(network.of(call)[0]?.body).toEqual({ code: 'abcde-fghij' });
  await expect.element(settings().getByText('Changes saved!')).toBeVisible();
});

test('where 2FA is required the only factor is not taken away', async () => {
  await open((net) => net.on('getSecondFactors', on({ is_required: true })));
  await expect.element(button('Remove')).toBeDisabled();
  await expect.element(button('Remove')).toHaveAttribute('title', 'This server requires 2FA. To use another phone, set it up again.');
});

test('factors that cannot be loaded, and a set-up that is refused, say so', async () => {
  await open((net) => net.on('getSecondFactors', problem(500, 'Something went wrong. Please try again.')));
  await expect.element(section().getByText('Failed to load the second factors. Please try again.')).toBeVisible();
  await cleanup();
  network.stop();
  const text = 'For 24 hours after a password reset two-factor authentication cannot be changed.';
  await open((net) => net.on('startAuthenticator', problem(403, text)));
  await button('Set Up App').click();
  await expect.element(settings().getByText(text)).toBeVisible();
});

test.each([
  [
    'Remove',
    'Remove Authenticator App',
    'Remove App',
    'stopAuthenticator',
    'The authenticator app may be removed already: check your account settings.',
  ],
  [
    'Stop Mailed Codes',
    'Stop Mailed Codes',
    'Stop Mailed Codes',
    'stopMailedCodes',
    'Mailed codes may be stopped already: check your account settings.',
  ],
] as const)('"%s" that is cancelled while it is sent does not go out again', async (opener, title, act, call, text) => {
  await open((net) => net.on('getSecondFactors', on({ mailed_codes: true })));
  await button(opener).click();
  await dialog(title).getByLabelText('Code of the App, or a Backup Code').fill('abcde-fghij');
  const loads = network.of('getSecondFactors').length;
  await expectNoFurtherTry(network, call, {
    confirm: () => dialog(title).getByRole('button', { name: act }).click(),
    cancel: () => dialog(title).getByRole('button', { name: 'Cancel' }).click(),
    says: `Cancelled: nothing more is sent. ${text}`,
  });
  expect(network.of('getSecondFactors').length).toBeGreaterThan(loads);
});

test('a set-up that is cancelled while it is sent does not go out again', async () => {
  await open((net) => net.on('startAuthenticator', made));
  await button('Set Up App').click();
  const setUp = dialog('Set Up an Authenticator App');
  await setUp.getByLabelText('2FA Code').fill('123456');
  await expectNoFurtherTry(network, 'confirmAuthenticator', {
    confirm: () => setUp.getByRole('button', { name: 'Confirm' }).click(),
    cancel: () => setUp.getByRole('button', { name: 'Cancel' }).click(),
    says: 'Cancelled: nothing more is sent. The app may be set up already: check your account settings, and make new backup codes if it is.',
  });
});

test('new backup codes that are cancelled while they are asked for are not asked for again', async () => {
  await open((net) => net.on('getSecondFactors', on()));
  await button('New Backup Codes').click();
  await expectNoFurtherTry(network, 'renewBackupCodes', {
    confirm: () => dialog('New Backup Codes').getByRole('button', { name: 'Make New Codes' }).click(),
    cancel: () => dialog('New Backup Codes').getByRole('button', { name: 'Cancel' }).click(),
    says: 'Cancelled: nothing more is sent. The backup codes you have may be void already: make new ones.',
  });
});

test('mailed codes cannot be stopped on the day of the app, and the page says from when on', async () => {
  const day = 24 * 60 * 60 * 1000;
  const since = new Date(Date.now() - day + 60_000).toISOString();
  await open((net) => net.on('getSecondFactors', on({ mailed_codes: true, app_since: since })));
  await expect.element(button('Stop Mailed Codes')).toBeDisabled();
  const from = new Date(Date.parse(since) + day).toISOString().slice(0, 19).replace('T', ' ');
  await expect
    .element(section().getByText(`Mailed codes can be stopped from ${from} UTC on, a day after the app was set up.`))
    .toBeVisible();
  await cleanup();
  network.stop();
  await open((net) => net.on('getSecondFactors', on({ mailed_codes: true, app_since: new Date(Date.now() - day).toISOString() })));
  await expect.element(button('Stop Mailed Codes')).toBeEnabled();
  await expect.element(section().getByText(/Mailed codes can be stopped/u)).not.toBeInTheDocument();
});
