import type { CallReply } from '#contract/client.ts';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page, userEvent } from 'vitest/browser';
import { noteAnswer, noteFailure } from '../api/connection.ts';
import { clearSession } from '../session/session-store.ts';
import type { Answerer } from '../testing/answerer.ts';
import { problem } from '../testing/answerer.ts';
import { holdMoments, pass } from '../testing/held-time.ts';
import { button, says } from '../testing/on-page.ts';
import { anInstallation } from '../testing/samples/installation.ts';
import { anInvitation, aUser } from '../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';
import { expectToast } from '../testing/toasts.ts';
import { setDraft } from './draft-store.ts';

let network: Answerer;
const open = async (answers: (network: Answerer) => Answerer = (same) => same) => {
  network = answers(answerFor(aUser('admin')));
  startPage('/');
  await render(<TestPage path="/" search="?tab=settings&view=installation" />);
  await expect.element(page.getByRole('navigation', { name: 'Settings pages' })).toBeVisible();
};
beforeAll(() => page.viewport(1440, 1000));
beforeEach(() => {
  clearSession();
  setDraft({});
});
afterEach(async () => {
  await cleanup();
  network.stop();
});

const field = (name: string) => page.getByRole('textbox', { name, exact: true });
const pending = () => page.getByRole('region', { name: 'Pending changes' });
const dialog = (name: string) => page.getByRole('dialog', { name });
const table = () => page.getByRole('table', { name: 'Invitations' });
const chosen = (name: string) => expect.element(page.getByRole('combobox', { name, exact: true }));
const choose = async (name: string, option: string) => {
  await page.getByRole('combobox', { name, exact: true }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
};
const sent = () => network.of('changeInstallation').map(({ body }) => body);

/** Answers a change as the server does. */
const changing = (net: Answerer, from = anInstallation()): Answerer => {
  let settings = from;
  return net
    .on('getInstallation', () => settings)
    .on('changeInstallation', ({ body }) => {
      settings = { ...settings, ...(body as Partial<CallReply<'getInstallation'>>), version: settings.version + 1 };
      return settings;
    });
};

describe('the settings', () => {
  test('are found in the rail and show what is in force', async () => {
    await open();
    await expect.element(page.getByRole('link', { name: 'Installation', exact: true })).toHaveAttribute('aria-current', 'page');
    await chosen('Require 2FA for').toHaveValue('Nobody');
    await chosen('May sign up').toHaveValue('Everybody');
    await chosen('Traders see').toHaveValue('All bots');
    await expect.element(field('Idle time')).toHaveValue('480 min');
    await says(
      'A session that is not used for this long ends. An open page counts as use, also when nobody sits at it. 15 minutes to 24 hours.',
    );
    await expect.element(field('Session length')).toHaveValue('168 h');
    await says('mails come from Flotilla <flotilla@localhost>');
    await says(/Without 2FA now: 4 accounts, of these 1 admin\./u);
    await expect.element(pending()).not.toBeInTheDocument();
  });

  test('and the invitations say that they are being loaded', async () => {
    let answer: (reply: CallReply<'getInstallation'>) => void = () => {};
    await open((net) =>
      net
        .on('getInstallation', () => new Promise((resolve) => (answer = resolve)))
        .on('listInvitations', () => new Promise(() => undefined)),
    );
    await expect.element(page.getByRole('status').filter({ hasText: 'Loading settings' })).toBeInTheDocument();
    await expect.poll(() => network.of('getInstallation').length).toBe(1);
    answer(anInstallation());
    await chosen('May sign up').toHaveValue('Everybody');
    await expect.element(page.getByRole('status').filter({ hasText: 'Loading invitations' })).toBeInTheDocument();
    await expect.element(page.getByText('No invitations yet')).not.toBeInTheDocument();
  });

  test('that change wait in a bar; saving sends them with the version that was loaded, and nothing else', async () => {
    await open((net) => changing(net, anInstallation({ version: 7 })));
    await choose('May sign up', 'Nobody');
    await choose('Traders see', 'Their own bots');
    await field('Idle time').fill('60');
    await field('Sender name').fill('Harbour Desk');
    await field('Sender address').fill('desk@harbour.example');
    await says('5 pending changes');
    await expect.element(pending().getByText('Idle time 480 min → 60 min')).toBeVisible();
    expect(sent()).toEqual([]);
    await expectToast('Settings saved!', () => button('Save Changes').click());
    await expect.element(pending()).not.toBeInTheDocument();
    expect(sent()).toEqual([
      {
        version: 7,
        registration: 'closed',
        shared_bot_list: false,
        session_idle_minutes: 60,
        sender_name: 'Harbour Desk',
        sender_address: 'desk@harbour.example',
      },
    ]);
    await choose('Traders see', 'All bots');
    await button('Save Changes').click();
    await expect.poll(sent).toMatchObject([{}, { version: 8, shared_bot_list: true }]);
    await expect.element(pending()).not.toBeInTheDocument();
    // What was saved is not pending again when somebody else sets it back.
    network.on('getInstallation', anInstallation({ version: 10 }));
    await page.getByRole('link', { name: 'Audit Log', exact: true }).click();
    await page.getByRole('link', { name: 'Installation', exact: true }).click();
    await expect.element(field('Idle time')).toHaveValue('480 min');
    await expect.element(pending()).not.toBeInTheDocument();
  });

  test('are as they were after Discard', async () => {
    await open();
    await choose('May sign up', 'Nobody');
    await field('Session length').fill('24');
    await button('Discard').click();
    await chosen('May sign up').toHaveValue('Everybody');
    await expect.element(field('Session length')).toHaveValue('168 h');
    await expect.element(pending()).not.toBeInTheDocument();
  });

  test('that were entered are still there after another page was shown', async () => {
    await open();
    await field('Idle time').fill('60');
    await page.getByRole('link', { name: 'Audit Log', exact: true }).click();
    await expect.element(page.getByRole('table', { name: 'Audit Log' })).toBeVisible();
    await page.getByRole('link', { name: 'Installation', exact: true }).click();
    await expect.element(field('Idle time')).toHaveValue('60 min');
    await says('1 pending change');
  });

  test('out of bounds are not sent; the fault stands at its field until it is mended', async () => {
    await open((net) => changing(net));
    await field('Idle time').fill('10');
    await button('Save Changes').click();
    await says('The idle time must be between 15 minutes and 24 hours');
    await field('Idle time').fill('30');
    await expect.element(page.getByText('The idle time must be between 15 minutes and 24 hours')).not.toBeInTheDocument();
    await field('Sender address').fill('desk');
    await says('The address of the sender must be an e-mail address');
    expect(sent()).toEqual([]);
  });

  test('that sign people out ask first, and say whom', async () => {
    await open((net) => changing(net));
    await choose('Require 2FA for', 'All accounts');
    await button('Save Changes').click();
    await expect.element(dialog('Save Changes').getByText(/^4 accounts have no 2FA and will be signed out/u)).toBeVisible();
    await dialog('Save Changes').getByRole('button', { name: 'Cancel' }).click();
    await expect.element(dialog('Save Changes')).not.toBeInTheDocument();
    expect(sent()).toEqual([]);
    await button('Save Changes').click();
    await expectToast('Settings saved!', () => dialog('Save Changes').getByRole('button', { name: 'Save Changes' }).click());
    expect(sent()).toEqual([{ version: 1, require_2fa: 'all' }]);
  });

  test('cannot be changed while they are being saved', async () => {
    holdMoments(2000);
    let answer: (reply: CallReply<'changeInstallation'>) => void = () => {};
    await open((net) => net.on('changeInstallation', () => new Promise((resolve) => (answer = resolve))));
    await choose('May sign up', 'Nobody');
    await button('Save Changes').click();
    await expect.element(button('Saving...')).toBeDisabled();
    for (const name of ['Idle time', 'Sender name']) await expect.element(field(name)).toBeDisabled();
    answer(anInstallation({ registration: 'closed', version: 2 }));
    await says('Settings saved!');
    await expect.element(field('Idle time')).toBeEnabled();
  });

  test('that were entered after a look at another page, while others were being saved, stay; what was saved is shown', async () => {
    const saved = Promise.withResolvers<CallReply<'changeInstallation'>>();
    await open((net) => net.on('changeInstallation', () => saved.promise));
    await choose('May sign up', 'Nobody');
    await button('Save Changes').click();
    await expect.poll(() => sent().length).toBe(1);
    await page.getByRole('link', { name: 'Audit Log', exact: true }).click();
    await expect.element(page.getByRole('table', { name: 'Audit Log' })).toBeVisible();
    await page.getByRole('link', { name: 'Installation', exact: true }).click();
    await field('Idle time').fill('60');
    const late = Promise.withResolvers<CallReply<'getInstallation'>>();
    network.on('getInstallation', () => late.promise);
    const asked = network.of('getInstallation').length;
    noteFailure('no-answer', Date.now() - 5_000);
    noteAnswer(Date.now()); // after an outage everything is loaded again
    await expect.poll(() => network.of('getInstallation').length).toBeGreaterThan(asked);
    await expectToast('Settings saved!', async () => saved.resolve(anInstallation({ registration: 'closed', version: 2 })));
    late.resolve(anInstallation());
    await pass(0);
    await chosen('May sign up').toHaveValue('Nobody');
    await expect.element(field('Idle time')).toHaveValue('60 min');
    await says('1 pending change');
  });

  test('that could not be saved are still entered, with the reason', async () => {
    await open((net) => net.on('changeInstallation', problem(400, 'Switch on 2FA for your own account first.')));
    await choose('Require 2FA for', 'Admins');
    await button('Save Changes').click();
    await dialog('Save Changes').getByRole('button', { name: 'Save Changes' }).click();
    await says('The settings were not saved.');
    await says('Switch on 2FA for your own account first.');
    await chosen('Require 2FA for').toHaveValue('Admins');
    await button('Discard').click();
    await expect.element(page.getByText('The settings were not saved.')).not.toBeInTheDocument();
  });

  test('that somebody else has changed are loaded again, and nothing that was entered is lost', async () => {
    await open((net) => net.on('changeInstallation', problem(409, 'The settings were changed by somebody else. Reload and try again.')));
    await choose('May sign up', 'Nobody');
    await field('Idle time').fill('60');
    await button('Save Changes').click();
    await says('The settings were changed by somebody else. Reload and try again.');
    changing(network, anInstallation({ version: 4, registration: 'closed', shared_bot_list: false }));
    await button('Reload').click();
    await chosen('Traders see').toHaveValue('Their own bots');
    await expect.element(field('Idle time')).toHaveValue('60 min');
    await says('1 pending change'); // the other one has been made
    await expect.element(page.getByText('The settings were not saved.')).not.toBeInTheDocument();
    await expectToast('Settings saved!', () => button('Save Changes').click());
    expect(sent().at(-1)).toEqual({ version: 4, session_idle_minutes: 60 });
  });

  test('that cannot be loaded say so and can be asked for again', async () => {
    await open((net) => net.on('getInstallation', problem(403, 'Admin access required')));
    await says('Failed to load the settings. Please try again.');
    await expect.element(page.getByRole('combobox', { name: 'May sign up' })).not.toBeInTheDocument();
    network.on('getInstallation', anInstallation());
    await button('Try Again').click();
    await chosen('May sign up').toHaveValue('Everybody');
  });
});

describe('invitations', () => {
  const byInvitation = (net: Answerer) => net.on('getInstallation', anInstallation({ registration: 'invitation' }));

  test('can be sent only while sign-up is by invitation', async () => {
    await open();
    await says('No invitations yet');
    await says(/^Invitations can be sent and used while only people with an invitation may sign up\./u);
    await expect.element(field('Email to invite')).not.toBeInTheDocument();
  });

  test('are sent for a role and listed with their state', async () => {
    let list: CallReply<'listInvitations'> = [];
    await open((net) =>
      byInvitation(net)
        .on('listInvitations', () => list)
        .on('invite', ({ body }) => {
          const { email, role } = body as { email: string; role: 'operator' };
          list = [anInvitation(1, { email, role })];
          return anInvitation(1, { email, role });
        }),
    );
    await field('Email to invite').fill('no address');
    await button('Send Invitation').click();
    await says('Invalid email address');
    expect(network.of('invite')).toEqual([]);
    await field('Email to invite').fill(' mira@harbour.example ');
    await choose('Role', 'operator');
    await expectToast('Invitation sent!', () => button('Send Invitation').click());
    expect(network.of('invite').map(({ body }) => body)).toEqual([{ email: 'mira@harbour.example', role: 'operator' }]);
    await expect.element(table().getByRole('row', { name: /mira@harbour\.example operator open admin@flotilla\.example/u })).toBeVisible();
    await expect.element(field('Email to invite')).toHaveValue('');
    await says('1 open');
  });

  test('that were not sent leave the address entered, with the reason', async () => {
    await open((net) => byInvitation(net).on('invite', problem(503, 'Email could not be sent. Please try again.')));
    await field('Email to invite').fill('mira@harbour.example');
    await button('Send Invitation').click();
    await says('The invitation was not sent.');
    await says('Email could not be sent. Please try again.');
    await expect.element(field('Email to invite')).toHaveValue('mira@harbour.example');
  });

  test('leave an address that was typed while the one before was sent', async () => {
    const sending = Promise.withResolvers<ReturnType<typeof anInvitation>>();
    await open((net) => byInvitation(net).on('invite', () => sending.promise));
    await field('Email to invite').fill('mira@harbour.example');
    await button('Send Invitation').click();
    await expect.poll(() => network.of('invite').length).toBe(1);
    await field('Email to invite').fill('noor@harbour.example');
    await expectToast('Invitation sent!', async () => sending.resolve(anInvitation(1)));
    await expect.element(button('Send Invitation')).toBeEnabled(); // the list is loaded again, and the form is done
    await expect.element(field('Email to invite')).toHaveValue('noor@harbour.example');
  });

  test('are withdrawn one after the other, and none is sent meanwhile', async () => {
    const withdrawing = Promise.withResolvers<{ status: string }>();
    await open((net) =>
      byInvitation(net)
        .on('listInvitations', [anInvitation(1), anInvitation(2)])
        .on('withdrawInvitation', () => withdrawing.promise),
    );
    await button('Withdraw the invitation of guest-1@example.com').click();
    await dialog('Withdraw Invitation').getByRole('button', { name: 'Withdraw' }).click();
    await expect.element(button('Withdraw the invitation of guest-2@example.com')).toBeDisabled();
    await expect.element(button('Send Invitation')).toBeDisabled();
    withdrawing.resolve({ status: 'Invitation withdrawn' });
    await expect.element(button('Send Invitation')).toBeEnabled();
  });

  test('that are open are withdrawn after a question; others cannot be', async () => {
    const states = ['open', 'used', 'withdrawn', 'expired'] as const;
    let list = states.map((state, i) => anInvitation(i + 1, { state }));
    await open((net) =>
      byInvitation(net)
        .on('listInvitations', () => list)
        .on('withdrawInvitation', ({ path }) => {
          expect(path).toBe(`/invitations/${anInvitation(1).id}/withdraw`);
          list = list.map((each, i) => (i === 0 ? { ...each, state: 'withdrawn' } : each));
          return { status: 'Invitation withdrawn' };
        }),
    );
    await expect.element(table()).toBeVisible();
    expect(document.querySelectorAll('.inst-action button').length).toBe(1);
    const withdraw = button('Withdraw the invitation of guest-1@example.com');
    await withdraw.click();
    await says('The code that was mailed to guest-1@example.com will no longer work.');
    await dialog('Withdraw Invitation').getByRole('button', { name: 'Cancel' }).click();
    expect(network.of('withdrawInvitation')).toEqual([]);
    await withdraw.click();
    await expectToast('Invitation withdrawn!', () => dialog('Withdraw Invitation').getByRole('button', { name: 'Withdraw' }).click());
    await says('0 open');
    await expect.element(withdraw).not.toBeInTheDocument();
  });

  test('that cannot be loaded say so and can be asked for again', async () => {
    await open((net) => byInvitation(net).on('listInvitations', problem(500)));
    await says('Failed to load invitations. Please try again.');
    network.on('listInvitations', [anInvitation(1)]);
    await button('Try Again').click();
    await expect.element(table().getByText('guest-1@example.com')).toBeVisible();
  });

  test.each([1440, 1024, 390])('two hundred of them scroll in their own frame, or with the page on a phone: %i px', async (width) => {
    await page.viewport(width, 900);
    const many = Array.from({ length: 200 }, (_, i) => anInvitation(i + 1, { email: `${'long-'.repeat(12)}${i}@mail.harbour.example` }));
    await open((net) => byInvitation(net).on('listInvitations', many));
    await expect.element(table()).toBeVisible();
    expect(table().getByRole('row').elements().length).toBeGreaterThanOrEqual(200);
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(width);
    if (width > 640) expect(document.querySelector('.inst-scroll')?.clientHeight).toBeLessThan(500);
    await page.viewport(1440, 1000);
  });
});

test('everything is reached with the keyboard', async () => {
  holdMoments(2000);
  await open((net) => changing(net));
  await expect.element(field('Sender name')).toBeVisible();
  await field('Sender name').click();
  await userEvent.keyboard('Desk');
  await userEvent.tab();
  await expect.element(field('Sender address')).toHaveFocus();
  await userEvent.tab();
  await expect.element(button('Discard')).toHaveFocus();
  await userEvent.tab();
  await userEvent.keyboard('{Enter}');
  await says('Settings saved!');
});
