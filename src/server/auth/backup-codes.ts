import { createHash, createHmac, randomBytes } from 'node:crypto';
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
  return createHmac('sha256', keyFrom(secret, 'backup codes')).update(plainCode(code)).digest();
}

/** Ten new backup codes beside passkeys, of 80 random bits: no secret goes into what is kept of them, so they have to be too many to try. */
export function newPasskeyBackupCodes(): string[] {
  return Array.from({ length: howMany }, () => (base32(randomBytes(10)).toLowerCase().match(/.{4}/gu) ?? []).join('-'));
}

/** What is kept of a backup code beside passkeys. Spelling does not matter, as above. */
export function passkeyBackupHash(userId: string, code: string): Buffer {
  return createHash('sha256')
    .update(`${userId} ${plainCode(code)}`)
    .digest();
}

function plainCode(code: string): string {
  return code.toLowerCase().replaceAll(/[^a-z2-7]/gu, '');
}
