import { expect, test } from 'vitest';
import { isWeakPassword, refuseWeakPassword } from './password-strength.ts';

const email = 'Margaret.Hamilton@moon.example';

test.each([
  ['a common one', 'password'],
  ['a common one in capitals', 'PASSWORD'],
  ['one character again and again', 'zzzzzzzzzzzz'],
  ['blanks', '            '],
  ['the address', 'margaret.hamilton@moon.example'],
  ['the mailbox', 'margaret.hamilton'],
  ['the domain', 'moon.example'],
  ['the mailbox twice', 'margaret.hamiltonmargaret.hamilton'],
  ['the mailbox with four marks behind it', 'margaret.hamilton2026'],
  ['the mailbox with marks before it', '!!margaret.hamilton'],
  ['the product', 'flotilla'],
  ['the product with marks inside', 'f-l-o-t-i-l-l-a'],
  ['the product with four digits', 'flotilla2026'],
])('OP-23 %s is a weak password', (_, password) => {
  expect(isWeakPassword(password, email)).toBe(true);
  expect(() => refuseWeakPassword(password, email)).toThrow(expect.objectContaining({ status: 400 }));
});

test.each([
  ['two characters', 'zzzzzzzzzzzy'],
  ['a sentence that holds the mailbox', 'margaret.hamilton wrote the guidance'],
  ['the mailbox with five digits behind it', 'margaret.hamilton20261'],
  ['the mailbox with a letter behind it', 'margaret.hamiltonx'],
  ['the product with five digits', 'flotilla20261'],
  ['the product with a letter', 'flotillas'],
  ['a few marks that hold no own word', '!?#~'],
])('OP-23 %s is not a weak password', (_, password) => {
  expect(isWeakPassword(password, email)).toBe(false);
  expect(() => refuseWeakPassword(password, email)).not.toThrow();
});

test('OP-23 an address without a mailbox or a domain makes no other password weak', () => {
  for (const incomplete of ['', '@moon.example', 'margaret@']) expect(isWeakPassword('1!2?', incomplete)).toBe(false);
});
