import axe from 'axe-core';
import { afterEach, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import type { Answerer } from '../testing/answerer.ts';
import { problem } from '../testing/answerer.ts';
import { holdMoments } from '../testing/held-time.ts';
import { expectNoFurtherTry } from '../testing/cancelled-question.ts';
import { idOf } from '../testing/samples/ids.ts';
import { anApiKey, aSession, aUser } from '../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';

let network: Answerer;
const open = async (answers: (network: Answerer) => Answerer) => {
  network = answers(answerFor(aUser('trader')));
  startPage('/');
  await render(<TestPage path="/" search="?tab=reports" />);
  await page.getByTitle('Your Account Settings').click();
};
afterEach(async () => {
  await cleanup();
  network.stop();
});
const settings = () => page.getByRole('dialog', { name: 'Your Account Settings' });
const group = (name: string) => settings().getByRole('group', { name, exact: true });
const rows = (name: string) => group(name).getByRole('listitem');
const faults = async () => (await axe.run(settings().element())).violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`);

describe('sessions', () => {
  const sessions = [
    aSession(1, { is_current: true }),
    aSession(2, { device: 'Safari on iOS', address: '2001:db8::1' }),
    aSession(3, { device: null, address: null }),
  ];

  test('are listed with device and address; one is ended, and the list is loaded again', async () => {
    holdMoments(2000);
    await open((net) => net.on('listSessions', sessions).on('endOwnSession', { status: 'Session ended' }));
    await expect.poll(() => rows('Sessions').all()[0]?.element().textContent).toContain('Firefox on Linux');
    await expect.element(rows('Sessions').nth(0).getByText('This session')).toBeVisible();
    await expect
      .poll(() => rows('Sessions').all()[1]?.element().textContent)
      .toContain('Safari on iOS2001:db8::1, signed in 2026-11-20 00:00:00 UTC');
    await expect.poll(() => rows('Sessions').all()[2]?.element().textContent).toContain('Unknown deviceUnknown address');
    expect(await faults()).toEqual([]);
    network.on('listSessions', sessions.slice(0, 1));
    await settings().getByRole('button', { name: 'End the session on Safari on iOS, 2001:db8::1' }).click();
    await expect.element(settings().getByText('Changes saved!')).toBeVisible();
    await expect.element(group('Sessions').getByText('Safari on iOS')).not.toBeInTheDocument();
    await expect.element(group('Sessions').getByRole('button', { name: 'End All Others' })).not.toBeInTheDocument();
    expect(network.of('endOwnSession').map(({ path }) => path)).toEqual([`/auth/sessions/${sessions[1]?.id}/end`]);
  });

  test('all others are ended at once; a failure is said at the top', async () => {
    holdMoments(2000);
    await open((net) =>
      net.on('listSessions', sessions).on('endOtherSessions', problem(429, 'Too many requests. Please try again later.')),
    );
    const all = group('Sessions').getByRole('button', { name: 'End All Others' });
    await all.click();
    await expect.element(settings().getByText('Failed to end the session. Please try again.')).toBeVisible();
    await expect.element(settings().getByText('Too many requests. Please try again later.')).toBeVisible();
    network.on('endOtherSessions', { status: 'All other sessions have ended' });
    await all.click();
    await expect.element(settings().getByText('Changes saved!')).toBeVisible();
    await expect.element(settings().getByText('Failed to end the session. Please try again.')).not.toBeInTheDocument();
  });

  test('that cannot be loaded are said to be so', async () => {
    await open((net) => net.on('listSessions', problem(403, 'Not now')).on('listApiKeys', problem(403, 'Not now')));
    await expect.element(group('Sessions').getByText('Failed to load sessions. Please try again.')).toBeVisible();
    await expect.element(group('API Keys').getByText('Failed to load API keys. Please try again.')).toBeVisible();
  });
});

describe('API keys', () => {
  const key = anApiKey(1, { label: 'main', bots: [{ id: idOf(101), nickname: 'Bot 1', mode: 'paper', status: 'active' }] });

  test('without any it says what one is for', async () => {
    await open((net) => net);
    await expect
      .element(group('API Keys').getByText('A bot needs a key of its exchange to trade with real money. There is none yet.'))
      .toBeVisible();
    expect(await faults()).toEqual([]);
  });

  test('each says what its exchange thinks of it and who uses it', async () => {
    const live = { id: idOf(102), nickname: 'Bot 2', mode: 'live', status: 'active' } as const;
    await open((net) =>
      net.on('listApiKeys', [
        key,
        anApiKey(2, {
          exchange: 'okx',
          exchange_name: 'OKX',
          can_trade: null,
          can_withdraw: null,
          bots: [live, ...key.bots],
          last_used: '2026-11-20T07:08:09.000Z',
        }),
        anApiKey(3, { check: 'refused', can_trade: null }),
        anApiKey(4, { check: 'unreachable', can_trade: null }),
        anApiKey(5, { can_trade: false }),
        anApiKey(7, { can_trade: false, bots: [live] }),
        anApiKey(6, { can_withdraw: true }),
      ]),
    );
    for (const [at, text] of [
      'main, Binance ****b07eAccepted by Binance for tradingUsed by 1 bot, 0 live, checked 2026-11-20 00:00:00, last order never',
      'OKX ****b07eAccepted by OKXUsed by 2 bots, 1 live, checked 2026-11-20 00:00:00, last order 2026-11-20 07:08:09',
      'Binance refuses this key',
      'Binance could not be reached',
      'Binance accepts it for reading only, not for trading',
      'Binance does not let it trade on the market of its bots',
      'This key may withdraw money. Replace it by one without that right.',
    ].entries())
      await expect.poll(() => rows('API Keys').all()[at]?.element().textContent).toContain(text);
    await expect.element(rows('API Keys').nth(0).getByRole('button', { name: 'Delete main, Binance ****b07e' })).toBeEnabled();
    await expect
      .element(
        rows('API Keys')
          .nth(1)
          .getByRole('button', { name: /^Delete/u }),
      )
      .toBeDisabled();
    expect(await faults()).toEqual([]);
  });

  test('a test is asked for and followed until the exchange has answered', async () => {
    let isChecking = false;
    await open((net) =>
      net
        .on('listApiKeys', () => [{ ...key, is_checking: isChecking }])
        .on('testApiKey', () => {
          isChecking = true;
          return { status: 'Checking the API key' };
        }),
    );
    await group('API Keys').getByRole('button', { name: /^Test/u }).click();
    await expect.element(group('API Keys').getByText('Asking Binance...')).toBeVisible();
    isChecking = false;
    await expect.element(group('API Keys').getByText('Accepted by Binance for trading')).toBeVisible();
    const after = network.of('listApiKeys').length;
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(network.of('listApiKeys')).toHaveLength(after);
  });

  test('a deletion that is cancelled while it is sent does not go out again', async () => {
    await open((net) => net.on('listApiKeys', [key]));
    const confirm = page.getByRole('dialog', { name: 'Delete API Key' });
    await group('API Keys')
      .getByRole('button', { name: /^Delete/u })
      .click();
    await expectNoFurtherTry(network, 'deleteApiKey', {
      confirm: () => confirm.getByRole('button', { name: 'Delete' }).click(),
      cancel: () => confirm.getByRole('button', { name: 'Cancel' }).click(),
      says: 'Cancelled: nothing more is sent. The key may be deleted already: check the list.',
    });
  });

  test('a key is deleted after a confirmation', async () => {
    holdMoments(2000);
    await open((net) =>
      net.on('listApiKeys', [key]).on('deleteApiKey', problem(409, 'A live bot trades with this key. Switch it to paper first.')),
    );
    const confirm = page.getByRole('dialog', { name: 'Delete API Key' });
    const remove = group('API Keys').getByRole('button', { name: /^Delete/u });
    await remove.click();
    await expect
      .element(confirm.getByText('Delete main, Binance ****b07e? It stays valid at Binance until it is deleted there too.'))
      .toBeVisible();
    await confirm.getByRole('button', { name: 'Cancel' }).click();
    expect(network.of('deleteApiKey')).toEqual([]);
    await remove.click();
    await confirm.getByRole('button', { name: 'Delete' }).click();
    await expect.element(settings().getByText('Failed to delete the API key')).toBeVisible();
    network.on('deleteApiKey', { status: 'API key deleted' });
    await remove.click();
    network.on('listApiKeys', []);
    await confirm.getByRole('button', { name: 'Delete' }).click();
    await expect.element(settings().getByText('Changes saved!')).toBeVisible();
    await expect.element(group('API Keys').getByText(/There is none yet/u)).toBeVisible();
  });

  describe('a new one', () => {
    const dialog = () => page.getByRole('dialog', { name: 'Add API Key' });
    const field = (name: string) => dialog().getByLabelText(name, { exact: true });
    const choose = async (name: string) => {
      await dialog().getByRole('combobox', { name: 'Exchange' }).click();
      await page.getByRole('option', { name, exact: true }).click();
    };
    const add = () => dialog().getByRole('button', { name: 'Add Key' }).click();
    const openForm = async (answers: (network: Answerer) => Answerer = (same) => same) => {
      const exchanges = ['Sandbox', 'Binance', 'OKX', 'Gate'].map((name) => ({ id: name.toLowerCase(), name }));
      await open((net) => answers(net.on('listExchanges', { exchanges })));
      await group('API Keys').getByRole('button', { name: 'Add Key' }).click();
    };

    test('what is missing is named and nothing is sent', async () => {
      await openForm();
      await add();
      await expect.element(dialog().getByText('Exchange is required')).toBeVisible();
      await choose('OKX');
      await add();
      await expect.element(dialog().getByText('Enter both the API key and its secret')).toBeVisible();
      await field('API Key').fill('a-key');
      await field('Secret').fill('a-secret');
      await add();
      await expect.element(dialog().getByText('This exchange gives a passphrase with each key. Enter it too.')).toBeVisible();
      expect(network.of('addApiKey')).toEqual([]);
      await choose('Binance'); // another exchange, another key
      await expect.element(field('API Key')).toHaveValue('');
      await expect.element(field('Passphrase')).not.toBeInTheDocument();
      await choose('Gate');
      await expect.element(field('Passphrase')).toBeVisible();
    });

    test('is sent whole, and the list is loaded again; a refusal keeps what was typed', async () => {
      await openForm((net) => net.on('addApiKey', problem(400, 'Invalid API key or secret')));
      await choose('OKX');
      await field('Label').fill('second account');
      await field('API Key').fill('a-key');
      await field('Secret').fill('a-secret');
      await field('Passphrase').fill('a-pass');
      await expect.element(field('Secret')).toHaveAttribute('type', 'password');
      await add();
      await expect.element(dialog().getByText('Failed to add the API key')).toBeVisible();
      await expect.element(dialog().getByText('Invalid API key or secret')).toBeVisible();
      await expect.element(field('API Key')).toHaveValue('a-key');
      network.on('addApiKey', { id: idOf(1), exchange: 'okx', label: 'second account', last_used: null }).on('listApiKeys', [key]);
      await add();
      await expect.element(dialog()).not.toBeInTheDocument();
      await expect.element(rows('API Keys').nth(0)).toBeVisible();
      expect(network.of('addApiKey').at(-1)?.body).toEqual({
        exchange_id: 'okx',
        label: 'second account',
        key: 'a-key',
        secret: 'a-secret',
        passphrase: 'a-pass',
      });
    });

    test('that is cancelled while it is sent does not go out again, and the list is loaded again', async () => {
      await openForm();
      await choose('Binance');
      await field('API Key').fill('a-key');
      await field('Secret').fill('a-secret');
      const lists = network.of('listApiKeys').length;
      await expectNoFurtherTry(network, 'addApiKey', {
        confirm: add,
        cancel: () => dialog().getByRole('button', { name: 'Cancel' }).click(),
        says: 'Cancelled: nothing more is sent. The key may be stored already: check the list.',
      });
      expect(network.of('listApiKeys').length).toBeGreaterThan(lists);
    });

    test('of the sandbox that comes late does not stand in the fields of another exchange', async () => {
      const late = Promise.withResolvers<{ key: string; secret: string }>();
      await openForm((net) => net.on('newSandboxKey', () => late.promise));
      await choose('Sandbox');
      await dialog().getByRole('button', { name: 'Get a Sandbox Key' }).click();
      await expect.poll(() => network.of('newSandboxKey').length).toBe(1);
      await choose('Binance');
      await field('API Key').fill('my own key');
      await expect.element(dialog().getByRole('button', { name: 'Add Key' })).toBeDisabled();
      late.resolve({ key: 't-key', secret: 's' });
      await expect.element(dialog().getByRole('button', { name: 'Add Key' })).toBeEnabled();
      await expect.element(field('API Key')).toHaveValue('my own key');
      await expect.element(field('Secret')).toHaveValue('');
    });

    test('of the sandbox that is refused late is no failure of another exchange', async () => {
      const late = Promise.withResolvers<ReturnType<typeof problem>>();
      await openForm((net) => net.on('newSandboxKey', () => late.promise));
      await choose('Sandbox');
      await dialog().getByRole('button', { name: 'Get a Sandbox Key' }).click();
      await choose('Binance');
      await expect.element(dialog().getByRole('button', { name: 'Add Key' })).toBeDisabled();
      late.resolve(problem(400, 'The sandbox has no room'));
      await expect.element(dialog().getByRole('button', { name: 'Add Key' })).toBeEnabled();
      expect(dialog().getByText('Failed to add the API key').elements()).toEqual([]);
      await choose('Sandbox');
      await expect.element(dialog().getByText('The sandbox has no room')).toBeVisible();
    });

    test('the sandbox gives one', async () => {
      await openForm((net) =>
        net
          .on('newSandboxKey', { key: 't-key', secret: 's' })
          .on('addApiKey', { id: idOf(1), exchange: 'sandbox', label: null, last_used: null }),
      );
      await choose('Sandbox');
      await dialog().getByRole('button', { name: 'Get a Sandbox Key' }).click();
      await expect.element(field('API Key')).toHaveValue('t-key');
      await add();
      await expect.element(dialog()).not.toBeInTheDocument();
      expect(network.of('addApiKey')[0]?.body).toEqual({ exchange_id: 'sandbox', key: 't-key', secret: 's' });
    });
  });
});
