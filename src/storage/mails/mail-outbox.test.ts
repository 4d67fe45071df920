import { beforeEach, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import type { MailState } from './mail-outbox.ts';
import { addMail, countMails, listMails, noteMail, removeOldMails, retryMail, takeDueMail } from './mail-outbox.ts';

const { db } = await freshDatabase();
const at = (ms: number) => new Date(Date.now() + 1_000 + ms);
const mail = (recipient: string) => ({ recipient, subject: 'Bot paused', body: '' });
/** The recipients of all that are due. */
const taken = async (ms: number) => {
  const recipients: string[] = [];
  for (let mail = await takeDueMail(db, at(ms)); mail !== null; mail = await takeDueMail(db, at(ms))) recipients.push(mail.recipient);
  return recipients;
};

beforeEach(async () => {
  await db.deleteFrom('mailOutbox').execute();
});

test('two senders at once never take the same mail', async () => {
  for (let i = 0; i < 10; i++) await addMail(db, mail(`r${i}`));
  const both = await Promise.all([taken(0), taken(0)]);
  expect(both.flat().toSorted()).toEqual(Array.from({ length: 10 }, (_, i) => `r${i}`));
});

test('a sender does not wait for the mails that another is taking', async () => {
  await addMail(db, mail('taken by another'));
  await db.transaction().execute(async (trx) => {
    await takeDueMail(trx, at(0));
    await addMail(db, mail('free'));
    expect(await taken(0)).toEqual(['free']);
  });
});

test('a mail that was sent is never taken again, one that was not is, with growing pauses, and for good after twenty tries', async () => {
  await addMail(db, mail('sent'));
  const sent = await takeDueMail(db, at(0));
  await noteMail(db, sent?.id ?? '', at(0), null);
  await addMail(db, mail('failing'));
  let time = 0;
  for (let tries = 0; tries < 20; tries++) {
    const failing = await takeDueMail(db, at(time));
    expect(failing).toMatchObject({ recipient: 'failing', tries });
    await noteMail(db, failing?.id ?? '', at(time), 'mailbox is full');
    const pause = Math.min(60_000 * 2 ** tries, 3_600_000);
    expect(await taken(time + pause - 10_000)).toEqual([]);
    time += pause + 10_000;
  }
  expect(await taken(time)).toEqual([]);
  expect(await db.selectFrom('mailOutbox').select(['recipient', 'lastError']).orderBy('recipient').execute()).toEqual([
    { recipient: 'failing', lastError: 'mailbox is full' },
    { recipient: 'sent', lastError: null },
  ]);
});

const row = (recipient: string) => db.selectFrom('mailOutbox').selectAll().where('recipient', '=', recipient).executeTakeFirstOrThrow();
const states = async (state?: MailState) =>
  (await listMails(db, state === undefined ? {} : { state }, 50)).map((each) => [each.recipient, each.state]);

test('the text of a mail is removed when it is sent, and kept while it can still be tried', async () => {
  await addMail(db, { ...mail('sent'), body: 'an old secret' });
  await addMail(db, { ...mail('refused'), body: 'a text' });
  for (let each = await takeDueMail(db, at(0)); each !== null; each = await takeDueMail(db, at(0)))
    await noteMail(db, each.id, at(0), each.recipient === 'sent' ? null : 'full');
  expect([(await row('sent')).body, (await row('refused')).body]).toEqual(['', 'a text']);
  expect(JSON.stringify(await listMails(db, {}, 50))).not.toContain('a text');
});

test('a mail waits, is sent, or has failed after its last try; each state is listed and counted', async () => {
  for (const recipient of ['waiting', 'sent', 'failed']) await addMail(db, mail(recipient));
  await db.updateTable('mailOutbox').set({ tries: 20 }).where('recipient', '=', 'failed').execute();
  await noteMail(db, (await row('sent')).id, at(0), null);
  expect(new Map((await states()) as [string, string][])).toEqual(
    new Map([
      ['failed', 'failed'],
      ['sent', 'sent'],
      ['waiting', 'waiting'],
    ]),
  );
  for (const state of ['waiting', 'sent', 'failed'] as const) expect(await states(state)).toEqual([[state, state]]);
  expect(await countMails(db)).toEqual({ waiting: 1, sent: 1, failed: 1 });
  await db.deleteFrom('mailOutbox').execute();
  expect(await countMails(db)).toEqual({ waiting: 0, sent: 0, failed: 0 });
});

test('mails are listed newest first, page by page, none twice and none left out, also those of one moment', async () => {
  const createdAt = new Date('2026-11-20T10:00:00.123Z');
  for (let i = 0; i < 25; i++) {
    const time = i < 15 ? createdAt : new Date(createdAt.getTime() + i);
    await db
      .insertInto('mailOutbox')
      .values({ ...mail(`r${i}`), createdAt: time })
      .execute();
  }
  const all = await listMails(db, {}, 100);
  expect(all).toHaveLength(25);
  expect(all.slice(0, 10).map(({ recipient }) => recipient)).toEqual(Array.from({ length: 10 }, (_, i) => `r${24 - i}`));
  const paged: string[] = [];
  for (let before: string | undefined; ;) {
    const page = await listMails(db, before === undefined ? {} : { before }, 4);
    if (page.length === 0) break;
    paged.push(...page.map(({ id }) => id));
    before = page.at(-1)?.id;
  }
  expect(paged).toEqual(all.map(({ id }) => id));
});

test('a mail that has failed gets all its tries again, one that waits is due at once, one that was sent is not sent again', async () => {
  await addMail(db, mail('failed'));
  const { id } = await row('failed');
  await db
    .updateTable('mailOutbox')
    .set({ tries: 20, dueAt: at(0), lastError: 'full' })
    .where('id', '=', id)
    .execute();
  const later = at(2 * 3_600_000);
  expect(await takeDueMail(db, later)).toBeNull();
  expect(await retryMail(db, id, later)).toEqual({ recipient: 'failed' });
  expect((await takeDueMail(db, later))?.tries).toBe(0);
  await noteMail(db, id, later, 'full');
  const soon = new Date(later.getTime() + 60_000);
  expect(await takeDueMail(db, new Date(soon.getTime() - 1))).toBeNull();
  expect(await retryMail(db, id, soon)).toEqual({ recipient: 'failed' });
  expect((await takeDueMail(db, soon))?.tries).toBe(1);
  await noteMail(db, id, soon, null);
  expect(await retryMail(db, id, at(9e7))).toBe('sent');
  expect(await takeDueMail(db, at(9e7))).toBeNull();
  expect(await retryMail(db, '00000000-0000-4000-8000-00000000dead', later)).toBeNull();
});

test('a mail that is being sent is not sent a second time because somebody wants it tried again', async () => {
  for (const tries of [0, 3, 19]) {
    await db.deleteFrom('mailOutbox').execute();
    await addMail(db, mail('under way'));
    await db.updateTable('mailOutbox').set({ tries }).execute();
    const taken = at(0);
    const mailed = await takeDueMail(db, taken);
    const soon = new Date(taken.getTime() + 299_000); // five minutes are how long it may be under way
    expect(await retryMail(db, mailed?.id ?? '', soon)).toEqual({ recipient: 'under way' });
    expect(await takeDueMail(db, soon)).toBeNull();
    // When it has failed its pause begins, and a person may cut it short.
    await noteMail(db, mailed?.id ?? '', soon, 'full');
    const pause = Math.min(60_000 * 2 ** tries, 3_600_000);
    expect((await row('under way')).dueAt).toEqual(new Date(soon.getTime() + pause));
    expect(await retryMail(db, mailed?.id ?? '', soon)).toEqual({ recipient: 'under way' });
    expect(await takeDueMail(db, soon)).toMatchObject({ recipient: 'under way' });
  }
});

test.each([0, 12])('a mail whose sender was killed after %d tries is sent by another after five minutes', async (tries) => {
  await addMail(db, mail('left'));
  await db.updateTable('mailOutbox').set({ tries }).execute();
  await takeDueMail(db, at(0));
  expect(await taken(290_000)).toEqual([]);
  expect(await taken(310_000)).toEqual(['left']);
});

test('an entry is kept for 30 days, whatever became of it', async () => {
  const day = 86_400_000;
  const now = new Date('2026-11-22T00:00:00Z');
  for (const [recipient, age] of [
    ['old', 30 * day + 1],
    ['kept', 30 * day],
  ] as const)
    await db
      .insertInto('mailOutbox')
      .values({ ...mail(recipient), createdAt: new Date(now.getTime() - age) })
      .execute();
  await removeOldMails(db, now);
  expect((await states()).map(([recipient]) => recipient)).toEqual(['kept']);
});
