import { minuteMs } from '#engine/market/durations.ts';
import { expect, test } from 'vitest';
import { failure, password, startTestServer } from '../../../test/support/test-server.ts';
import { hashedAtOnce, hashPassword, longestQueue } from './passwords.ts';

const server = await startTestServer();

/** Does something while others sign in, who have every place of the queue for passwords and take each again at once. */
async function inACrowd<T>(act: () => Promise<T>): Promise<T> {
  const over = new AbortController();
  const others = Array.from({ length: hashedAtOnce + longestQueue }, async () => {
    while (!over.signal.aborted) await hashPassword('somebody else is signing in');
  });
  try {
    return await act();
  } finally {
    over.abort();
    await Promise.all(others);
  }
}

test('a password that could not be checked, because the server is busy, uses up no try', async () => {
  const admin = await server.signedIn('admin');
  server.pass(11 * minuteMs);
  const confirm = () => admin.confirmPassword({ body: { password } });
  await inACrowd(async () => {
    for (let i = 0; i < 6; i++) expect((await failure(confirm())).status).toBe(429);
  });
  expect(await confirm()).toEqual({ status: 'Password confirmed' });
});

test('a reset code is not used up when the new password could not be set, because the server is busy', async () => {
  const person = await server.signedIn('trader');
  const at = server.browser('10.77.0.1');
  await at.forgotPassword({ body: { email: person.email } });
  await expect.poll(() => server.mailBox.mails.some(({ to }) => to.includes(person.email))).toBe(true);
  const code = server.mailBox.code(person.email);
  const next = 'another good password';
  const reset = () => at.resetPassword({ body: { email: person.email, code, password: next, confirmPassword: next } });
  expect((await inACrowd(() => failure(reset()))).status).toBe(429);
  expect(await reset()).toEqual({ status: 'Password reset successfully. Please sign in.' });
});
