import { wrongSetUpCode } from '#contract/auth.ts';
import { afterEach, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import type { Answerer } from '../testing/answerer.ts';
import { problem } from '../testing/answerer.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';

let network: Answerer;
const open = async (answer: Parameters<typeof Answerer.prototype.on<'makeFirstAdmin'>>[1]) => {
  network = answerFor(null).on('makeFirstAdmin', answer);
  startPage('/set-up');
  await render(<TestPage path="/set-up" />);
};
afterEach(async () => {
  await cleanup();
  network.stop();
});
const fill = async () => {
  for (const [label, text] of [
    ['Set-up Code', 'K7QM-2XWD-9HNB'],
    ['Email', 'boss@example.com'],
    ['Password', 'a password of mine'],
    ['Confirm Password', 'a password of mine'],
  ] as const)
    await page.getByLabelText(label, { exact: true }).fill(text);
};
const press = () => page.getByRole('button', { name: 'Create Admin' }).click();

test('OP-15 the first admin is made and continues to the sign-in', async () => {
  await open({ status: 'Admin created. Please sign in.' });
  await press();
  await expect.element(page.getByText('Set-up code is required')).toBeVisible();
  await fill();
  await press();
  await expect.element(page.getByRole('heading', { name: 'Sign In' })).toBeVisible();
  await expect.element(page.getByText('Admin created. Please sign in.')).toBeVisible();
  await expect.element(page.getByLabelText('Email', { exact: true })).toHaveValue('boss@example.com');
  expect(network.of('makeFirstAdmin').map(({ body }) => body)).toEqual([
    { code: 'K7QM-2XWD-9HNB', email: 'boss@example.com', password: 'a password of mine', confirmPassword: 'a password of mine' },
  ]);
  expect(network.of('getMe')).toEqual([]);
});

test('OP-15 a wrong code is said and nothing that was typed is lost', async () => {
  await open(problem(403, wrongSetUpCode));
  await fill();
  await press();
  await expect.element(page.getByText(wrongSetUpCode)).toBeVisible();
  await expect.element(page.getByLabelText('Confirm Password', { exact: true })).toHaveValue('a password of mine');
});
