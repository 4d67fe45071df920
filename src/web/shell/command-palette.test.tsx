import { afterEach, beforeAll, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page, userEvent } from 'vitest/browser';
import type { Role } from '#contract/fields.ts';
import type { Answerer } from '../testing/answerer.ts';
import { aBot } from '../testing/samples/bots.ts';
import { aUser } from '../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';

let network: Answerer;
const open = async (role: Role = 'trader') => {
  network = answerFor(aUser(role));
  startPage('/');
  await render(<TestPage path="/" search="?tab=reports" />);
  await expect.element(page.getByRole('tab', { name: 'Status' })).toBeVisible();
  await userEvent.keyboard('{Control>}k{/Control}');
};
beforeAll(() => page.viewport(1440, 900));
afterEach(async () => {
  await cleanup();
  network.stop();
});

const entry = () => page.getByRole('combobox', { name: 'Go to a screen, bot or pair' });
const options = () => page.getByRole('listbox', { name: 'Found' }).getByRole('option');
const names = () =>
  options()
    .elements()
    .map((option) => option.firstElementChild?.textContent);
const address = () => document.querySelector<HTMLElement>('[data-testid="address"]')?.dataset['search'] ?? '';

test('Ctrl-K opens it in the entry, lists the screens of the role and the bots, and closes by Escape', async () => {
  await open('trader');
  await expect.element(entry()).toHaveFocus();
  await expect.poll(names).toContain('Bot 1');
  expect(names()).toEqual(expect.arrayContaining(['Status', 'Strategy', 'Bots', 'Backtest', 'Reports', 'Light Theme', 'Logout']));
  expect(names()).not.toContain('Settings');
  await userEvent.keyboard('{Escape}');
  await expect.element(entry()).not.toBeInTheDocument();
});

test('a bot is found by typing, chosen by arrows and opened by Enter', async () => {
  await open();
  await entry().fill('bot 2');
  await expect.poll(() => names()[0]).toBe('Bot 2');
  await userEvent.keyboard('{ArrowDown}{ArrowUp}{Enter}');
  await expect.element(entry()).not.toBeInTheDocument();
  await expect.poll(address).toContain(`bot=${aBot(2).id}`);
});

test('a screen is opened by a click, admins have more of them, and nothing found says so', async () => {
  await open('admin');
  await entry().fill('no such thing');
  await expect.element(page.getByText('Nothing found')).toBeVisible();
  await entry().fill('sett');
  await options().first().click();
  await expect.poll(address).toContain('tab=settings');
});
