import { expect, test } from 'vitest';
import { hashedAtOnce, hashPassword, isPassword } from './passwords.ts';

test('OP-23 a password is kept as argon2id with the parameters for servers, and never alike', async () => {
  const [one, two] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')]);
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/u);
  expect(one).not.toBe(two);
});

test('a password fits its own hash, and none fits an account that is not there', async () => {
  const hash = await hashPassword('correct horse');
  expect(await isPassword(hash, 'correct horse')).toBe(true);
  expect(await isPassword(hash, 'wrong horse')).toBe(false);
  expect(await isPassword(null, 'correct horse')).toBe(false);
  expect(await isPassword(null, 'a password nobody has')).toBe(false);
});

test(`${hashedAtOnce} at once are hashed, 72 more wait, and the next is refused at once with 429; later ones are hashed as before`, async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: hashedAtOnce + 73 }, () => hashPassword('correct horse')));
  const refused = outcomes.flatMap((outcome, i) => (outcome.status === 'rejected' ? [[i, outcome.reason as unknown]] : []));
  expect(refused).toEqual([[hashedAtOnce + 72, expect.objectContaining({ status: 429, retryAfterSeconds: 5 })]]);
  expect(await hashPassword('correct horse')).toContain('argon2id');
});

test('a hash that cannot be read fails, and takes no place from those that wait', async () => {
  const tries = await Promise.allSettled(Array.from({ length: 10 }, () => isPassword('not a hash', 'correct horse')));
  expect(tries.every(({ status }) => status === 'rejected')).toBe(true);
  expect(await isPassword(await hashPassword('correct horse'), 'correct horse')).toBe(true);
});
