import { otherMode } from '#contract/bots.ts';
import type { Role } from '#contract/fields.ts';
import { roles } from '#contract/fields.ts';
import { notVerifiedForAdmin } from '#contract/users.ts';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page, userEvent } from 'vitest/browser';
import { changeAddress } from '../address/address.ts';
import { createQueryClient } from '../api/query-client.ts';
import { clearSession, setUser } from '../session/session-store.ts';
import type { Answerer } from '../testing/answerer.ts';
import { noAnswer, problem } from '../testing/answerer.ts';
import { expectToGoAfter, holdMoments } from '../testing/held-time.ts';
import { button, says } from '../testing/on-page.ts';
import { aBot } from '../testing/samples/bots.ts';
import { expectNoFurtherTry } from '../testing/cancelled-question.ts';
import { idOf } from '../testing/samples/ids.ts';
import { aManagedBot, aManagedUser, aUser } from '../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';
import { cssVariables, theme } from '../theme.ts';
import type { ManagedUser } from './user-edits.ts';
import { UserManagement } from './user-management.tsx';

let network: Answerer;
const own = aManagedUser(1, { role: 'admin', display_name: 'Ada', email: 'admin@flotilla.example' });
const open = async (users: ManagedUser[], answers: (network: Answerer) => Answerer = (same) => same) => {
  network = answers(answerFor(aUser('admin')).on('listUsers', users));
  startPage('/');
  const screen = await render(<TestPage path="/" search="?tab=settings" />);
  await expect.element(panel()).toBeVisible();
  return screen;
};
beforeAll(() => page.viewport(1440, 1000));
beforeEach(() => clearSession());
afterEach(async () => {
  await cleanup();
  network.stop();
});

const panel = () => page.getByRole('region', { name: 'User Management' });
const row = (email: string) => page.getByRole('listitem', { name: email, exact: true });
const names = () => [...document.querySelectorAll('.user-row .user-who b')].map((name) => name.textContent);
const combobox = (name: string) => page.getByRole('combobox', { name, exact: true });
const choose = async (name: string, option: string) => {
  await combobox(name).click();
  await page.getByRole('option', { name: option, exact: true }).click();
};
const toggle = (email: string) => row(email).getByRole('button').first();
const saveBar = () => page.getByRole('region', { name: 'Pending changes' });
const dialog = () => page.getByRole('dialog', { name: 'Save All Changes' });
const saveAll = async () => {
  await button('Save All Changes').click();
  await dialog().getByRole('button', { name: 'Save Changes' }).click();
};
const many = (count: number) =>
  Array.from({ length: count }, (_, i) =>
    aManagedUser(i + 2, { display_name: `Person ${String(i + 1).padStart(3, '0')}`, email: `person${i + 1}@flotilla.example` }),
  );

describe('who sees it', () => {
  const draw = () => {
    network = answerFor(null);
    return render(
      <MantineProvider theme={theme} cssVariablesResolver={cssVariables} forceColorScheme="dark">
        <QueryClientProvider client={createQueryClient()}>
          <UserManagement editor={null} />
        </QueryClientProvider>
      </MantineProvider>,
    );
  };

  test.each(roles.filter((role) => role !== 'admin'))(
    'USERS-01 a person of the role %s reads that it is for admins, and nothing is asked',
    async (role) => {
      setUser(aUser(role));
      await draw();
      await says('Admin access required');
      expect(network.calls).toEqual([]);
    },
  );

  test('USERS-02 without a person it says so', async () => {
    await draw();
    await says('Not authenticated');
    expect(network.calls).toEqual([]);
  });

  test('USERS-01 an admin whose role is taken away loses the list at once', async () => {
    await open([own]);
    await says('Ada');
    setUser(aUser('trader'));
    await expect.element(panel()).not.toBeInTheDocument();
  });
});

describe('loading', () => {
  test('USERS-03, OP-79 a spinner shows until the session is checked and the list is there', async () => {
    let release: (users: ManagedUser[]) => void = () => undefined;
    await open([], (net) => net.on('listUsers', () => new Promise<ManagedUser[]>((resolve) => (release = resolve))));
    await expect.element(panel().getByText('Loading users')).toBeInTheDocument();
    await expect.poll(() => network.of('listUsers').length).toBe(1);
    release([own]);
    await says('1 of 1 users');
    expect(panel().getByText('Loading users').elements()).toEqual([]);
    const asked = network.calls.map(({ name }) => name);
    expect(asked.lastIndexOf('getMe')).toBeLessThan(asked.indexOf('listUsers'));
  });

  test('ERR-32, OP-80 a failed load says so with its reason, and another try helps', async () => {
    await open([], (net) => net.on('listUsers', problem(403, 'Admin access required')));
    await says('Failed to load users. Please try again.');
    await expect.element(panel().getByText('Admin access required')).toBeVisible();
    network.on('listUsers', [own]);
    await button('Try Again').click();
    await says('1 of 1 users');
    expect(panel().getByRole('alert').elements()).toEqual([]);
  });

  test('ERR-31, OP-79 without a session check there is no list; another try does both', async () => {
    let isRight = true; // the check at the start of the page
    await open([own], (net) =>
      net.on('getMe', () => {
        if (!isRight) return problem(403, 'Account is closed');
        isRight = false;
        return aUser('admin');
      }),
    );
    await expect.element(panel().getByText('Failed to authenticate. Please try again.')).toBeVisible();
    expect(network.of('listUsers')).toEqual([]);
    isRight = true;
    await button('Try Again').click();
    await says('1 of 1 users');
  });

  test('USERS-13 no user at all', async () => {
    await open([]);
    await says('No users available');
    expect(page.getByText(/^Showing/u).elements()).toEqual([]);
  });
});

describe('a row', () => {
  test('USERS-14, USERS-15, USERS-16, USERS-17 names, marks and counts', async () => {
    await open([
      aManagedUser(2, { display_name: 'Mira', email: 'mira@a.example', has_2fa: true, bots: [aManagedBot(1), aManagedBot(2)] }),
      aManagedUser(3, { display_name: 'Sam', email: 'sam@a.example', verified: true, email_verified: false, bots: [aManagedBot(3)] }),
      aManagedUser(4, { display_name: 'Tom', email: 'tom@a.example', verified: false, email_verified: true }),
      aManagedUser(5, { display_name: 'Una', email: 'una@a.example', verified: false, email_verified: false }),
    ]);
    for (const [email, texts] of [
      ['mira@a.example', ['Mira', 'mira@a.example', 'Verified', '2FA Enabled', '2 bots']],
      ['sam@a.example', ['Sam', 'sam@a.example', 'Unverified', '2FA Disabled', '1 bot']],
      ['tom@a.example', ['Tom', 'tom@a.example', 'Unverified', '2FA Disabled', '0 bots']],
      ['una@a.example', ['Una', 'una@a.example', 'Unverified', '2FA Disabled', '0 bots']],
    ] as const) {
      for (const text of texts) await expect.element(row(email).getByText(text, { exact: true })).toBeVisible();
    }
  });

  test('USERS-18, ROLE-01 the role is one of four', async () => {
    await open([own, aManagedUser(2)]);
    await expect.element(combobox('Role of user2@flotilla.example')).toHaveValue('trader');
    await combobox('Role of user2@flotilla.example').click();
    await expect
      .poll(() =>
        page
          .getByRole('option')
          .elements()
          .map((option) => option.textContent),
      )
      .toEqual([...roles]);
  });

  test('USERS-19, USERS-22, OP-39, OP-43 role and verification of an admin are locked, and say why', async () => {
    await open([own, aManagedUser(2, { role: 'admin', verified: false })]);
    for (const email of ['admin@flotilla.example', 'user2@flotilla.example']) {
      await expect.element(combobox(`Role of ${email}`)).toBeDisabled();
      await expect.element(combobox(`Role of ${email}`)).toHaveAttribute('title', 'Cannot change the role of an admin user.');
      await expect.element(button(`Verify ${email}`)).toBeDisabled();
      await expect.element(button(`Verify ${email}`)).toHaveAttribute('title', 'Cannot change the verification of an admin user.');
    }
  });

  test('USERS-20, USERS-21, USERS-23, USERS-24, OP-43, API-24 Verify is sent at once, once, and the list is loaded again', async () => {
    const waiting = aManagedUser(3, { verified: false, email_verified: false });
    const other = aManagedUser(4, { verified: true, email_verified: false });
    await open([own, aManagedUser(2), waiting, other]);
    await expect.element(button('Verify user2@flotilla.example')).toBeDisabled();
    let release = () => {};
    network.on('verifyUser', () => new Promise((resolve) => (release = () => resolve(aManagedUser(3)))));
    await button('Verify user3@flotilla.example').click();
    await expect.element(button('Verify user3@flotilla.example')).toBeDisabled();
    await expect.element(button('Verify user4@flotilla.example')).toBeDisabled();
    network.on('listUsers', [own, aManagedUser(2), aManagedUser(3), other]);
    release();
    await expect.element(row('user3@flotilla.example').getByText('Verified', { exact: true })).toBeVisible();
    await expect.element(button('Verify user4@flotilla.example')).toBeEnabled();
    expect(network.of('verifyUser').map(({ path, body }) => [path, body])).toEqual([
      [`/settings/users/${idOf(3)}/verify`, { verified: true, email_verified: true }],
    ]);
    expect(network.of('listUsers')).toHaveLength(2);
    expect(saveBar().elements()).toEqual([]);
    await expect.poll(() => document.activeElement?.textContent).toContain('User 3');
  });

  test('ERR-33, OP-80 a failed verification says so, with the reason', async () => {
    await open([own, aManagedUser(3, { verified: false })], (net) => net.on('verifyUser', problem(404, 'User not found')));
    await button('Verify user3@flotilla.example').click();
    await says('Failed to verify user.');
    await says('User not found');
    await expect.element(button('Verify user3@flotilla.example')).toBeEnabled();
  });

  test('USERS-25, USERS-26, USERS-27, USERS-28, USERS-29 opened it shows bots, keys and when it was created', async () => {
    await open([
      own,
      aManagedUser(2, {
        bots: [
          aManagedBot(1, {
            name: 'Night',
            strategy_name: 'Supertrend',
            exchange: 'Bybit',
            exchange_id: 'bybit',
            mode: 'live',
            trading_pairs: ['BTC/USDT', 'ETH/USDT', 'XRP/USDT', 'SOL/USDT'],
          }),
          aManagedBot(2, { name: 'Day', trading_pairs: ['BTC/USDT'], status: 'paused' }),
          aManagedBot(3, { name: 'Trial', mode: 'live' }),
        ],
        api_keys: [
          {
            id: idOf(900),
            exchange: 'Binance',
            exchange_id: 'binance',
            label: 'Main',
            key_hint: 'ab12',
            last_used: '2026-11-21T19:03:10.000Z',
          },
          { id: idOf(901), exchange: 'Kraken', exchange_id: 'kraken', label: null, key_hint: 'cd34', last_used: null },
        ],
      }),
    ]);
    const name = toggle('user2@flotilla.example');
    await expect.element(name).toHaveAttribute('aria-expanded', 'false');
    expect(page.getByText('Trading Bots').elements()).toEqual([]);
    await name.click();
    await expect.element(name).toHaveAttribute('aria-expanded', 'true');
    const opened = row('user2@flotilla.example');
    for (const title of ['Trading Bots', 'API Keys']) await expect.element(opened.getByRole('heading', { name: title })).toBeVisible();
    for (const text of ['Night', 'Supertrend', 'Bybit', 'live', 'BTC/USDT, ETH/USDT +2', 'active']) {
      await expect.element(page.getByRole('listitem', { name: 'Night', exact: true }).getByText(text, { exact: true })).toBeVisible();
    }
    for (const text of ['Day', 'EMA Cross', 'Sandbox', 'paper', 'BTC/USDT', 'paused']) {
      await expect.element(page.getByRole('listitem', { name: 'Day', exact: true }).getByText(text, { exact: true })).toBeVisible();
    }
    // At the sandbox no money is real: a live bot there is named as everywhere else.
    await expect.element(page.getByRole('listitem', { name: 'Trial', exact: true }).getByText('testnet', { exact: true })).toBeVisible();
    const keys = page.getByRole('region', { name: 'API Keys of user2@flotilla.example' });
    await expect.element(keys).toMatchTextContent(/Binance, Main \*{4}ab122026-11-21 19:03Kraken, \*{4}cd34Never/u);
    const account = page.getByRole('region', { name: 'Account of user2@flotilla.example' });
    await expect.element(account).toMatchTextContent(/Created2026-03-14API keys2/u);
    await name.click();
    expect(page.getByText('Trading Bots').elements()).toEqual([]);
  });

  test('USERS-30, OP-41 a bot is set to active or paused; stopped is where it is, and cannot be chosen', async () => {
    await open([own, aManagedUser(2, { bots: [aManagedBot(1), aManagedBot(2, { status: 'stopped' })] })]);
    await toggle('user2@flotilla.example').click();
    const options = () =>
      page
        .getByRole('option')
        .elements()
        .map((option) => [option.textContent, option.hasAttribute('data-combobox-disabled')]);
    await combobox('Status of Bot 1').click();
    await expect.poll(options).toEqual([['active', false], ['paused', false]]); // prettier-ignore
    await userEvent.keyboard('{Escape}');
    await expect.element(combobox('Status of Bot 2')).toHaveValue('stopped');
    await combobox('Status of Bot 2').click();
    await expect.poll(options).toEqual([['active', false], ['paused', false], ['stopped', true]]); // prettier-ignore
    await page.getByRole('option', { name: 'paused' }).click();
    await expect.element(combobox('Status of Bot 2')).toHaveValue('paused');
    await page.getByRole('button', { name: /^was stopped/u }).click();
    await expect.element(combobox('Status of Bot 2')).toHaveValue('stopped');
    expect(saveBar().elements()).toEqual([]);
  });

  test('markup in names is shown as text', async () => {
    const name = '<img src=x onerror="document.title=1">';
    await open([aManagedUser(2, { display_name: name })]);
    await says(name);
    expect(document.querySelector('.user-row img')).toBeNull();
  });
});

describe('filters and pages', () => {
  test('USERS-04, USERS-05, USERS-06, USERS-07, USERS-12, OP-42 search and role narrow the list in the browser', async () => {
    await open([
      own,
      aManagedUser(2, { display_name: 'Mira', email: 'one@a.example', role: 'investor' }),
      aManagedUser(3, { display_name: 'Tom', email: 'MIRAGE@a.example', role: 'operator' }),
      aManagedUser(4, { display_name: 'Una', email: 'una@b.example' }),
    ]);
    await says('4 of 4 users');
    const search = page.getByPlaceholder('Search by name or email...', { exact: true });
    await search.fill('mira');
    await expect.poll(names).toEqual(['Mira', 'Tom']);
    await says('2 of 4 users');
    await choose('Role', 'operator');
    await expect.poll(names).toEqual(['Tom']);
    await search.fill('nobody');
    await says('No users match your filters');
    await says('0 of 4 users');
    expect(page.getByText(/^Showing/u).elements()).toEqual([]);
    await search.fill('');
    for (const role of roles) {
      await choose('Role', role);
      await expect.poll(() => names().length).toBe(1);
    }
    await choose('Role', 'all');
    await expect.poll(() => names().length).toBe(4);
    expect(network.of('listUsers')).toHaveLength(1);
  });

  test('USERS-11, USERS-31, USERS-32, USERS-33, OP-42 ten users a page, and up to five page buttons that slide', async () => {
    await open(many(72));
    const pages = () =>
      page
        .getByRole('button', { name: /^Page \d+$/u })
        .elements()
        .map((element) => element.textContent);
    await says('Showing 1 to 10 of 72 users');
    await expect.poll(() => names().length).toBe(10);
    expect(pages()).toEqual(['1', '2', '3', '4', '5']);
    await expect.element(button('Previous')).toBeDisabled();
    await button('Next').click();
    await says('Showing 11 to 20 of 72 users');
    expect(names()[0]).toBe('Person 011');
    expect(pages()).toEqual(['1', '2', '3', '4', '5']);
    await button('Page 5').click();
    expect(pages()).toEqual(['3', '4', '5', '6', '7']);
    await expect.element(button('Page 5')).toHaveAttribute('aria-current', 'page');
    await button('Page 7').click();
    expect(pages()).toEqual(['4', '5', '6', '7', '8']);
    await button('Next').click();
    await says('Showing 71 to 72 of 72 users');
    await expect.element(button('Next')).toBeDisabled();
    expect(names()).toEqual(['Person 071', 'Person 072']);
    await button('Previous').click();
    await says('Showing 61 to 70 of 72 users');
    await page.getByPlaceholder('Search by name or email...').fill('person');
    await says('Showing 1 to 10 of 72 users');
    await page.getByPlaceholder('Search by name or email...').fill('person1@');
    await says('Showing 1 to 1 of 1 users');
    expect(pages()).toEqual(['1']);
  });

  test('of 500 users ten are drawn, and all are searched', async () => {
    await open(many(500));
    await expect.poll(() => names().length).toBe(10);
    await page.getByPlaceholder('Search by name or email...').fill('PERSON 499');
    await expect.poll(names).toEqual(['Person 499']);
  });

  test('a page that is gone after a reload gives way to the last there is', async () => {
    await open([...many(10), aManagedUser(90, { display_name: 'Last', verified: false })]);
    await button('Next').click();
    await expect.poll(names).toEqual(['Last']);
    network.on('verifyUser', problem(404, 'User not found')).on('listUsers', many(10));
    await button('Verify user90@flotilla.example').click();
    await says('Showing 1 to 10 of 10 users');
  });
});

describe('pending changes', () => {
  const two = () => [
    own,
    aManagedUser(2, { bots: [aManagedBot(1), aManagedBot(2, { status: 'paused', mode: 'live' })] }),
    aManagedUser(3, { role: 'investor' }),
  ];

  test('USERS-08, USERS-10, OP-40 are held and shown, sent to nobody, and can be set back', async () => {
    await open(two());
    expect(button('Save All Changes').elements()).toEqual([]);
    await choose('Role of user2@flotilla.example', 'operator');
    await expect.element(button('Save All Changes')).toBeVisible();
    await expect.element(saveBar()).toMatchTextContent(/1 pending changeuser2@flotilla.example trader → operator/u);
    await toggle('user2@flotilla.example').click();
    await choose('Status of Bot 1', 'paused');
    await expect.element(saveBar()).toMatchTextContent(/2 pending changes/u);
    await choose('Status of Bot 1', 'active');
    await expect.element(saveBar()).toMatchTextContent(/1 pending change/u);
    await row('user2@flotilla.example').getByRole('button', { name: 'was trader: set the role of user2@flotilla.example back' }).click();
    await expect.element(combobox('Role of user2@flotilla.example')).toHaveValue('trader');
    expect(saveBar().elements()).toEqual([]);
    expect([...network.of('changeRole'), ...network.of('setBotStatus')]).toEqual([]);
  });

  test('USERS-09, OP-40 are saved after a question only; Cancel keeps them, Discard drops them', async () => {
    await open(two());
    await choose('Role of user2@flotilla.example', 'operator');
    await button('Save All Changes').click();
    await expect.element(dialog().getByText('Are you sure you want to save all changes?', { exact: true })).toBeVisible();
    await expect.element(dialog().getByRole('button', { name: 'Save Changes', exact: true })).toBeVisible();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await expect.element(dialog()).not.toBeInTheDocument();
    expect(network.of('changeRole')).toEqual([]);
    await expect.element(combobox('Role of user2@flotilla.example')).toHaveValue('operator');
    await button('Discard').click();
    await expect.element(combobox('Role of user2@flotilla.example')).toHaveValue('trader');
    expect(saveBar().elements()).toEqual([]);
  });

  test('OP-40, API-25, API-26, ACCT-12, ROLE-10, ROLE-12 are saved one after the other, roles first; then the list is loaded again', async () => {
    await open(two());
    await toggle('user2@flotilla.example').click();
    await choose('Status of Bot 2', 'active');
    await choose('Status of Bot 1', 'paused');
    await choose('Role of user3@flotilla.example', 'admin');
    await choose('Role of user2@flotilla.example', 'operator');
    let underWay = 0;
    const oneAtATime = async <T,>(reply: T): Promise<T> => {
      expect(++underWay).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 20));
      underWay--;
      return reply;
    };
    network
      .on('changeRole', ({ path, body }) => oneAtATime(aManagedUser(path.includes(idOf(2)) ? 2 : 3, body as { role: Role })))
      .on('setBotStatus', ({ body }) => oneAtATime(aBot(1, body as { status: 'active' })));
    await button('Save All Changes').click();
    for (const sentence of [
      'Anyone whose role changes is signed out everywhere and must sign in again.',
      'An admin stays an admin: the role cannot be changed afterwards.',
      'A live bot that becomes active sends its orders to the exchange.',
    ])
      await expect.element(dialog().getByText(sentence)).toBeVisible();
    // Another admin has changed one of them again: what was saved stays saved, and is not pending once more.
    network.on('listUsers', [own, aManagedUser(2, { display_name: 'loaded again', role: 'investor' }), aManagedUser(3, { role: 'admin' })]);
    holdMoments();
    await dialog().getByRole('button', { name: 'Save Changes' }).click();
    await says('Changes saved!');
    await says('loaded again');
    expect(
      network.calls.filter(({ name }) => name === 'changeRole' || name === 'setBotStatus').map(({ path, body }) => [path, body]),
    ).toEqual([
      [`/settings/users/${idOf(2)}/role`, { role: 'operator' }],
      [`/settings/users/${idOf(3)}/role`, { role: 'admin' }],
      // Whoever starts a bot has seen whose money it trades with; a pause is never refused for that.
      [`/settings/bots/${idOf(101)}/status`, { status: 'paused', was: 'active' }],
      [`/settings/bots/${idOf(102)}/status`, { status: 'active', was: 'paused', mode: 'live' }],
    ]);
    await expect.element(dialog()).not.toBeInTheDocument();
    expect(saveBar().elements()).toEqual([]);
    expect(network.of('listUsers')).toHaveLength(2);
    await expectToGoAfter(2000, page.getByText('Changes saved!'));
  });

  test('API-26, OP-40 a bot that has gone live since it was shown is not activated; the question that follows says that it is live', async () => {
    const shown = (mode: 'paper' | 'live') => [own, aManagedUser(2, { bots: [aManagedBot(1, { status: 'paused', mode })] })];
    await open(shown('paper'));
    await toggle('user2@flotilla.example').click();
    await choose('Status of Bot 1', 'active');
    network.on('setBotStatus', problem(409, otherMode)).on('listUsers', shown('live'));
    await saveAll();
    await says(`Bot 1: ${otherMode}`);
    await expect.element(dialog()).not.toBeInTheDocument();
    expect(network.of('setBotStatus')[0]?.body).toEqual({ status: 'active', was: 'paused', mode: 'paper' });
    await expect.element(saveBar()).toMatchTextContent(/1 pending changeBot 1 paused → active/u);
    await button('Save All Changes').click();
    await expect.element(dialog().getByText('A live bot that becomes active sends its orders to the exchange.')).toBeVisible();
    network.on('setBotStatus', aBot(1, { mode: 'live' }));
    await dialog().getByRole('button', { name: 'Save Changes' }).click();
    await says('Changes saved!');
    expect(network.of('setBotStatus')[1]?.body).toEqual({ status: 'active', was: 'paused', mode: 'live' });
  });

  test('ERR-38, OP-40, OP-80 of which one fails: what came before is saved, the rest stays pending', async () => {
    holdMoments(2000);
    await open(two());
    await toggle('user2@flotilla.example').click();
    await choose('Role of user2@flotilla.example', 'operator');
    await choose('Role of user3@flotilla.example', 'trader');
    await choose('Status of Bot 1', 'paused');
    const saved = two().map((user) => (user.id === idOf(2) ? { ...user, role: 'operator' as const } : user));
    network
      .on('changeRole', ({ path }) => {
        if (path.includes(idOf(3))) return problem(403, 'Cannot change the role of an admin user.');
        network.on('listUsers', saved);
        return saved[1] ?? own;
      })
      .on('setBotStatus', aBot(1, { status: 'paused' }));
    await saveAll();
    await says('Failed to save changes.');
    await says('user3@flotilla.example: Cannot change the role of an admin user.');
    await expect.element(dialog()).not.toBeInTheDocument();
    await expect.element(saveBar()).toMatchTextContent(/2 pending changesuser3@flotilla.example investor → traderBot 1 active → paused/u);
    await expect.element(combobox('Role of user2@flotilla.example')).toHaveValue('operator');
    expect(network.of('setBotStatus')).toEqual([]);
    expect(network.of('listUsers')).toHaveLength(2);
    expect(page.getByText('Changes saved!').elements()).toEqual([]);

    network.on('changeRole', aManagedUser(3));
    await saveAll();
    await says('Changes saved!');
    expect(page.getByText('Failed to save changes.').elements()).toEqual([]);
    expect(network.of('setBotStatus')).toHaveLength(1);
  });

  test('ERR-38, OP-40, OP-80 of which one makes an admin of somebody whose account is not verified: that is said of this person, and it stays pending', async () => {
    const list = [own, aManagedUser(2), aManagedUser(3, { verified: false })];
    await open(list);
    await choose('Role of user2@flotilla.example', 'admin');
    await choose('Role of user3@flotilla.example', 'admin');
    network.on('changeRole', ({ path }) => {
      if (path.includes(idOf(3))) return problem(409, notVerifiedForAdmin);
      const admin = aManagedUser(2, { role: 'admin' });
      network.on('listUsers', [own, admin, list[2] ?? own]);
      return admin;
    });
    await saveAll();
    await says('Failed to save changes.');
    await says(`user3@flotilla.example: ${notVerifiedForAdmin}`);
    await expect.element(saveBar()).toMatchTextContent(/1 pending changeuser3@flotilla.example trader → admin/u);
    await expect.element(combobox('Role of user2@flotilla.example')).toHaveValue('admin');
    await expect.element(combobox('Role of user3@flotilla.example')).toHaveValue('admin');
    await expect.element(button('Verify user3@flotilla.example')).toBeEnabled(); // which is what it needs
  });

  test('OP-40 are not taken back by a list that was asked for before they were saved and comes after it', async () => {
    await open(two());
    await choose('Role of user2@flotilla.example', 'operator');
    await choose('Role of user3@flotilla.example', 'trader');
    const [before, second] = [Promise.withResolvers<ManagedUser[]>(), Promise.withResolvers<ManagedUser>()];
    network.on('listUsers', () => before.promise);
    changeAddress({ tab: 'reports' });
    await expect.element(panel()).not.toBeInTheDocument();
    changeAddress({ tab: 'settings' }); // the list is loaded again, beside the one that is shown
    await expect.poll(() => network.of('listUsers').length).toBe(2);
    network.on('changeRole', ({ path }) => (path.includes(idOf(2)) ? aManagedUser(2, { role: 'operator' }) : second.promise));
    await saveAll();
    await expect.poll(() => network.of('changeRole').length).toBe(2);
    network.on('listUsers', () => Promise.withResolvers<ManagedUser[]>().promise);
    before.resolve(two());
    second.resolve(aManagedUser(3, { role: 'trader' }));
    await expect.poll(() => network.of('listUsers').length).toBe(3);
    const role = page.getByRole('combobox', { name: 'Role of user2@flotilla.example', exact: true, includeHidden: true }); // behind the question
    await expect.element(role).toHaveValue('operator');
  });

  test('OP-40 that are cancelled while they are sent: none of the others goes out, and all that were not answered stay pending', async () => {
    await open(two());
    await choose('Role of user2@flotilla.example', 'operator');
    await choose('Role of user3@flotilla.example', 'trader');
    const answer = Promise.withResolvers<typeof own>();
    network.on('changeRole', () => answer.promise);
    await saveAll();
    await expect.poll(() => network.of('changeRole').length).toBe(1);
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await expect.element(dialog()).not.toBeInTheDocument();
    await says('Cancelled: nothing more is sent. The change that was under way may have been saved already: check the list.');
    answer.resolve(aManagedUser(2, { role: 'operator' }));
    await expect.element(saveBar()).toMatchTextContent(/2 pending changes/u);
    expect([network.of('changeRole').length, network.of('listUsers').length]).toEqual([1, 2]);
    expect(page.getByText('Changes saved!').elements()).toEqual([]);
  });

  test('ERR-38, API-54 without an answer a change is tried again under its key, and then stays pending', async () => {
    await open(two(), (net) => net.on('changeRole', noAnswer));
    await choose('Role of user2@flotilla.example', 'operator');
    await saveAll();
    await expect.element(page.getByText('Failed to save changes.')).toBeVisible();
    await expect.element(saveBar()).toMatchTextContent(/1 pending change/u);
    expect(new Set(network.of('changeRole').map((call) => call.headers.get('idempotency-key'))).size).toBe(1);
  });

  test('outlive another tab of the dashboard and a page of the list, not the sign-out', async () => {
    await open([own, ...many(12)]);
    await choose('Role of person1@flotilla.example', 'operator');
    await button('Next').click();
    await expect.element(saveBar()).toMatchTextContent(/1 pending change/u);
    await page.getByRole('tab', { name: 'Bots' }).first().click();
    await page.getByRole('tab', { name: 'Settings' }).click();
    await expect.element(saveBar()).toMatchTextContent(/person1@flotilla.example trader → operator/u);
    await cleanup();
    network.stop();
    await open([own, ...many(12)]);
    await says('13 of 13 users');
    expect(saveBar().elements()).toEqual([]);
  });

  test('more than four are counted', async () => {
    await open([own, ...many(6)]);
    for (let i = 1; i <= 6; i++) await choose(`Role of person${i}@flotilla.example`, 'investor');
    await expect.element(saveBar()).toMatchTextContent(/6 pending changes/u);
    await expect.element(saveBar()).toMatchTextContent(/and 2 more/u);
  });

  test('the keyboard alone opens a row, changes a role and saves', async () => {
    holdMoments(2000);
    await open(two(), (net) => net.on('changeRole', aManagedUser(2, { role: 'investor' })));
    await expect.element(toggle('user2@flotilla.example')).toBeVisible();
    (toggle('user2@flotilla.example').element() as HTMLElement).focus();
    await userEvent.keyboard('{Enter}');
    await expect.element(page.getByRole('heading', { name: 'Trading Bots' })).toBeVisible();
    await userEvent.tab();
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Role of user2@flotilla.example');
    const role = combobox('Role of user2@flotilla.example');
    const active = () => document.querySelector('[data-combobox-selected]')?.textContent;
    await userEvent.keyboard('{Enter}');
    await expect.element(page.getByRole('option', { name: 'trader' })).toBeVisible();
    await expect.poll(async () => userEvent.keyboard('{ArrowUp}').then(active)).toBe('investor'); // as often as it takes
    await userEvent.keyboard('{Enter}');
    await expect.element(role).toHaveValue('investor');
    (button('Save All Changes').element() as HTMLElement).focus();
    await userEvent.keyboard('{Enter}');
    await expect.poll(() => document.activeElement?.textContent).toBe('Cancel');
    await userEvent.tab();
    await userEvent.keyboard('{Enter}');
    await says('Changes saved!');
    await expect.poll(() => document.activeElement?.getAttribute('placeholder')).toBe('Search by name or email...');
  });
});

describe('the edit dialog', () => {
  const editor = () => page.getByRole('dialog', { name: 'Edit User' });

  test('USERS-34, OP-12, OP-13 is for the own account: password and second factor, in the words of user management', async () => {
    holdMoments(2000);
    await open([own, aManagedUser(2)], (net) =>
      net
        .on('updatePassword', { status: 'Password updated successfully' })
        .on('setUpTwoFactor', { status: '2FA code sent to your email' })
        .on('verifyTwoFactor', problem(400, 'Invalid or expired 2FA code. Please try again.')),
    );
    await expect.element(button('Edit user2@flotilla.example')).toBeDisabled();
    await button('Edit admin@flotilla.example').click();
    await editor().getByRole('button', { name: 'Change Password' }).click();
    const modal = page.getByRole('dialog', { name: 'Change Password' });
    await modal.getByLabelText('New Password', { exact: true }).fill('secret-secret');
    await modal.getByLabelText('Confirm Password', { exact: true }).fill('secret-secret');
    await modal.getByRole('button', { name: 'Update Password' }).click();
    await expect.element(editor().getByText('Changes saved!')).toBeVisible();
    expect(network.of('updatePassword')[0]?.body).toEqual({ password: 'secret-secret' });

    await editor().getByRole('button', { name: 'Setup 2FA' }).click();
    await editor().getByLabelText('2FA Code').fill('123456');
    await editor().getByRole('button', { name: 'Verify Code' }).click();
    await expect.element(editor().getByText('Invalid 2FA code. Please try again.', { exact: true })).toBeVisible();
    network.on('verifyTwoFactor', { status: '2FA verified successfully', ...aUser('admin', { has_2fa: true }) });
    await editor().getByRole('button', { name: 'Verify Code' }).click();
    await expect.element(editor().getByText('2FA is enabled for your account')).toBeVisible();
    network.on('listUsers', [{ ...own, has_2fa: true }]);
    await userEvent.keyboard('{Escape}');
    await expect.element(row('admin@flotilla.example').getByText('2FA Enabled')).toBeVisible();
    // While a dialog is closing the page cannot be scrolled, which must be over before the next test.
    await expect.element(editor()).not.toBeInTheDocument();
  });
});

test('390 px wide nothing is wider than the window, with long names, an opened row and pending changes', async () => {
  await page.viewport(390, 844);
  await open([
    own,
    aManagedUser(2, {
      display_name: 'N'.repeat(60),
      email: `${'m'.repeat(60)}@flotilla.example`,
      bots: Array.from({ length: 12 }, (_, i) =>
        aManagedBot(i, { name: `${'B'.repeat(50)} ${i}`, trading_pairs: ['TOKEN1/USDT:USDT', 'TOKEN2/USDT:USDT', 'X/Y'] }),
      ),
      api_keys: [{ id: idOf(900), exchange: 'Binance', exchange_id: 'binance', label: 'L'.repeat(120), key_hint: 'ab12', last_used: null }],
    }),
  ]);
  await toggle(`${'m'.repeat(60)}@flotilla.example`).click();
  await choose(`Role of ${'m'.repeat(60)}@flotilla.example`, 'operator');
  await choose(`Status of ${'B'.repeat(50)} 0`, 'paused');
  await expect.element(saveBar()).toMatchTextContent(/2 pending changes/u);
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390);
  for (const element of document.querySelectorAll('.users-panel button, .users-panel input')) {
    const { left, right, width } = element.getBoundingClientRect();
    if (width > 0) expect([left >= 0, right <= 390], element.outerHTML.slice(0, 120)).toEqual([true, true]);
  }
  await page.viewport(1440, 1000);
});

describe('ending all sessions of an account', () => {
  const end = async (email: string) => {
    await toggle(email).click();
    await button(`End all sessions of ${email}`).click();
  };
  const asked = () => page.getByRole('dialog', { name: 'End All Sessions' });
  const confirm = () => asked().getByRole('button', { name: 'End All Sessions' }).click();

  test('that is cancelled while it is sent does not go out again', async () => {
    await open([own, ...many(1)]);
    await end('person1@flotilla.example');
    await expectNoFurtherTry(network, 'endUserSessions', {
      confirm,
      cancel: () => asked().getByRole('button', { name: 'Cancel' }).click(),
      says: 'Cancelled: nothing more is sent. The change that was under way may have been saved already: check the list.',
    });
    await expect.element(asked()).not.toBeInTheDocument();
  });

  test('is asked about first and then said', async () => {
    holdMoments(2000);
    await open([own, ...many(1)], (net) => net.on('endUserSessions', { status: 'Sessions ended' }));
    await end('person1@flotilla.example');
    await asked().getByRole('button', { name: 'Cancel' }).click();
    expect(network.of('endUserSessions')).toEqual([]);
    await button('End all sessions of person1@flotilla.example').click();
    await confirm();
    await says('person1@flotilla.example is signed out everywhere');
    expect(network.of('endUserSessions').map(({ path }) => path)).toEqual([`/settings/users/${many(1)[0]?.id}/end-sessions`]);
  });

  test('a failure is shown with its reason', async () => {
    await open([own, ...many(1)], (net) => net.on('endUserSessions', problem(404, 'User not found')));
    await end('person1@flotilla.example');
    await confirm();
    await says('Failed to end the sessions.');
    await says('User not found');
  });

  test('of the own account the session one is in stays', async () => {
    await open([own], (net) => net.on('endUserSessions', { status: 'Sessions ended' }));
    await end(own.email);
    await expect.element(asked().getByText('You will be signed out everywhere but here.')).toBeVisible();
  });
});
