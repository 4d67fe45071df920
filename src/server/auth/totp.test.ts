import { expect, test } from 'vitest';
import { base32, codeAt, otpauthUri, stepOf, stepsAt } from './totp.ts';

const secret = Buffer.from('12345678901234567890', 'ascii');

test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('the code at second %i is that of RFC 6238, its last six digits', (second, code) => {
  expect(codeAt(secret, stepsAt(new Date(second * 1000)))).toBe(code);
});

test.each([
  ['', ''],
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foo', 'MZXW6'],
  ['foob', 'MZXW6YQ'],
  ['fooba', 'MZXW6YTB'],
  ['foobar', 'MZXW6YTBOI'],
])('"%s" is written as in RFC 4648, without padding', (text, written) => {
  expect(base32(Buffer.from(text, 'ascii'))).toBe(written);
});

test('a code is good in its own half minute, the one before and the one after', () => {
  const now = new Date(1_111_111_111_000);
  const step = stepsAt(now);
  for (const near of [-1, 0, 1]) expect(stepOf(secret, codeAt(secret, step + near), now)).toBe(step + near);
  for (const far of [-2, 2]) expect(stepOf(secret, codeAt(secret, step + far), now)).toBeNull();
  expect(stepOf(secret, '', now)).toBeNull();
  expect(stepOf(secret, '0504710', now)).toBeNull();
});

test('an app receives issuer, account, secret and the usual numbers', () => {
  expect(otpauthUri(secret, 'a+b@harbour.example')).toBe(
    'otpauth://totp/Flotilla:a%2Bb%40harbour.example?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Flotilla&algorithm=SHA1&digits=6&period=30',
  );
});
