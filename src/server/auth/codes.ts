import { createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import type { CodePurpose } from '#storage/codes.ts';
import { addCode, takeTry, useCode } from '#storage/codes.ts';
import type { Database } from '#storage/database.ts';
import { isWithin, limits, refuseWhenUsedUp } from './limits.ts';

const minute = 60_000;

/** How long a code of each purpose is good for, in ms. */
export const codeLife: Readonly<Record<CodePurpose, number>> = {
  verification: 30 * minute,
  reset: 15 * minute,
  'two-factor-login': 10 * minute,
  'two-factor-set-up': 10 * minute,
};

const triesPerCode = 5;

/** A new code of 6 digits for the account; older ones of the purpose are void. `pepper` is the server's own secret. */
export async function makeCode(db: Database, pepper: Buffer, userId: string, purpose: CodePurpose, now: Date): Promise<string> {
  const code = String(randomInt(0, 1_000_000)).padStart(6, '0');
  const salt = randomBytes(16);
  const expiresAt = new Date(now.getTime() + codeLife[purpose]);
  await addCode(db, { userId, purpose, salt, hash: codeHash(pepper, purpose, salt, code), now, expiresAt });
  return code;
}

/**
 * Whether the code is the account's open one of this purpose; a right code is used up.
 *
 * Fails: 429 after 10 wrong codes of the account within an hour
 */
export async function isCode(
  db: Database,
  pepper: Buffer,
  userId: string,
  purpose: CodePurpose,
  code: string,
  now: Date,
): Promise<boolean> {
  await refuseWhenUsedUp(db, limits.wrongCodes, userId, now);
  const open = await takeTry(db, userId, purpose, now, triesPerCode);
  const right = open !== null && timingSafeEqual(open.hash, codeHash(pepper, purpose, open.salt, code));
  if (right && (await useCode(db, open.id, now))) return true;
  await isWithin(db, limits.wrongCodes, userId, now); // counted; the limit is asked at the next try
  return false;
}

function codeHash(pepper: Buffer, purpose: CodePurpose, salt: Buffer, code: string): Buffer {
  return createHmac('sha256', pepper).update(purpose).update(salt).update(code.trim()).digest();
}
