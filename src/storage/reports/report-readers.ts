import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { inTransaction } from '../in-transaction.ts';
import type { NewMail } from '../mails/mail-outbox.ts';
import { addMail } from '../mails/mail-outbox.ts';
import type { Schema } from '../schema.ts';

/** Somebody who has asked for the report of each day by mail. */
export type ReportReader = Pick<Selectable<Schema['users']>, 'id' | 'email' | 'role'>;

/** Whether somebody has asked for the reports. */
export async function wantsReports(db: Database, userId: string): Promise<boolean> {
  return (await db.selectFrom('reportReaders').select('userId').where('userId', '=', userId).executeTakeFirst()) !== undefined;
}

/** Has somebody get the reports of the days after `lastDay`, or none. Whether that is a change. */
export async function setReportReader(trx: Database, userId: string, wanted: boolean, lastDay: string): Promise<boolean> {
  const change = wanted
    ? await sql`insert into report_readers (user_id, last_day) values (${userId}, ${lastDay}) on conflict do nothing`.execute(trx)
    : await sql`delete from report_readers where user_id = ${userId}`.execute(trx);
  return (change.numAffectedRows ?? 0n) > 0n;
}

/** Those who want the report of a day, have not had it and may sign in. */
export async function listReadersWithout(db: Database, day: string): Promise<ReportReader[]> {
  return db
    .selectFrom('reportReaders')
    .innerJoin('users', 'users.id', 'reportReaders.userId')
    .select(['users.id', 'users.email', 'users.role'])
    .where('reportReaders.lastDay', '<', day)
    .where('users.verified', '=', true)
    .where('users.emailVerified', '=', true)
    .orderBy('users.id')
    .execute();
}

/**
 * Leaves the report of a day for a reader, unless it was left before or the person is another one now: with another role, another
 * address, without the wish for it. Of several callers at once one leaves it. Whether it did.
 */
export async function leaveReport(db: Database, reader: ReportReader, day: string, mail: NewMail): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const { numAffectedRows } = await sql`
      update report_readers r set last_day = ${day} from users u
      where r.user_id = ${reader.id} and r.last_day < ${day} and u.id = r.user_id and u.email = ${reader.email} and u.role = ${reader.role}
        and u.verified and u.email_verified`.execute(trx);
    if (numAffectedRows !== 1n) return false;
    await addMail(trx, mail);
    return true;
  });
}
