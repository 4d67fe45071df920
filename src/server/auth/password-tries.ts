import { minuteMs } from '#engine/market/durations.ts';
import type { Database } from '#storage/database.ts';
import { addMail } from '#storage/mails/mail-outbox.ts';
import { adminEmails } from '#storage/users/users.ts';
import { mails } from '#mail/texts.ts';
import { isWithin, limits, refund, spent } from './limits.ts';

/**
 * Whether a password is right and its try was within the limits. The try is counted before the password is checked and
 * uncounted when it was right, so that of any number at once only those within the limits are worth anything. The
 * check is made in any case: neither a used-up limit nor an unknown account shows in the time.
 */
export async function countedTry(
  db: Database,
  by: { account: string; here: string; isKnownDevice: boolean; now: Date },
  isRight: () => Promise<boolean>,
): Promise<boolean> {
  const counted = [
    { limit: limits.wrongPasswordsHere, key: `${by.account} ${by.here}` },
    // A device that the person has signed in on is not affected by what others try elsewhere, and has no more tries than they.
    { limit: by.isKnownDevice ? limits.wrongPasswordsKnown : limits.wrongPasswordsElsewhere, key: by.account },
  ];
  const within: boolean[] = [];
  for (const { limit, key } of counted) within.push(await isWithin(db, limit, key, by.now));
  const refundAll = async (): Promise<void> => {
    for (const { limit, key } of counted) await refund(db, limit, key, by.now);
  };
  let right = false;
  try {
    right = await isRight();
  } catch (error) {
    await refundAll(); // it was not checked: the server is too busy
    throw error;
  }
  if (!right) await noteWrongPassword(db, by.now);
  if (!right || within.includes(false)) return false;
  await refundAll();
  return true;
}

/** Mails the admins, once in ten minutes, when very many wrong passwords are entered on the whole server; it blocks nobody. */
async function noteWrongPassword(db: Database, now: Date): Promise<void> {
  const { most, windowMs } = limits.wrongPasswordsInAll;
  if ((await spent(db, limits.wrongPasswordsInAll, 'all', now)) !== most) return;
  for (const email of await adminEmails(db)) await addMail(db, mails.manyWrongPasswords(email, most, windowMs / minuteMs));
}
