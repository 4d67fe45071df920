import { texts } from '#contract/errors.ts';
import { afterEach, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page, userEvent } from 'vitest/browser';
import type { Answerer } from '../testing/answerer.ts';
import { problem } from '../testing/answerer.ts';
import { aSession, aUser } from '../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';

let network: Answerer;
let isConfirmed = false;

/** The own sessions, where ending the others needs the password; only 'the right one' is right. */
async function open() {
  isConfirmed = false;
  network = answerFor(aUser('investor'))
    .on('listSessions', [aSession(1, { is_current: true }), aSession(2)])
    .on('endOtherSessions', () => (isConfirmed ? { status: 'All other sessions have ended' } : problem(403, texts.passwordNeeded)))
    .on('confirmPassword', ({ body }) => {
      isConfirmed = (body as { password: string }).password === 'the right one';
      return isConfirmed ? { status: 'Password confirmed' } : problem(403, texts.wrongPassword);
    });
  startPage('/');
  await render(<TestPage path="/" search="?tab=reports" />);
  await page.getByTitle('Your Account Settings').click();
  await page.getByRole('button', { name: 'End All Others' }).click();
}
afterEach(async () => {
  await cleanup();
  network.stop();
});

const dialog = () => page.getByRole('dialog', { name: 'Confirm Your Password' });
const entry = () => dialog().getByLabelText('Current Password', { exact: true });
const keys = () => network.of('endOtherSessions').map(({ headers }) => headers.get('idempotency-key'));

test('a call that needs the password again waits for it and is sent once more, as a call of its own', async () => {
  await open();
  await expect.element(entry()).toHaveFocus();
  await entry().fill('the right one');
  await userEvent.keyboard('{Enter}');
  await expect.element(dialog()).not.toBeInTheDocument();
  await expect.poll(() => network.of('endOtherSessions')).toHaveLength(2);
  expect(new Set(keys()).size).toBe(2);
  await expect.element(page.getByText(texts.passwordNeeded)).not.toBeInTheDocument();
});

test('whose session ends while it is asked for is asked again after the next sign-in', async () => {
  await open();
  await expect.element(entry()).toBeVisible();
  await cleanup();
  network.stop();
  await open();
  await expect.element(entry()).toBeVisible();
  await entry().fill('the right one');
  await userEvent.keyboard('{Enter}');
  await expect.poll(() => network.of('endOtherSessions')).toHaveLength(2);
});

test('a wrong one is said beside the field, an empty one is not sent', async () => {
  await open();
  await dialog().getByRole('button', { name: 'Confirm' }).click();
  await expect.element(dialog().getByText('Password is required')).toBeVisible();
  await entry().fill('a wrong one');
  await userEvent.keyboard('{Enter}');
  await expect.element(dialog().getByText(texts.wrongPassword)).toBeVisible();
  expect(network.of('confirmPassword')).toHaveLength(1);
  expect(network.of('endOtherSessions')).toHaveLength(1);
});

test('whoever cancels is shown why the call failed, and is asked again at the next one', async () => {
  await open();
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  await expect.element(page.getByText(texts.passwordNeeded)).toBeVisible();
  expect(network.of('endOtherSessions')).toHaveLength(1);
  await page.getByRole('button', { name: 'End All Others' }).click();
  await expect.element(entry()).toHaveValue('');
});

test('an answer that comes after it was cancelled does not answer the next question', async () => {
  await open();
  const late = Promise.withResolvers<{ status: string }>();
  network.on('confirmPassword', () => late.promise);
  await entry().fill('the right one');
  await userEvent.keyboard('{Enter}');
  await expect.poll(() => network.of('confirmPassword').length).toBe(1);
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  await expect.element(dialog()).not.toBeInTheDocument();
  await page.getByRole('button', { name: 'End All Others' }).click();
  await expect.element(entry()).toHaveValue('');
  late.resolve({ status: 'Password confirmed' });
  network.on('confirmPassword', problem(403, texts.wrongPassword));
  await entry().fill('a wrong one');
  await userEvent.keyboard('{Enter}');
  await expect.element(dialog().getByText(texts.wrongPassword)).toBeVisible();
  expect(network.of('endOtherSessions')).toHaveLength(2);
});
