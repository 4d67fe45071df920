import { texts } from '#contract/errors.ts';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page, userEvent } from 'vitest/browser';
import type { Answerer } from '../testing/answerer.ts';
import { problem } from '../testing/answerer.ts';
import { idOf } from '../testing/samples/ids.ts';
import { aUser, someFactors } from '../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';

// The settings of one's account are a window, and what they ask and show are windows over it.

let network: Answerer;
beforeAll(() => page.viewport(1440, 900));
afterEach(async () => {
  await cleanup();
  network.stop();
});
const open = async (answers: (network: Answerer) => Answerer = (same) => same) => {
  network = answers(answerFor(aUser('trader')).on('listApiKeys', []).on('listChannels', []).on('listExchanges', { exchanges }));
  startPage('/');
  await render(<TestPage path="/" search="?tab=reports" />);
  await page.getByTitle('Your Account Settings').click();
  await expect.element(settings()).toBeVisible();
};
const dialog = (name: string) => page.getByRole('dialog', { name, exact: true });
const settings = () => dialog('Your Account Settings');
const press = (name: string) => settings().getByRole('button', { name, exact: true }).click();
const exchanges = [{ id: 'binance', name: 'Binance' }];
const palette = () => page.getByRole('combobox', { name: 'Go to a screen, bot or pair' });

const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const made = { secret, uri: `otpauth://totp/Flotilla:a%40b.cd?secret=${secret}&issuer=Flotilla` };
const codes = Array.from({ length: 10 }, (_, n) => `abcd${'abcdefghij'[n]}-fghij`);

const clickBeside = () => document.elementFromPoint(2, 450)?.dispatchEvent(new MouseEvent('click', { bubbles: true }));

/** Tries all that closes windows, except the button of `shown` itself. */
async function tryToClose(shown: ReturnType<typeof dialog>) {
  await userEvent.keyboard('{Escape}');
  await userEvent.keyboard('{Escape}');
  clickBeside();
  const below = settings().getByRole('button', { name: 'Close', exact: true }).element() as HTMLElement;
  below.click(); // as assistive technology can
  await userEvent.keyboard('{Control>}k{/Control}');
  await expect.element(shown).toBeVisible();
  await expect.element(palette()).not.toBeInTheDocument();
  await expect.element(shown.getByRole('button', { name: 'Close', exact: true })).not.toBeInTheDocument();
}

test('backup codes are closed by nothing but the button that says that they are stored', async () => {
  await open((net) =>
    net.on('getSecondFactors', someFactors()).on('startAuthenticator', made).on('confirmAuthenticator', { backup_codes: codes }),
  );
  await press('Set Up App');
  await dialog('Set Up an Authenticator App').getByLabelText('2FA Code').fill('123456');
  await dialog('Set Up an Authenticator App').getByRole('button', { name: 'Confirm' }).click();
  const shown = dialog('Backup Codes');
  await expect.element(shown.getByText(codes[0] ?? '')).toBeVisible();
  await tryToClose(shown);
  await expect.element(shown.getByText(codes[0] ?? '')).toBeVisible();
  await shown.getByRole('button', { name: 'I Have Stored Them' }).click();
  await expect.element(shown).not.toBeInTheDocument();
  await expect.element(settings()).toBeVisible();
});

test('new backup codes beside passkeys are closed by nothing else either', async () => {
  const passkeys = [{ id: idOf(1), name: 'Phone', added_at: '2026-11-20T07:08:09.000Z', last_used_at: null }];
  await open((net) => net.on('getSecondFactors', someFactors({ passkeys })).on('renewBackupCodes', { backup_codes: codes }));
  await press('New Backup Codes');
  await dialog('New Backup Codes').getByRole('button', { name: 'Make New Codes' }).click();
  const shown = dialog('Backup Codes');
  await expect.element(shown.getByText(codes[0] ?? '')).toBeVisible();
  await tryToClose(shown);
  await shown.getByRole('button', { name: 'I Have Stored Them' }).click();
  await expect.element(shown).not.toBeInTheDocument();
});

test('the secret of a webhook is closed by nothing but the button that says that it is stored', async () => {
  await open((net) => net.on('addChannel', { id: 'x', secret: 'whsec_c2VjcmV0' }));
  await press('Add Channel');
  await dialog('Add Channel').getByRole('combobox', { name: 'Service' }).click();
  await page.getByRole('option', { name: 'Webhook' }).click();
  await dialog('Add Channel').getByLabelText('Address').fill('https://hooks.harbour.trade/in');
  await dialog('Add Channel').getByLabelText('Name').fill('Desk');
  await dialog('Add Channel').getByRole('button', { name: 'Add Channel' }).click();
  const shown = dialog('Secret of the Webhook');
  await expect.element(shown.getByText('whsec_c2VjcmV0')).toBeVisible();
  await tryToClose(shown);
  await shown.getByRole('button', { name: 'I Have Stored It' }).click();
  await expect.element(shown).not.toBeInTheDocument();
  await expect.element(settings()).toBeVisible();
});

test.each([
  ['Add Key', 'Add API Key'],
  ['Change Password', 'Change Password'],
  ['Add Channel', 'Add Channel'],
  ['New Backup Codes', 'New Backup Codes'],
  ['Remove', 'Remove Authenticator App'],
])('Escape closes what "%s" has opened, and only the next one the window below it', async (opener, title) => {
  await open((net) => net.on('getSecondFactors', someFactors({ app_since: '2026-11-20T07:08:09.000Z', backup_codes: 10 })));
  await press(opener);
  await expect.element(dialog(title)).toBeVisible();
  await userEvent.keyboard('{Escape}');
  await expect.element(dialog(title)).not.toBeInTheDocument();
  await expect.element(settings()).toBeVisible();
  await userEvent.keyboard('{Escape}');
  await expect.element(settings()).not.toBeInTheDocument();
});

test('Escape where the password is asked for leaves the key that is typed below', async () => {
  await open((net) => net.on('addApiKey', problem(403, texts.passwordNeeded)));
  await press('Add Key');
  const form = dialog('Add API Key');
  await form.getByRole('combobox', { name: 'Exchange' }).click();
  await page.getByRole('option', { name: 'Binance' }).click();
  await form.getByLabelText('API Key', { exact: true }).fill('a-key');
  await form.getByLabelText('Secret', { exact: true }).fill('a-secret');
  await form.getByRole('button', { name: 'Add Key' }).click();
  await expect.element(dialog('Confirm Your Password')).toBeVisible();
  await userEvent.keyboard('{Escape}');
  await expect.element(dialog('Confirm Your Password')).not.toBeInTheDocument();
  await expect.element(form.getByText(texts.passwordNeeded)).toBeVisible();
  await expect.element(form.getByLabelText('API Key', { exact: true })).toHaveValue('a-key');
  await expect.element(form.getByLabelText('Secret', { exact: true })).toHaveValue('a-secret');
});

test('a click beside the window leaves the key that is typed in it', async () => {
  await open();
  await press('Add Key');
  await dialog('Add API Key').getByLabelText('API Key', { exact: true }).fill('a-key');
  clickBeside();
  await expect.element(dialog('Add API Key').getByLabelText('API Key', { exact: true })).toHaveValue('a-key');
  await dialog('Add API Key').getByRole('button', { name: 'Cancel' }).click();
  clickBeside();
  await expect.element(settings()).not.toBeInTheDocument();
});

test('Escape closes the choices of a select box, the next one the window it is in', async () => {
  await open();
  await press('Add Key');
  await dialog('Add API Key').getByRole('combobox', { name: 'Exchange' }).click();
  await expect.element(page.getByRole('option', { name: 'Binance' })).toBeVisible();
  await userEvent.keyboard('{Escape}');
  await expect.element(page.getByRole('option', { name: 'Binance' })).not.toBeInTheDocument();
  await expect.element(dialog('Add API Key')).toBeVisible();
  await userEvent.keyboard('{Escape}');
  await expect.element(dialog('Add API Key')).not.toBeInTheDocument();
  await expect.element(settings()).toBeVisible();
});

test('the command palette lies over the window that was open, and Escape closes it alone', async () => {
  await open();
  await press('Add Key');
  await expect.element(dialog('Add API Key')).toBeVisible();
  await userEvent.keyboard('{Control>}k{/Control}');
  await palette().click(); // not below the window
  await userEvent.keyboard('{Escape}');
  await expect.element(palette()).not.toBeInTheDocument();
  await expect.element(dialog('Add API Key')).toBeVisible();
});
