import { dayMs, hourMs, minuteMs } from '#engine/market/durations.ts';
import { type ExpressionBuilder, type Selectable, sql } from 'kysely';
import type { Database } from '../database.ts';
import { inTransaction } from '../in-transaction.ts';
import type { Schema } from '../schema.ts';

/** A mail as it is left to be sent; a file goes with it where there is one, of 2 MiB at most. */
export interface NewMail {
  recipient: string;
  subject: string;
  body: string;
  attachment?: { name: string; content: Buffer };
}

/** How often a mail is tried before it has failed. */
const mostTries = 20;

/** How long a mail belongs to the one who sends it: a slow server answers step by step, and a mail with a file takes minutes on a slow line. */
const heldMs = 5 * minuteMs;

/** How long an entry is kept, sent or not. */
const keptMs = 30 * dayMs;

/** A mail that waits to be sent. */
export type WaitingMail = Pick<
  Selectable<Schema['mailOutbox']>,
  'id' | 'recipient' | 'subject' | 'body' | 'attachment' | 'attachmentName' | 'tries'
>;

/** Leaves a mail to be sent; in a transaction it is sent only if the transaction holds. */
export async function addMail(db: Database, { attachment, ...mail }: NewMail): Promise<void> {
  const file = attachment === undefined ? {} : { attachment: attachment.content, attachmentName: attachment.name };
  await db
    .insertInto('mailOutbox')
    .values({ ...mail, ...file })
    .execute();
}

/**
 * Takes the mail that has been due longest; nobody else gets it for five minutes, within which it is sent or given up. One at a time: what
 * waits behind others may wait longer than that, and would be sent by two.
 */
export async function takeDueMail(db: Database, now: Date): Promise<WaitingMail | null> {
  return inTransaction(db, async (trx) => {
    const due = await trx
      .selectFrom('mailOutbox')
      .select(['id', 'recipient', 'subject', 'body', 'attachment', 'attachmentName', 'tries'])
      .where('sentAt', 'is', null)
      .where('dueAt', '<=', now)
      .where('tries', '<', mostTries)
      .orderBy('dueAt')
      .limit(1)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst();
    if (due === undefined) return null;
    await trx
      .updateTable('mailOutbox')
      .set({ tries: due.tries + 1, lastError: null, dueAt: new Date(now.getTime() + heldMs) })
      .where('id', '=', due.id)
      .execute();
    return due;
  });
}

/** Notes how sending went: sent, or why not. Text and file of a mail that was sent are not kept; one that was not is due after a pause. */
export async function noteMail(db: Database, id: string, now: Date, error: string | null): Promise<void> {
  if (error === null) {
    const sent = { sentAt: now, lastError: null, body: '', attachment: null, attachmentName: null };
    await db.updateTable('mailOutbox').set(sent).where('id', '=', id).execute();
    return;
  }
  const mail = await db.selectFrom('mailOutbox').select('tries').where('id', '=', id).executeTakeFirst();
  if (mail === undefined) return; // removed meanwhile
  const dueAt = new Date(now.getTime() + pauseMs(mail.tries - 1));
  await db.updateTable('mailOutbox').set({ lastError: error, dueAt }).where('id', '=', id).execute();
}

/** Where a mail is on its way. */
export type MailState = 'waiting' | 'sent' | 'failed';

/** A mail as its state is shown; its text is not. */
export interface MailOnItsWay extends Pick<
  Selectable<Schema['mailOutbox']>,
  'id' | 'recipient' | 'subject' | 'createdAt' | 'dueAt' | 'tries' | 'sentAt' | 'lastError'
> {
  state: MailState;
}

/** The newest mails, at most `limit`: of one state or of all, and older than the one with the id `before`. */
export async function listMails(db: Database, wanted: { state?: MailState; before?: string }, limit: number): Promise<MailOnItsWay[]> {
  let query = db
    .selectFrom('mailOutbox')
    .select((column) => ['id', 'recipient', 'subject', 'createdAt', 'dueAt', 'tries', 'sentAt', 'lastError', stateOf(column).as('state')])
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  const { state, before } = wanted;
  if (state !== undefined) query = query.where((column) => column(stateOf(column), '=', state));
  if (before !== undefined)
    query = query.where(sql<boolean>`(created_at, id) < (select created_at, id from mail_outbox where id = ${before})`);
  return query.execute();
}

/** How many mails are in each state. */
export async function countMails(db: Database): Promise<Record<MailState, number>> {
  const rows = await db
    .selectFrom('mailOutbox')
    .select((column) => [stateOf(column).as('state'), column.fn.countAll<string>().as('count')])
    .groupBy('state')
    .execute();
  const countOf = (state: MailState): number => Number(rows.find((row) => row.state === state)?.count ?? 0);
  return { waiting: countOf('waiting'), sent: countOf('sent'), failed: countOf('failed') };
}

/**
 * Has a mail tried again at once; one that has failed gets all its tries again. Gives its recipient, 'sent' when it is sent
 * already, null when there is none. One that is being sent is left alone: it would arrive twice.
 */
export async function retryMail(trx: Database, id: string, now: Date): Promise<{ recipient: string } | 'sent' | null> {
  const mail = await trx
    .selectFrom('mailOutbox')
    .select(['recipient', 'tries', 'dueAt', 'sentAt', 'lastError'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (mail === undefined) return null;
  if (mail.sentAt !== null) return 'sent';
  // Nothing is known yet of a try that is under way.
  const isUnderWay = mail.tries > 0 && mail.lastError === null && mail.dueAt > now;
  if (!isUnderWay) {
    const tries = mail.tries >= mostTries ? 0 : mail.tries;
    await trx.updateTable('mailOutbox').set({ tries, dueAt: now }).where('id', '=', id).execute();
  }
  return { recipient: mail.recipient };
}

/** Removes the mails whose time is over. */
export async function removeOldMails(db: Database, now: Date): Promise<void> {
  await db
    .deleteFrom('mailOutbox')
    .where('createdAt', '<', new Date(now.getTime() - keptMs))
    .execute();
}

/** The pause after a try that `tries` others came before. */
function pauseMs(tries: number): number {
  return Math.min(minuteMs * 2 ** tries, hourMs);
}

function stateOf(column: ExpressionBuilder<Schema, 'mailOutbox'>) {
  return column
    .case()
    .when('sentAt', 'is not', null)
    .then<MailState>('sent')
    .when('tries', '>=', mostTries)
    .then<MailState>('failed')
    .else<MailState>('waiting')
    .end();
}
