import { assert, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { emailKey } from './email-key.ts';

test('the key of an address is the same for its spellings, and its own key', () => {
  expect(emailKey(' Éva@X.example ')).toBe('éva@x.example');
  expect(emailKey('E\u0301VA@x.example')).toBe('éva@x.example');
  expect(emailKey('STRASSE@x.example')).toBe('strasse@x.example');
  assert(
    property(string({ unit: 'binary', maxLength: 60 }), (text) => {
      expect(emailKey(emailKey(text))).toBe(emailKey(text));
    }),
  );
});
