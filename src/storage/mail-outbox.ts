import { hourMs, minuteMs } from '#engine/market/durations.ts';
import type { Selectable } from 'kysely';
import type { Database } from './database.ts';
import { inTransaction } from './in-transaction.ts';
import type { Schema } from './schema.ts';

/** A mail that waits to be sent. */
export type WaitingMail = Pick<Selectable<Schema['mailOutbox']>, 'id' | 'recipient' | 'subject' | 'body' | 'tries'>;

/** Leaves a mail to be sent; in a transaction it is sent only if the transaction holds. */
export async function addMail(db: Database, mail: { recipient: string; subject: string; body: string }): Promise<void> {
  await db.insertInto('mailOutbox').values(mail).execute();
}

/** Takes the mails that are due; nobody else gets them for a minute. */
export async function takeDueMails(db: Database, now: Date, limit: number): Promise<WaitingMail[]> {
  return inTransaction(db, async (trx) => {
    const due = await trx
      .selectFrom('mailOutbox')
      .select(['id', 'recipient', 'subject', 'body', 'tries'])
      .where('sentAt', 'is', null)
      .where('dueAt', '<=', now)
      .where('tries', '<', 20)
      .orderBy('dueAt')
      .limit(limit)
      .forUpdate()
      .skipLocked()
      .execute();
    for (const mail of due) {
      const wait = Math.min(minuteMs * 2 ** mail.tries, hourMs);
      await trx
        .updateTable('mailOutbox')
        .set({ tries: mail.tries + 1, dueAt: new Date(now.getTime() + wait) })
        .where('id', '=', mail.id)
        .execute();
    }
    return due;
  });
}

/** Notes how sending went: sent, or why not. */
export async function noteMail(db: Database, id: string, now: Date, error: string | null): Promise<void> {
  await db
    .updateTable('mailOutbox')
    .set(error === null ? { sentAt: now, lastError: null } : { lastError: error })
    .where('id', '=', id)
    .execute();
}
