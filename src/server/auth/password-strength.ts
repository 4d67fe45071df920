import { passwordTooCommon } from '#contract/auth.ts';
import { emailKey } from '#storage/users/email-key.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HttpError } from '../http/http-error.ts';

let common: ReadonlySet<string> | null = null;

/** The common passwords of 8 characters and more, in lower case; see docs/decisions/0011-common-passwords.md. */
function commonPasswords(): ReadonlySet<string> {
  common ??= new Set(readFileSync(join(import.meta.dirname, 'common-passwords.txt'), 'utf8').split('\n'));
  return common;
}

/** Whether a password is among the first that are tried: a common one, the product's name, the own address, or one character. */
export function isWeakPassword(password: string, email: string): boolean {
  const plain = emailKey(password);
  const address = emailKey(email);
  const [mailbox = '', domain = ''] = address.split('@');
  const bare = plain.replaceAll(/[^\p{L}\p{N}]/gu, '');
  return (
    new Set(plain).size < 2 || // blanks alone are trimmed to nothing
    commonPasswords().has(plain) ||
    [address, mailbox, domain].some((own) => isAround(plain, own)) ||
    isAround(bare, 'flotilla')
  );
}

/** Refuses such a password: 400. */
export function refuseWeakPassword(password: string, email: string): void {
  if (isWeakPassword(password, email)) throw new HttpError(400, passwordTooCommon);
}

/** Whether the text is the word, the word more than once, or the word with a few digits or marks after it. */
function isAround(text: string, word: string): boolean {
  const rest = text.replaceAll(word, '');
  return rest !== text && rest.length <= 4 && !/\p{L}/u.test(rest);
}
