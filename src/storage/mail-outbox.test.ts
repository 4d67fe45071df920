import { beforeEach, expect, test } from 'vitest';
import { freshDatabase } from '../../test/support/fresh-database.ts';
import { addMail, noteMail, takeDueMails } from './mail-outbox.ts';

const { db } = await freshDatabase();
const at = (ms: number) => new Date(Date.now() + 1_000 + ms);
const mail = (recipient: string) => ({ recipient, subject: 'Bot paused', body: '' });
const taken = async (ms: number) => (await takeDueMails(db, at(ms), 20)).map(({ recipient }) => recipient);

beforeEach(async () => {
  await db.deleteFrom('mailOutbox').execute();
});

test('two senders at once never take the same mail', async () => {
  for (let i = 0; i < 10; i++) await addMail(db, mail(`r${i}`));
  const both = await Promise.all([takeDueMails(db, at(0), 20), takeDueMails(db, at(0), 20)]);
  expect(
    both
      .flat()
      .map(({ recipient }) => recipient)
      .toSorted(),
  ).toEqual(Array.from({ length: 10 }, (_, i) => `r${i}`));
});

test('a sender does not wait for the mails that another is taking', async () => {
  await addMail(db, mail('taken by another'));
  await db.transaction().execute(async (trx) => {
    await takeDueMails(trx, at(0), 20);
    await addMail(db, mail('free'));
    expect(await taken(0)).toEqual(['free']);
  });
});

test('a mail that was sent is never taken again, one that was not is, with growing pauses, and for good after twenty tries', async () => {
  await addMail(db, mail('sent'));
  const [sent] = await takeDueMails(db, at(0), 20);
  await noteMail(db, sent?.id ?? '', at(0), null);
  await addMail(db, mail('failing'));
  let time = 0;
  for (let tries = 0; tries < 20; tries++) {
    const [failing] = await takeDueMails(db, at(time), 20);
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
