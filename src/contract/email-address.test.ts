import { assert, emailAddress, oneof, property, string, stringMatching } from 'fast-check';
import { expect, test } from 'vitest';
import { isEmailAddress } from './email-address.ts';

test.each([
  'a@b.cd',
  'first.last+tag@sub.example.com',
  "o'neil_{x}@example.org",
  'Éva@x.example',
  'e\u0301va@x.example', // decomposed
  'नाम@उदाहरण.भारत',
  'a@1.2',
])('VALID-01 %s is an address', (text) => {
  expect(isEmailAddress(text)).toBe(true);
});

test.each([
  ['', 'nothing'],
  ['a', 'no @'],
  ['@b.cd', 'no mailbox'],
  ['a@', 'no domain'],
  ['a@b', 'one label'],
  ['a@b..cd', 'an empty label'],
  ['a@.b.cd', 'an empty label'],
  ['a@-b.cd', 'a label with a hyphen at its start'],
  ['.a@b.cd', 'a mailbox with a dot at its start'],
  ['a@b@c.de', 'two @'],
  ['a b@c.de', 'a blank'],
  ['<half@x.example>', 'angle brackets'],
  ['"quoted"@x.example', 'quotes'],
  ['a,b@x.example', 'a list'],
  ['a\u001b[31m@x.example', 'an escape of a terminal'],
  ['a\u0007@x.example', 'a bell'],
  ['a\u200b@x.example', 'a character without width'],
  ['a\u202e@x.example', 'a change of direction'],
  ['a@x.example\r\nBcc: b@x.example', 'a second header'],
  ['a@x.example\u0000', 'a NUL'],
  [`${'a'.repeat(250)}@x.cd`, 'too long'],
  [`a@${'.'.repeat(16_000)} `, 'a flood of dots'],
])('%j is not an address: %s', (text) => {
  expect(isEmailAddress(text)).toBe(false);
});

test('an address that is accepted has one @ and no character that a terminal or a mail header acts on', () => {
  // oxlint-disable-next-line no-control-regex -- that is what is tried
  const nearly = stringMatching(/^[a-z.\-<>"',;:\s\u0000-\u001f\u007f-\u009f\u200b-\u202e@éÉİß]{0,20}@[a-z.\-<>\s\u0000-\u001f]{0,20}$/u);
  assert(
    property(oneof(nearly, string({ unit: 'binary', maxLength: 300 }), emailAddress()), (text) => {
      if (!isEmailAddress(text)) return;
      expect(text).not.toMatch(/[\s\p{C}<>",;:()[\]\\]/u);
      expect(text.split('@')).toHaveLength(2);
    }),
    { numRuns: 3_000 },
  );
});
