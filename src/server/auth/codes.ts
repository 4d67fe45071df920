import { minuteMs } from '#engine/market/durations.ts';
import { createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import type { CodeKey, CodePurpose } from '#storage/auth/codes.ts';
import { addCode, hasOpenCode, newestCode, takeTry, useCode } from '#storage/auth/codes.ts';
import type { Database } from '#storage/database.ts';
import { limits, refund, refuseWhenUsedUp, spend } from './limits.ts';

/** How long a code of each purpose is good for, in ms. */
export const codeLife: Readonly<Record<CodePurpose, number>> = {
  verification: 30 * minuteMs,
  reset: 15 * minuteMs,
  'two-factor-login': 10 * minuteMs,
  'two-factor-set-up': 10 * minuteMs,
};

const triesPerCode = 5;

/**
 * A new code of 6 digits; an earlier one of the address and purpose is void. `pepper` is the server's own secret.
 * `userId` is null for an address without an account: nobody will ever know that code, but entering wrong ones is
 * answered as for an account.
 */
export async function makeCode(db: Database, pepper: Buffer, of: CodeKey, userId: string | null, now: Date): Promise<string> {
  const code = String(randomInt(0, 1_000_000)).padStart(6, '0');
  const salt = randomBytes(16);
  const expiresAt = new Date(now.getTime() + codeLife[of.purpose]);
  await addCode(db, { ...of, userId, salt, hash: codeHash(pepper, of.purpose, salt, code), createdAt: now, expiresAt });
  return code;
}

/**
 * Whether the code is the open one; a right code is used up. A wrong one counts only against a code that is open, for
 * its purpose alone: who has asked for no code can block none. Those that reset a password count by browser. `isAllowed` is asked once a try is counted, before the
 * comparison: what it refuses is wrong.
 *
 * Fails: 429 after 10 wrong codes of the address and purpose within an hour
 */
export async function isCode(
  db: Database,
  pepper: Buffer,
  of: CodeKey,
  code: string,
  now: Date,
  isAllowed: () => Promise<boolean> = async () => true,
): Promise<boolean> {
  const account = of.purpose === 'reset' ? `${of.purpose} ${of.emailKey} ${of.holder}` : `${of.purpose} ${of.emailKey}`;
  const open = await takeTry(db, of, now, triesPerCode);
  if (open === null) {
    await refuseWhenUsedUp(db, limits.wrongCodes, account, now);
    return false;
  }
  await spend(db, limits.wrongCodes, account, now);
  if (!(await isAllowed())) return false;
  const isRight = timingSafeEqual(open.hash, codeHash(pepper, of.purpose, open.salt, code)) && (await useCode(db, open.id, now));
  if (isRight) await refund(db, limits.wrongCodes, account, now);
  return isRight;
}

/**
 * Whether the code resets the password of an address. The browser that has asked for one enters it against its own. Any other may enter
 * the newest, too, but what is wrong then counts for all of those together: nobody uses up the tries of a browser that has asked.
 *
 * Fails: 429 after 10 wrong codes within an hour
 */
export async function isResetCode(
  db: Database,
  pepper: Buffer,
  { emailKey, holder }: { emailKey: string; holder: string | null },
  code: string,
  now: Date,
): Promise<boolean> {
  const own = { emailKey, purpose: 'reset', holder: holder ?? '' } as const;
  if (holder !== null && (await hasOpenCode(db, own, now))) return isCode(db, pepper, own, code, now);
  const elsewhere = `reset ${emailKey}`;
  const open = await newestCode(db, own, now);
  if (open === null) {
    await refuseWhenUsedUp(db, limits.wrongCodes, elsewhere, now);
    return false;
  }
  await spend(db, limits.wrongCodes, elsewhere, now);
  const isRight = timingSafeEqual(open.hash, codeHash(pepper, 'reset', open.salt, code)) && (await useCode(db, open.id, now));
  if (isRight) await refund(db, limits.wrongCodes, elsewhere, now);
  return isRight;
}

function codeHash(pepper: Buffer, purpose: CodePurpose, salt: Buffer, code: string): Buffer {
  return createHmac('sha256', pepper).update(purpose).update(salt).update(code.trim()).digest();
}
