import { expect, test } from 'vitest';
import { newToken, tokenHash } from './tokens.ts';

test('a token has 256 random bits, and no two are the same', () => {
  const tokens = Array.from({ length: 100 }, newToken);
  expect(new Set(tokens).size).toBe(100);
  for (const token of tokens) {
    expect(token).toMatch(/^[\w-]{43}$/u); // fit for a cookie
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
  }
});

test('what the database keeps of a token is its SHA-256, which leads to no token', () => {
  // The value that `printf abc | sha256sum` prints.
  expect(tokenHash('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
