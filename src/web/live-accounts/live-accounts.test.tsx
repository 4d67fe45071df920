import axe from 'axe-core';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import { applyTheme } from '../session/theme-store.ts';
import type { Answerer } from '../testing/answerer.ts';
import { problem } from '../testing/answerer.ts';
import { aBot } from '../testing/samples/bots.ts';
import { aLiveAccount } from '../testing/samples/live-accounts.ts';
import { aUser } from '../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';
import type { LiveAccount } from './use-live-accounts.ts';

const bot = aBot(1, { mode: 'live', nickname: 'Live Band' });
const time = '2026-11-22T10:00:00.000Z';
const account = (given: Partial<LiveAccount> = {}): LiveAccount =>
  aLiveAccount({
    bots: [
      { id: bot.id, nickname: bot.nickname },
      { id: '00000000-0000-4000-8000-0000000000b2', nickname: 'Second' },
    ],
    left_over: [{ symbol: 'SOL/USDT', amount: 0.000748, worth: 0.12 }],
    ...given,
  });
const wrong: Partial<LiveAccount> = {
  key_check: 'refused',
  compared_at: '2026-11-22T09:50:00.000Z',
  clock_offset_ms: 900,
  unknown_orders: 2,
  oldest_unknown_at: '2026-11-22T09:58:00.000Z',
  unprotected: 1,
  owner: 'mira@harbour.example',
};
let network: Answerer;
const open = async (accounts: LiveAccount[], search = `?tab=bot_control&bot=${bot.id}&view=configure`) => {
  network = answerFor(aUser('admin')).on('listBots', [bot]).on('listLiveAccounts', { time, accounts });
  startPage('/');
  return render(<TestPage path="/" search={search} />);
};
const settings = '?tab=settings&view=limits';
beforeAll(() => page.viewport(1440, 900));
afterEach(async () => {
  await cleanup();
  network.stop();
});
const panel = (name = 'Account') => page.getByRole('region', { name, exact: true });
const line = (name: RegExp) => panel().getByRole('listitem').filter({ hasText: name });

test('ADD-live-accounts the page of a live bot says how its account stands, and what trades have left on it', async () => {
  await open([account()]);
  await expect.poll(() => line(/^Connected/u).element().textContent).toMatch(/Connectedyes$/u);
  await expect.poll(() => line(/^Compared/u).element().textContent).toMatch(/40s ago$/u);
  await expect.poll(() => line(/^Clock/u).element().textContent).toMatch(/-12 ms$/u);
  await expect.poll(() => line(/^Requests/u).element().textContent).toMatch(/7%$/u);
  await expect.poll(() => line(/^Longest/u).element().textContent).toMatch(/412 ms$/u);
  await expect.poll(() => line(/^Left over/u).element().textContent).toMatch(/0\.000748 SOL \(\$0\.12\)$/u);
  await expect.element(panel().getByText('The same account is used by Second.')).toBeVisible();
  expect(panel().getByRole('img', { name: 'wrong' }).elements()).toHaveLength(0);
});

test('the page of a bot has the health of its own account, not of the first one', async () => {
  const first = aLiveAccount({ account_id: 'first', key_hint: '0000', bots: [{ id: aBot(2).id, nickname: 'Of Another' }] });
  await open([first, account({ key_check: 'refused' })]);
  await expect.poll(() => line(/^Connected/u).element().textContent).toMatch(/no: the exchange refuses its key$/u);
  await expect.element(panel().getByText('key main ****9f3c')).toBeVisible();
});

test('what is wrong with an account is marked, and named for admins with its owner', async () => {
  await open([account(), account({ ...wrong, account_id: 'other' })], settings);
  const list = panel('Live Accounts');
  await expect.element(list.getByText('no problem')).toBeVisible();
  await expect.element(list.getByText('5 problems')).toBeVisible();
  await expect.element(list.getByText(/mira@harbour\.example/u)).toBeVisible();
  await expect.element(list.getByText('2, the oldest 2m 0s ago')).toBeVisible();
  await expect.element(list.getByText('no: the exchange refuses its key')).toBeVisible();
  expect(
    list
      .getByRole('img', { name: 'wrong' })
      .elements()
      .filter((mark) => (mark as HTMLElement).checkVisibility()),
  ).toHaveLength(5);
});

test('without live bots it says so; a failed load can be tried again', async () => {
  await open([], settings);
  await expect.element(panel('Live Accounts').getByText('No bot trades live.')).toBeVisible();
  await cleanup();
  network.stop();
  await open([]);
  await expect.element(panel().getByText('This bot has no key, so it trades with no account.')).toBeVisible();
  await cleanup();
  network.on('listLiveAccounts', problem(500, 'Something went wrong.'));
  startPage('/');
  await render(<TestPage path="/" search={settings} />);
  await expect.element(panel('Live Accounts').getByText('The accounts could not be loaded.')).toBeVisible();
  const retry = panel('Live Accounts').getByRole('button', { name: 'Retry' }).element() as HTMLButtonElement;
  network.on('listLiveAccounts', { time, accounts: [account()] });
  retry.click(); // at once: the page asks again by itself, too
  await expect.element(panel('Live Accounts').getByText('no problem')).toBeVisible();
});

test.each([
  ['dark', 1440],
  ['light', 390],
] as const)('it has no findings and fits in the %s look at %i px', async (theme, width) => {
  await page.viewport(width, 900);
  try {
    await open([account(wrong)], settings);
    localStorage.setItem('theme', theme);
    applyTheme();
    await expect.element(panel('Live Accounts').getByText('5 problems')).toBeVisible();
    const { violations } = await axe.run(panel('Live Accounts').element(), {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
    });
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`)).toEqual([]);
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(width);
  } finally {
    await page.viewport(1440, 900);
  }
});
