import { expect, test } from 'vitest';
import { printable } from './printable.ts';

test('what a terminal would act on is shown, not done', () => {
  expect(printable('a\u001b[2J\u001b]0;title\u0007@x.example')).toBe('a?[2J?]0;title?@x.example');
  expect(printable('one\r\ntwo\u009b31m\u202eback\u2028')).toBe('one??two?31m?back?');
  expect(printable('Éva नाम 🚀 plain')).toBe('Éva नाम 🚀 plain');
});
