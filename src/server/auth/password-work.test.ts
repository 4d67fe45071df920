import { verify } from '@node-rs/argon2';
import { expect, test, vi } from 'vitest';
import { failure, password, startTestServer } from '../../../test/support/test-server.ts';
import { hashedAtOnce, hashPassword, isPassword, longestQueue } from './passwords.ts';

// The real hashing runs; it is only counted.
vi.mock('@node-rs/argon2', { spy: true });

const server = await startTestServer();

test('a sign-in to an account that is not there, the first since the start, is refused by a busy server for that moment alone', async () => {
  const others = Array.from({ length: hashedAtOnce + longestQueue }, () => hashPassword('somebody else is signing in'));
  await expect(isPassword(null, password)).rejects.toMatchObject({ status: 429 });
  await Promise.all(others);
  expect(await isPassword(null, password)).toBe(false);
});

test('API-02 a refused sign-in checks one hash, whether the account exists, or has used its tries up, or not', async () => {
  const { email } = await server.signedIn('trader');
  const work = async (body: { email: string; password: string }) => {
    const before = vi.mocked(verify).mock.calls.length;
    expect((await failure(server.browser('10.40.0.1').login({ body }))).message).toBe('401 Invalid email or password');
    return vi.mocked(verify).mock.calls.length - before;
  };
  for (let i = 0; i < 5; i++) expect(await work({ email, password: 'wrong' })).toBe(1);
  expect(await work({ email, password })).toBe(1); // the limit is used up
  for (let i = 0; i < 6; i++) expect(await work({ email: 'nobody@example.com', password })).toBe(1);
});
