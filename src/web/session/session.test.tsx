import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page, userEvent } from 'vitest/browser';
import { api } from '../api/api.ts';
import { ApiError } from '../api/api-error.ts';
import { createQueryClient } from '../api/query-client.ts';
import { Answerer, noAnswer, problem } from '../testing/answerer.ts';
import { aBot } from '../testing/samples/bots.ts';
import { idOf } from '../testing/samples/ids.ts';
import { aUser } from '../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';
import { afterLogin, loginFailure } from './login-flow.ts';
import { logout } from './logout.ts';
import { followOtherTabs } from './other-tabs.ts';
import { checkSession, needsSessionCheck, recheckSession } from './session-check.ts';
import { sessionEndStore } from './session-end.ts';
import { clearSession, sessionStore, setPendingLogin, setUser, storedUserId } from './session-store.ts';
import { applyTheme, themeStore, toggleTheme } from './theme-store.ts';

const signedOut = { user: null, isAuthenticated: false, isChecking: false, pendingLogin: null };
let network: Answerer;
const nothing = async () => undefined;

beforeEach(() => {
  localStorage.clear();
  clearSession();
  network = new Answerer();
});
afterEach(() => network.stop());

describe('the session', () => {
  test('STATE-01, STATE-04 it starts unauthenticated; setting a user authenticates', () => {
    expect(sessionStore.getInitialState()).toEqual(signedOut);
    setUser(aUser());
    expect(sessionStore.getState()).toMatchObject({ user: aUser(), isAuthenticated: true });
  });

  test('STATE-05, ERR-06 a logout clears all fields, also when its call fails', async () => {
    for (const answer of [{ status: 'Logged out' }, problem(500)]) {
      setUser(aUser());
      network.on('logout', answer);
      await logout(nothing);
      expect(sessionStore.getState()).toEqual(signedOut);
      expect(localStorage.getItem('auth-storage')).toBeNull(); // which other tabs see
    }
  });

  test('STATE-05 what is asked while the session is being left is not sent, and its failure is not reported', async () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue(undefined);
    const answer = Promise.withResolvers<ReturnType<typeof problem>>();
    const order: string[] = [];
    setUser(aUser());
    network.on('logout', () => answer.promise).on('listBots', []);
    const left = logout(nothing).then(() => order.push(`left as ${sessionStore.getState().user?.email ?? 'nobody'}`));
    const client = createQueryClient();
    const asked = client
      .fetchQuery({ queryKey: ['bots'], queryFn: () => api.listBots({}) })
      .catch((error: unknown) => order.push(error instanceof ApiError ? `refused with ${error.status}` : String(error)));
    await expect.poll(() => network.of('logout').length).toBe(1);
    expect(order).toEqual([]);
    answer.resolve(problem(500));
    await Promise.all([left, asked]);
    expect(order.toSorted()).toEqual(['left as nobody', 'refused with 401']);
    expect(network.of('listBots')).toEqual([]);
    expect(logged.mock.calls).toEqual([]);
    await api.listBots({}); // and afterwards calls are sent again
    expect(network.of('listBots')).toHaveLength(1);
    logged.mockRestore();
  });

  test('STATE-05 what a screen asks while it is taken away is not sent', async () => {
    setUser(aUser());
    network.on('logout', { status: 'Logged out' }).on('listBots', []);
    const asked = Promise.withResolvers<unknown>();
    const stop = sessionStore.subscribe(() => queueMicrotask(() => void api.listBots({}).then(asked.resolve, asked.resolve)));
    await logout(nothing);
    stop();
    expect(await asked.promise).toMatchObject({ status: 401 });
    expect(network.of('listBots')).toEqual([]);
  });

  test('STATE-11, DATA-01, CONST-04 exactly the session user is kept under auth-storage', () => {
    setUser({ ...aUser(), status: 'Login successful' } as never);
    expect(JSON.parse(localStorage.getItem('auth-storage') ?? '')).toEqual({ state: { user: aUser() }, version: 0 });
    clearSession();
    expect(JSON.parse(localStorage.getItem('auth-storage') ?? '')).toEqual({ state: { user: null }, version: 0 });
  });

  test('SHELL-12, OP-21 the session is checked at start, but not on the four screens before it', () => {
    expect(['/login', '/register', '/forgot-password', '/verify-email'].map(needsSessionCheck)).toEqual([false, false, false, false]);
    expect(['/', '/2fa', '/reset-password', '/dashboard', '/anything'].map(needsSessionCheck)).toEqual([true, true, true, true, true]);
  });

  test('API-01 a session check stores who is signed in', async () => {
    network.on('getMe', aUser('operator'));
    const check = checkSession();
    expect(sessionStore.getState().isChecking).toBe(true);
    await check;
    expect(sessionStore.getState()).toEqual({ user: aUser('operator'), isAuthenticated: true, isChecking: false, pendingLogin: null });
  });

  test.for([502, 429])('a session check that meets an outage (%i) does not say that the session has ended', async (status) => {
    setUser(aUser());
    network.on('getMe', problem(status));
    await checkSession();
    expect(sessionEndStore.getState().reason).toBe('unreachable');
  });

  test('STATE-06 a failed session check clears all fields', async () => {
    setUser(aUser());
    network.on('getMe', problem(403));
    await checkSession();
    expect(sessionStore.getState()).toEqual(signedOut);
  });
});

test('another tab that signs in as somebody else makes this one ask who is signed in', async () => {
  const stop = followOtherTabs();
  const announce = (user: unknown) =>
    window.dispatchEvent(new StorageEvent('storage', { key: 'auth-storage', newValue: JSON.stringify({ state: { user } }) }));
  const other = aUser('trader', { userId: idOf(2) });
  network.on('getMe', other);
  announce(other); // nobody is signed in here: nothing to find out
  setUser(aUser('admin'));
  announce(aUser('admin', { has_2fa: true })); // the same person
  expect(network.calls).toEqual([]);
  announce(other);
  await expect.poll(() => sessionStore.getState().user).toEqual(other);
  stop();
});

test('what was loaded for one person is not shown to the next, who signs in at another tab', async () => {
  await page.viewport(1440, 900);
  const stop = followOtherTabs();
  network = answerFor(aUser('admin')).on('listBots', [aBot(1, { nickname: 'Of the First' })]);
  startPage('/');
  await render(<TestPage path="/" search="?tab=bot_control" />);
  const ofTheFirst = page.getByText('Of the First', { exact: true });
  await expect.element(ofTheFirst.first()).toBeVisible();
  const next = aUser('admin', { userId: idOf(2), email: 'next@flotilla.example' });
  const asked = network.of('listBots').length;
  network.on('getMe', next).on('listBots', () => Promise.withResolvers<ReturnType<typeof aBot>[]>().promise);
  window.dispatchEvent(new StorageEvent('storage', { key: 'auth-storage', newValue: JSON.stringify({ state: { user: next } }) }));
  await expect.poll(() => page.getByTitle('Your Account Settings').elements()[0]?.textContent).toContain('next@flotilla.example');
  await expect.poll(() => network.of('listBots').length).toBeGreaterThan(asked);
  expect(ofTheFirst.elements()).toEqual([]);
  await cleanup();
  stop();
});

test('nor what one has typed, where the server says only later who is signed in', async () => {
  await page.viewport(1440, 900);
  network = answerFor(aUser('admin'));
  startPage('/');
  await render(<TestPage path="/" search="?tab=bot_control&view=configure" />);
  const nickname = page.getByRole('textbox', { name: 'Nickname', exact: true });
  await nickname.fill('Of the First');
  await userEvent.keyboard('{Control>}k{/Control}');
  await expect.element(page.getByRole('dialog', { name: 'Go to' })).toBeVisible();
  network.on('getMe', aUser('admin', { userId: idOf(2), email: 'next@flotilla.example' }));
  await recheckSession();
  await expect.poll(() => page.getByTitle('Your Account Settings').elements()[0]?.textContent).toContain('next@flotilla.example');
  await expect.element(nickname).toHaveValue('');
  await expect.element(page.getByRole('dialog', { name: 'Go to' })).not.toBeInTheDocument();
  await cleanup();
});

describe('another tab that nobody is signed in at', () => {
  const signedIn = { ...signedOut, user: aUser(), isAuthenticated: true };
  let stop: () => void;
  beforeEach(() => {
    stop = followOtherTabs();
    setUser(aUser());
  });
  afterEach(() => stop());
  /** It has begun a sign-in, signed out, or found no server when it was loaded again. */
  const announce = () =>
    window.dispatchEvent(
      new StorageEvent('storage', { key: 'auth-storage', newValue: JSON.stringify({ state: { user: null }, version: 0 }) }),
    );

  test('leaves this one as it is while the server is asked', async () => {
    const { promise: asked, resolve: noteAsked } = Promise.withResolvers<void>();
    network.on('getMe', () => {
      noteAsked();
      return aUser();
    });
    announce();
    await asked;
    expect(sessionStore.getState()).toEqual(signedIn);
  });

  test.for([noAnswer, problem(502), problem(429)])('leaves this one as it is during an outage', async (failed) => {
    network.on('getMe', failed);
    await recheckSession();
    expect(sessionStore.getState()).toEqual(signedIn);
    network.on('getMe', problem(401)).on('refreshSession', failed); // and where only the renewal meets it
    await recheckSession();
    expect(sessionStore.getState()).toEqual(signedIn);
  });

  test('signs nobody in again who has signed out here meanwhile', async () => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    network.on('getMe', () => answered.then(() => aUser()));
    const recheck = recheckSession();
    clearSession();
    answer();
    await recheck;
    expect(sessionStore.getState()).toEqual(signedOut);
  });

  test('STATE-05 ends this one where it was left on purpose, also during an outage', async () => {
    network.on('getMe', noAnswer);
    window.dispatchEvent(new StorageEvent('storage', { key: 'auth-storage', newValue: null })); // as `logout` has it
    await expect.poll(() => sessionStore.getState()).toEqual(signedOut);
  });

  test('STATE-06 ends this one where it has signed out', async () => {
    network.on('getMe', problem(401)).on('refreshSession', problem(401));
    announce();
    await expect.poll(() => sessionStore.getState()).toEqual(signedOut);
    expect(sessionEndStore.getState().reason).toBe('ended');
  });
});

describe('the flow of a sign-in', () => {
  const answer = { status: 'Login successful', ...aUser() };

  test('AUTH-09, OP-10 with a second factor only id and e-mail are kept, and nobody is signed in', () => {
    const pending = { status: '2FA code sent to your email' as const, email: 'a@b.cd', userId: idOf(7) };
    expect(afterLogin(pending)).toEqual({ path: '/2fa', state: { email: 'a@b.cd' } });
    expect(sessionStore.getState()).toEqual({ ...signedOut, pendingLogin: { email: 'a@b.cd', userId: idOf(7) } });
    expect(storedUserId(sessionStore.getState())).toBe(idOf(7));
  });

  test('AUTH-10, AUTH-12, STATE-02 otherwise the user is stored and goes to the dashboard', () => {
    expect(afterLogin(answer)).toEqual({ path: '/dashboard' });
    expect(sessionStore.getState()).toMatchObject({ user: aUser(), isAuthenticated: true });
  });

  test('AUTH-11 a stored user with a second factor goes to its screen', () => {
    expect(afterLogin({ ...answer, has_2fa: true })).toEqual({ path: '/2fa', state: { email: answer.email } });
    expect(storedUserId(sessionStore.getState())).toBe(idOf(1));
  });

  test('AUTH-13 a stored user without a confirmed e-mail goes to the verify screen', () => {
    expect(afterLogin({ ...answer, email_verified: false })).toEqual({ path: '/verify-email', state: { email: answer.email } });
  });

  test('a new sign-in forgets a pending one', () => {
    setPendingLogin({ userId: idOf(7), email: 'a@b.cd' });
    afterLogin(answer);
    expect(storedUserId(sessionStore.getState())).toBe(idOf(1));
  });

  test('ERR-01, ERR-02, ERR-03, ERR-04 the text of a failed sign-in', () => {
    const failed = (status: number | null, detail: string | null = null) => loginFailure(new ApiError({ status, detail }));
    expect(failed(429, 'Too many attempts. Please try again later.')).toBe('Too many attempts. Please try again later.');
    expect(failed(null)).toBe('Network error: Unable to connect to the server');
    expect(failed(401)).toBe('Invalid email or password');
    expect([failed(500), failed(403), loginFailure(new Error('x'))]).toEqual(['Login failed', 'Login failed', 'Login failed']);
  });
});

describe('the theme', () => {
  test('SHELL-24, SHELL-28 the stored choice is applied to the root', () => {
    for (const theme of ['dark', 'light'] as const) {
      localStorage.setItem('theme', theme);
      applyTheme();
      expect([themeStore.getState().theme, document.documentElement.classList.contains('dark')]).toEqual([theme, theme === 'dark']);
    }
  });

  test('SHELL-25 without a choice the system decides and nothing is stored', () => {
    applyTheme();
    const system = window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
    expect(themeStore.getState().theme).toBe(system);
    expect(localStorage.getItem('theme')).toBeNull();
  });

  test('SHELL-26, SHELL-27, SHELL-28 the toggle flips, stores and marks the root', () => {
    localStorage.setItem('theme', 'light');
    applyTheme();
    toggleTheme();
    expect([localStorage.getItem('theme'), document.documentElement.classList.contains('dark')]).toEqual(['dark', true]);
    toggleTheme();
    expect([localStorage.getItem('theme'), document.documentElement.classList.contains('dark')]).toEqual(['light', false]);
  });
});
