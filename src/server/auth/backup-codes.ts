import { createHmac, randomBytes } from 'node:crypto';
import { keyFrom } from '#vault/seal.ts';
import { base32 } from './totp.ts';

const howMany = 10;

/** Ten new backup codes of 50 random bits, as they are shown: `abcde-fghij`. */
export function newBackupCodes(): string[] {
  return Array.from({ length: howMany }, () => {
    const text = base32(randomBytes(7)).toLowerCase();
    return `${text.slice(0, 5)}-${text.slice(5, 10)}`;
  });
}

/**
 * What is kept of a backup code. The key of the hash follows from the secret of its app, which lies sealed: from a copy of the database no
 * code can be guessed, and another master key changes nothing. Spelling does not matter: case, blanks, the dash.
 */
export function backupHash(secret: Buffer, code: string): Buffer {
  const plain = code.toLowerCase().replaceAll(/[^a-z2-7]/gu, '');
  return createHmac('sha256', keyFrom(secret, 'backup codes')).update(plain).digest();
}
