import { channelTopics } from '#contract/channels.ts';
import axe from 'axe-core';
import { afterEach, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import type { Answerer } from '../../testing/answerer.ts';
import { problem } from '../../testing/answerer.ts';
import { holdMoments } from '../../testing/held-time.ts';
import { expectNoFurtherTry } from '../../testing/cancelled-question.ts';
import { aChannel, aUser } from '../../testing/samples/users.ts';
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
const section = () => settings().getByRole('group', { name: 'Channels', exact: true });
const row = (n: number) => section().getByRole('listitem').nth(n);
const button = (name: string | RegExp) => section().getByRole('button', { name });
/** Gives an object another property until the function that it returns is called. */
const replaced = (of: object, name: string, value: unknown) => {
  const before = Object.getOwnPropertyDescriptor(of, name);
  Object.defineProperty(of, name, { configurable: true, get: () => value });
  return () => void (before === undefined ? Reflect.deleteProperty(of, name) : Object.defineProperty(of, name, before));
};
const removed = (of: object, name: string) => {
  const before = Object.getOwnPropertyDescriptor(of, name) ?? {};
  Reflect.deleteProperty(of, name);
  return () => void Object.defineProperty(of, name, before);
};
const faults = async (of: Element) => (await axe.run(of)).violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`);

describe('the list', () => {
  test('without channels says what they are for', async () => {
    await open();
    await expect.element(section().getByText(/There is no channel yet/u)).toBeVisible();
    await expect.element(button('Add Channel')).toBeEnabled();
  });

  test('that cannot be loaded says so', async () => {
    await open((net) => net.on('listChannels', problem(500, 'Something went wrong. Please try again.')));
    await expect.element(section().getByText('Failed to load channels. Please try again.')).toBeVisible();
  });

  test('says of each how it is, what it is about and when it is quiet', async () => {
    const error = 'The other side refused the message (HTTP 500).';
    await open((net) =>
      net.on('listChannels', [
        aChannel(1),
        aChannel(2, { kind: 'telegram', sent_at: '2026-11-20T07:08:09.000Z', quiet: { from: '22:00', until: '07:00', zone: 'UTC' } }),
        aChannel(3, { kind: 'webhook', error, given_up: 3, given_up_at: '2026-11-20T07:08:09.000Z', topics: ['day-sum'] }),
        aChannel(4, { paused: 'gone', error: 'Nobody takes messages at this address any more (HTTP 404).' }),
        aChannel(5, { paused: 'person', breaks_quiet: false, quiet: { from: '22:00', until: '07:00', zone: 'Europe/Zurich' } }),
        aChannel(6, { paused: 'role' }),
        aChannel(7, { paused: 'suspended' }),
      ]),
    );
    for (const [at, text] of [
      'Phone 1, ntfy ****bourNothing sent yetTrade opened, Trade closed',
      'Phone 2, Telegram ****bourLast message 2026-11-20 07:08:09 UTCTrade opened, Trade closed. Quiet 22:00 to 07:00 UTC, alarms break through',
      `Phone 3, Webhook ****bour${error}Sum of the day3 messages could not be delivered for a day and were given up, last 2026-11-20 07:08:09 UTC`,
      'Paused: Nobody takes messages at this address any more (HTTP 404).',
      'Paused by youTrade opened, Trade closed. Quiet 22:00 to 07:00 Europe/Zurich',
      'Paused because your role was changed. Resume it if you still want it.',
      'Paused because your account was suspended. Resume it if you still want it.',
    ].entries())
      await expect.poll(() => row(at).element().textContent).toContain(text);
    expect(await faults(settings().element())).toEqual([]);
  });

  test('is followed while a message waits', async () => {
    let channel = aChannel(1, { waiting: 2 });
    await open((net) => net.on('listChannels', () => [channel]));
    await expect.element(row(0).getByText('Nothing sent yet, 2 messages wait')).toBeVisible();
    channel = aChannel(1, { sent_at: '2026-11-20T07:08:09.000Z' });
    await expect.element(row(0).getByText('Last message 2026-11-20 07:08:09 UTC')).toBeVisible();
  });

  test('of ten takes no more', async () => {
    await open((net) =>
      net.on(
        'listChannels',
        Array.from({ length: 10 }, (_, i) => aChannel(i)),
      ),
    );
    await expect.element(button('Add Channel')).toBeDisabled();
  });
});

describe('what is done with a channel', () => {
  test('a test message: busy, taken, not taken with the reason, failed', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await open((net) =>
      net.on('listChannels', [aChannel(1), aChannel(2)]).on('testChannel', async () => {
        await promise;
        return { error: null };
      }),
    );
    const test1 = button('Test Phone 1, ntfy ****bour');
    await test1.click();
    await expect.element(button('Test Phone 2, ntfy ****bour')).toBeDisabled();
    resolve();
    await expect.element(row(0).getByText('The test message was taken.')).toBeVisible();
    network.on('testChannel', { error: 'The host did not answer in time.' });
    await test1.click();
    await expect.element(row(0).getByText('The test message was not taken: The host did not answer in time.')).toBeVisible();
    network.on('testChannel', problem(429, 'Too many requests. Please try again later.'));
    await test1.click();
    await expect.element(settings().getByText('Failed to send the test message')).toBeVisible();
    await expect.element(settings().getByText('Too many requests. Please try again later.')).toBeVisible();
    expect(
      row(0)
        .getByText(/The test message/u)
        .elements(),
    ).toEqual([]);
  });

  test('it is paused and resumed', async () => {
    holdMoments(2000);
    await open((net) => net.on('listChannels', [aChannel(1)]).on('changeChannel', { status: 'Channel changed' }));
    network.on('listChannels', [aChannel(1, { paused: 'person' })]);
    await button(/^Pause/u).click();
    await expect.element(row(0).getByText('Paused by you')).toBeVisible();
    await expect.element(settings().getByText('Changes saved!')).toBeVisible();
    network.on('changeChannel', problem(404, 'Channel not found'));
    await button(/^Resume/u).click();
    await expect.element(settings().getByText('Failed to resume the channel')).toBeVisible();
    expect(network.of('changeChannel').map(({ body }) => body)).toEqual([{ paused: true }, { paused: false }]);
  });

  test('it is deleted after a confirmation', async () => {
    await open((net) => net.on('listChannels', [aChannel(1)]).on('deleteChannel', { status: 'Channel deleted' }));
    const confirm = page.getByRole('dialog', { name: 'Delete Channel' });
    await button(/^Delete/u).click();
    await confirm.getByRole('button', { name: 'Cancel' }).click();
    expect(network.of('deleteChannel')).toEqual([]);
    await button(/^Delete/u).click();
    network.on('listChannels', []);
    await confirm.getByRole('button', { name: 'Delete' }).click();
    await expect.element(section().getByText(/There is no channel yet/u)).toBeVisible();
  });

  test('a deletion and a change that are cancelled while they are sent do not go out again', async () => {
    await open((net) => net.on('listChannels', [aChannel(1)]));
    const deleting = page.getByRole('dialog', { name: 'Delete Channel' });
    await button(/^Delete/u).click();
    await expectNoFurtherTry(network, 'deleteChannel', {
      confirm: () => deleting.getByRole('button', { name: 'Delete' }).click(),
      cancel: () => deleting.getByRole('button', { name: 'Cancel' }).click(),
      says: 'Cancelled: nothing more is sent. The channel may be deleted already: check the list.',
    });
    const changing = page.getByRole('dialog', { name: 'Change Channel' });
    await button(/^Change/u).click();
    await expectNoFurtherTry(network, 'changeChannel', {
      confirm: () => changing.getByRole('button', { name: 'Save Changes' }).click(),
      cancel: () => changing.getByRole('button', { name: 'Cancel' }).click(),
      says: 'Cancelled: nothing more is sent. The channel may be changed already: check the list.',
    });
  });

  test('its settings are changed; what is wrong is named and kept', async () => {
    holdMoments(2000);
    const quiet = { from: '22:00', until: '07:00', zone: 'Europe/Zurich' };
    await open((net) => net.on('listChannels', [aChannel(1, { quiet })]).on('changeChannel', problem(400, 'Invalid request')));
    await button(/^Change/u).click();
    const dialog = page.getByRole('dialog', { name: 'Change Channel' });
    await expect.element(dialog.getByRole('combobox', { name: 'Time zone' })).toHaveValue('Europe/Zurich');
    for (const name of ['Trade opened', 'Trade closed']) await dialog.getByRole('checkbox', { name }).click();
    const save = dialog.getByRole('button', { name: 'Save Changes' });
    await save.click();
    await expect.element(dialog.getByText('Choose at least one thing that the channel is about.')).toBeVisible();
    await dialog.getByRole('checkbox', { name: 'Sum of the day' }).click();
    await dialog.getByLabelText('From').fill('07:00');
    await save.click();
    await expect.element(dialog.getByText(/Quiet hours need a beginning and another end/u)).toBeVisible();
    await dialog.getByLabelText('From').fill('21:30');
    await dialog.getByRole('switch', { name: 'Missing stops and lost runners break through' }).click();
    expect(await faults(dialog.element())).toEqual([]);
    await save.click();
    await expect.element(dialog.getByText('Failed to change the channel')).toBeVisible();
    network.on('changeChannel', { status: 'Channel changed' });
    await save.click();
    await expect.element(settings().getByText('Changes saved!')).toBeVisible();
    expect(network.of('changeChannel').at(-1)?.body).toEqual({
      name: 'Phone 1',
      topics: ['day-sum'],
      quiet: { ...quiet, from: '21:30' },
      breaks_quiet: false,
    });
  });
});

describe('a new one', () => {
  const dialog = () => page.getByRole('dialog', { name: 'Add Channel' });
  const field = (name: string) => dialog().getByLabelText(name, { exact: true });
  const choose = async (name: string) => {
    await dialog().getByRole('combobox', { name: 'Service' }).click();
    await page.getByRole('option', { name, exact: true }).click();
  };
  const add = () => dialog().getByRole('button', { name: 'Add Channel' }).click();

  test('what is missing is named, and nothing is sent', async () => {
    await open();
    await button('Add Channel').click();
    await add();
    await expect.element(dialog().getByText('Enter the token of your bot')).toBeVisible();
    await field('Bot token').fill('123:abc');
    await add();
    await expect.element(dialog().getByText('Enter the id of the chat')).toBeVisible();
    await choose('Discord');
    await add();
    await expect.element(dialog().getByText('Enter the address', { exact: true })).toBeVisible();
    await field('Address').fill('https://discord.com/api/webhooks/1/a');
    await add();
    await expect.element(dialog().getByText('Name is required')).toBeVisible();
    expect(network.of('addChannel')).toEqual([]);
    expect(await faults(dialog().element())).toEqual([]);
  });

  test('that is cancelled while it is sent does not go out again', async () => {
    await open();
    await button('Add Channel').click();
    await choose('ntfy');
    await field('Address').fill('https://ntfy.sh/harbour');
    await field('Name').fill('My phone');
    await expectNoFurtherTry(network, 'addChannel', {
      confirm: add,
      cancel: () => dialog().getByRole('button', { name: 'Cancel' }).click(),
      says: 'Cancelled: nothing more is sent. The channel may be added already: check the list.',
    });
  });

  test('is sent with the fields of its service alone; a refusal keeps what was typed', async () => {
    await open((net) => net.on('addChannel', problem(400, 'The host has no public address.')));
    await button('Add Channel').click();
    await choose('ntfy');
    await field('Address').fill(' https://ntfy.sh/harbour ');
    await field('Name').fill('My phone');
    await add();
    await expect.element(dialog().getByText('Failed to add the channel')).toBeVisible();
    await expect.element(dialog().getByText('The host has no public address.')).toBeVisible();
    await expect.element(field('Address')).toHaveValue(' https://ntfy.sh/harbour ');
    network.on('addChannel', { id: 'x', secret: null }).on('listChannels', [aChannel(1)]);
    await add();
    await expect.element(dialog()).not.toBeInTheDocument();
    await expect.element(row(0)).toBeVisible();
    expect(network.of('addChannel').at(-1)?.body).toEqual({
      kind: 'ntfy',
      address: 'https://ntfy.sh/harbour',
      name: 'My phone',
      topics: [...channelTopics],
      quiet: null,
      breaks_quiet: true,
    });
  });

  test('of a webhook shows its secret once, until the person says that it is stored', async () => {
    const secret = 'whsec_c2VjcmV0IG9mIGEgd2ViaG9vaw==';
    await open((net) => net.on('addChannel', { id: 'x', secret }));
    await button('Add Channel').click();
    await choose('Webhook');
    await field('Address').fill('https://hooks.harbour.trade/in');
    await field('Name').fill('Desk');
    await add();
    const shown = page.getByRole('dialog', { name: 'Secret of the Webhook' });
    await expect.element(shown.getByText(secret)).toBeVisible();
    expect(await faults(shown.element())).toEqual([]);
    await shown.getByRole('button', { name: 'I Have Stored It' }).click();
    await expect.element(page.getByText(secret)).not.toBeInTheDocument();
  });

  test.each([
    [
      'without https',
      () => replaced(window, 'isSecureContext', false),
      'Browsers show notifications only for pages over https, or on the same machine (localhost).',
    ],
    [
      'of an iPhone that was not opened from the Home Screen',
      () => {
        const [pushManager, standalone] = [removed(window, 'PushManager'), replaced(navigator, 'standalone', false)];
        return () => {
          pushManager();
          standalone();
        };
      },
      'On an iPhone or iPad, add Flotilla to the Home Screen, open it there, and add the channel then.',
    ],
    ['that knows no push messages', () => removed(window, 'PushManager'), 'This browser cannot take notifications from pages.'],
    [
      'that blocks notifications',
      () => replaced(Notification, 'permission', 'denied'),
      'Notifications of this page are blocked. Allow them in the settings of the browser.',
    ],
  ])('of a browser %s says why not, and sends nothing', async (_, without, reason) => {
    await open();
    const putBack = without();
    try {
      await button('Add Channel').click();
      await choose('This browser');
      await expect.element(dialog().getByText(reason)).toBeVisible();
      await expect.element(field('Address')).not.toBeInTheDocument();
      await field('Name').fill('My laptop');
      await add();
      await expect.element(dialog().getByRole('alert').getByText(reason)).toBeVisible();
      expect([network.of('addChannel'), network.of('channelBrowserKey')]).toEqual([[], []]);
    } finally {
      putBack();
    }
  });

  test.each([
    ['denied', /^Notifications of this page are blocked/u],
    ['default', /^Notifications were not allowed/u],
  ])('of a browser whose person answers %s is not added', async (answer, reason) => {
    await open();
    const allowed = replaced(Notification, 'permission', 'default');
    const ask = replaced(Notification, 'requestPermission', async () => answer);
    try {
      await button('Add Channel').click();
      await choose('This browser');
      await field('Name').fill('My laptop');
      await add();
      await expect.element(dialog().getByText('Failed to add the channel')).toBeVisible();
      await expect.element(dialog().getByText(reason)).toBeVisible();
      expect(network.of('addChannel')).toEqual([]);
    } finally {
      ask();
      allowed();
    }
  });

  test('of a browser that is cancelled while it is sent does not go out again, and the browser takes nothing any more', async () => {
    await open((net) => net.on('channelBrowserKey', { key: 'AAAA' }));
    let isSubscribed = false;
    const subscription = {
      endpoint: 'https://push.harbour.trade/x',
      toJSON: () => ({ endpoint: 'https://push.harbour.trade/x', keys: { p256dh: 'a', auth: 'b' } }),
      unsubscribe: async () => (isSubscribed = false),
    };
    const pushManager = {
      getSubscription: async () => (isSubscribed ? subscription : null),
      subscribe: async () => {
        isSubscribed = true;
        return subscription;
      },
    };
    const putBack = [
      replaced(Notification, 'permission', 'default'),
      replaced(Notification, 'requestPermission', async () => 'granted'),
      replaced(navigator, 'serviceWorker', { register: async () => undefined, ready: Promise.resolve({ pushManager }) }),
    ];
    try {
      await button('Add Channel').click();
      await choose('This browser');
      await field('Name').fill('My laptop');
      await expectNoFurtherTry(network, 'addChannel', {
        confirm: add,
        cancel: () => dialog().getByRole('button', { name: 'Cancel' }).click(),
        says: 'Cancelled: nothing more is sent. The channel may be added already: check the list.',
      });
      await expect.poll(() => isSubscribed).toBe(false);
    } finally {
      for (const put of putBack) put();
    }
  });

  test('asks for the password again where that is long ago', async () => {
    await open((net) =>
      net
        .on('confirmPassword', { status: 'Password confirmed' })
        .on('addChannel', () =>
          network.of('confirmPassword').length === 0 ? problem(403, 'Enter your current password to continue.') : { id: 'x', secret: null },
        ),
    );
    await button('Add Channel').click();
    await choose('Slack');
    await field('Address').fill('https://hooks.slack.com/services/T/B/x');
    await field('Name').fill('Desk');
    await add();
    const ask = page.getByRole('textbox', { name: 'Current Password' });
    await ask.fill('correct horse battery');
    await page.getByRole('button', { name: /^(?:Continue|Confirm)$/u }).click();
    await expect.element(dialog()).not.toBeInTheDocument();
    expect(network.of('addChannel')).toHaveLength(2);
  });
});
