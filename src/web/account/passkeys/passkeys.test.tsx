import axe from 'axe-core';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import type { Answerer } from '../../testing/answerer.ts';
import { problem } from '../../testing/answerer.ts';
import { expectNoFurtherTry } from '../../testing/cancelled-question.ts';
import { holdMoments, pass } from '../../testing/held-time.ts';
import { aUser, someFactors } from '../../testing/samples/users.ts';
import { idOf } from '../../testing/samples/ids.ts';
import { answerFor, startPage, TestPage } from '../../testing/test-page.tsx';

// That the browser makes and uses passkeys is tried with an authenticator in test/e2e/passkeys.spec.ts; here is what the page says around it.

let network: Answerer;
const here = { passkey_origin: window.location.origin };
const phone = { id: idOf(1), name: 'Phone', added_at: '2026-11-20T07:08:09.000Z', last_used_at: null };
const key = { id: idOf(2), name: 'Key', added_at: '2026-11-21T07:08:09.000Z', last_used_at: '2026-11-22T01:02:03.000Z' };
const open = async (answers: (network: Answerer) => Answerer = (same) => same) => {
  network = answers(answerFor(aUser('trader')));
  startPage('/');
  await render(<TestPage path="/" search="?tab=reports" />);
  await page.getByTitle('Your Account Settings').click();
  await expect.element(section()).toBeVisible();
};
afterEach(async () => {
  vi.restoreAllMocks();
  await cleanup();
  network.stop();
});
const settings = () => page.getByRole('dialog', { name: 'Your Account Settings' });
const section = () => settings().getByRole('group', { name: 'Passkeys', exact: true });
const button = (name: string) => section().getByRole('button', { name, exact: true });
const dialog = (name: string) => page.getByRole('dialog', { name, exact: true });
const faults = async (of: Element) => (await axe.run(of)).violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`);

test('passkeys are listed with when they were added and last used, and backup codes where there is no app', async () => {
  await open((net) => net.on('getSecondFactors', someFactors({ ...here, passkeys: [phone, key], backup_codes: 2 })));
  await expect.element(section().getByText('Added 2026-11-20 07:08:09 UTC, never used')).toBeVisible();
  await expect.element(section().getByText('Added 2026-11-21 07:08:09 UTC, last used 2026-11-22 01:02:03 UTC')).toBeVisible();
  await expect.element(section().getByText('2 of 10 backup codes are left.')).toBeVisible();
  await expect.element(button('Stop Mailed Codes')).not.toBeInTheDocument();
  expect(await faults(section().element())).toEqual([]);
});

test('a passkey needs a name, and what the server says is shown', async () => {
  const text = 'For 24 hours after a password reset two-factor authentication cannot be changed.';
  await open((net) => net.on('getSecondFactors', someFactors(here)).on('startPasskey', problem(403, text)));
  await button('Add Passkey').click();
  const add = dialog('Add a Passkey');
  await add.getByRole('button', { name: 'Add Passkey' }).click();
  await expect.element(add.getByText('Name is required')).toBeVisible();
  await add.getByLabelText('Name').fill('Phone');
  await add.getByRole('button', { name: 'Add Passkey' }).click();
  await expect.element(add.getByText(text)).toBeVisible();
  expect(await faults(add.element())).toEqual([]);
});

test('a passkey is removed by a backup code, after what follows was said', async () => {
  holdMoments(2000);
  await open((net) =>
    net.on('getSecondFactors', someFactors({ ...here, passkeys: [phone], backup_codes: 10 })).on('removePasskey', { status: 'done' }),
  );
  await button('Remove Phone').click();
  const remove = dialog('Remove Passkey');
  await expect.element(remove.getByText(/Signing in then needs your password alone. The backup codes are void./u)).toBeVisible();
  await expect.element(remove.getByRole('button', { name: 'Confirm With a Passkey' })).toBeVisible();
  await remove.getByRole('button', { name: 'Remove Passkey' }).click();
  await expect.element(remove.getByText('2FA code is required')).toBeVisible();
  expect(await faults(remove.element())).toEqual([]);
  await remove.getByLabelText('Or a Backup Code').fill(' abcd-efgh ');
  await remove.getByRole('button', { name: 'Remove Passkey' }).click();
  await expect.element(remove).not.toBeInTheDocument();
  expect(network.of('removePasskey')[0]?.body).toEqual({ code: 'abcd-efgh' });
  await expect.element(settings().getByText('Changes saved!')).toBeVisible();
});

test('where 2FA is required the only factor is not taken away', async () => {
  await open((net) => net.on('getSecondFactors', someFactors({ ...here, passkeys: [phone], is_required: true })));
  await expect.element(button('Remove Phone')).toBeDisabled();
});

test.each([
  [null, 'Passkeys need https. Ask the operator to set the public address of this server.'],
  ['https://bots.example.com', 'Passkeys work at https://bots.example.com. Open the page there.'],
])('none can be added where the server has its passkeys at %s', async (origin, text) => {
  await open((net) => net.on('getSecondFactors', someFactors({ passkey_origin: origin, passkeys: [phone] })));
  await expect.element(section().getByText(text)).toBeVisible();
  await expect.element(button('Add Passkey')).toBeDisabled();
  await button('Remove Phone').click();
  await expect.element(dialog('Remove Passkey').getByLabelText('A Backup Code')).toBeVisible();
  await expect.element(dialog('Remove Passkey').getByRole('button', { name: 'Confirm With a Passkey' })).not.toBeInTheDocument();
});

test('passkeys that cannot be loaded say so', async () => {
  await open((net) => net.on('getSecondFactors', problem(500, 'Something went wrong. Please try again.')));
  await expect.element(section().getByText('Failed to load the passkeys. Please try again.')).toBeVisible();
});

test('a removal that is cancelled while it is sent does not go out again', async () => {
  await open((net) => net.on('getSecondFactors', someFactors({ ...here, passkeys: [phone], backup_codes: 10 })));
  await button('Remove Phone').click();
  const remove = dialog('Remove Passkey');
  await remove.getByLabelText('Or a Backup Code').fill('abcd-efgh');
  const loads = network.of('getSecondFactors').length;
  await expectNoFurtherTry(network, 'removePasskey', {
    confirm: () => remove.getByRole('button', { name: 'Remove Passkey' }).click(),
    cancel: () => remove.getByRole('button', { name: 'Cancel' }).click(),
    says: 'Cancelled: nothing more is sent. The passkey may be removed already: check the list.',
  });
  expect(network.of('getSecondFactors').length).toBeGreaterThan(loads);
});

test('new backup codes that are cancelled while they are asked for are not asked for again', async () => {
  await open((net) => net.on('getSecondFactors', someFactors({ ...here, passkeys: [phone], backup_codes: 10 })));
  await button('New Backup Codes').click();
  await expectNoFurtherTry(network, 'renewBackupCodes', {
    confirm: () => dialog('New Backup Codes').getByRole('button', { name: 'Make New Codes' }).click(),
    cancel: () => dialog('New Backup Codes').getByRole('button', { name: 'Cancel' }).click(),
    says: 'Cancelled: nothing more is sent. The backup codes you have may be void already: make new ones.',
  });
});

describe('what a passkey of the browser is for', () => {
  const challenge = { challenge: 'AAAA', rp_id: window.location.hostname, passkeys: [] };
  const bytes = new ArrayBuffer(1);
  const credential = {
    id: 'AA',
    rawId: bytes,
    type: 'public-key',
    response: { clientDataJSON: bytes, attestationObject: bytes, authenticatorData: bytes, signature: bytes, getTransports: () => [] },
    getClientExtensionResults: () => ({}),
  } as unknown as Credential;
  const openAdd = async () => {
    await open((net) => net.on('getSecondFactors', someFactors(here)).on('startPasskey', { ...challenge, user: 'AAAA', email: 'a@b.cd' }));
    await button('Add Passkey').click();
    await dialog('Add a Passkey').getByLabelText('Name').fill('Phone');
  };
  const openRemove = async () => {
    await open((net) =>
      net.on('getSecondFactors', someFactors({ ...here, passkeys: [phone], backup_codes: 10 })).on('startPasskeyProof', challenge),
    );
    await button('Remove Phone').click();
  };
  const added =
    'Cancelled: nothing more is sent. The passkey may be added already: check the list. If it is your first one, make new backup codes.';
  const removed = 'Cancelled: nothing more is sent. The passkey may be removed already: check the list.';
  const cases = [
    ['an addition', 'create', openAdd, 'Add a Passkey', 'Add Passkey', 'addPasskey', added],
    ['a removal', 'get', openRemove, 'Remove Passkey', 'Confirm With a Passkey', 'removePasskey', removed],
  ] as const;

  test.each(cases)('%s that is cancelled while it is sent does not go out again', async (_, asks, openForm, title, act, call, says) => {
    vi.spyOn(navigator.credentials, asks).mockResolvedValue(credential);
    await openForm();
    await expectNoFurtherTry(network, call, {
      confirm: () => dialog(title).getByRole('button', { name: act }).click(),
      cancel: () => dialog(title).getByRole('button', { name: 'Cancel' }).click(),
      says,
    });
  });

  test.each(cases)('%s that is cancelled while the browser asks is not sent', async (_, asks, openForm, title, act, call, says) => {
    const asked = Promise.withResolvers<Credential>();
    const asking = vi.spyOn(navigator.credentials, asks).mockReturnValue(asked.promise);
    await openForm();
    holdMoments();
    await dialog(title).getByRole('button', { name: act }).click();
    await expect.poll(() => asking.mock.calls.length).toBe(1);
    await dialog(title).getByRole('button', { name: 'Cancel' }).click();
    await expect.element(page.getByText(says)).toBeVisible();
    asked.resolve(credential);
    await pass(1000);
    expect(network.of(call)).toEqual([]);
  });
});
