import { mails } from '#mail/texts.ts';
import { sendDueMails } from '#mail/send-waiting.ts';
import { addMail } from '#storage/mails/mail-outbox.ts';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { failure, startTestServer } from '../../../test/support/test-server.ts';

const server = await startTestServer();
const { db } = server.dependencies;
const { mailBox } = server;
type Person = Awaited<ReturnType<typeof server.signedIn>>;
let admin: Person;
const nobody = '00000000-0000-4000-8000-00000000dead';
const lines = async (action: string) =>
  (await sql<{ result: string; detail: object }>`select result, detail from audit_log where action = ${action} order by id`.execute(db))
    .rows;
/** Sends what is due a second from now, as the web process does; failures are expected here. */
const tryToDeliver = () => {
  const now = () => new Date(server.dependencies.now().getTime() + 1_000);
  return sendDueMails(db, server.dependencies.mailer, { now, onError: () => {} });
};

beforeEach(async () => {
  admin = await server.signedIn('admin');
  mailBox.refuse(false);
  mailBox.mails.length = 0;
  await sql`delete from mail_outbox`.execute(db);
});

test('two processes that send at once, slowly, send each mail once', async () => {
  for (let i = 0; i < 4; i++) await addMail(db, mails.botPaused(`r${i}@example.com`, 'Alpha', 3, 'paper'));
  const { mailer } = server.dependencies;
  let time = server.dependencies.now().getTime() + 1_000;
  let isBehind = true;
  // The second begins when the first has sent one mail, half a minute each.
  const slowly: typeof mailer = {
    goesTo: mailer.goesTo,
    works: () => mailer.works(),
    close: () => mailer.close(),
    async send(mail) {
      await mailer.send(mail);
      time += 30_000;
      if (mailBox.mails.length < 3 || !isBehind) return;
      isBehind = false;
      await sendDueMails(db, mailer, { now: () => new Date(time), onError: () => {} });
    },
  };
  await sendDueMails(db, slowly, { now: () => new Date(time), onError: () => {} });
  expect(mailBox.mails.flatMap(({ to }) => to).toSorted()).toEqual(['r0', 'r1', 'r2', 'r3'].map((name) => `${name}@example.com`));
});

test('a mail that is refused holds up none that comes after it', async () => {
  const { mailer } = server.dependencies;
  const refusing: typeof mailer = {
    goesTo: mailer.goesTo,
    works: () => mailer.works(),
    close: () => mailer.close(),
    async send(mail) {
      if (mail.recipient === 'refused@example.com') throw new Error('no such person here');
      await mailer.send(mail);
    },
  };
  for (const name of ['refused', 'taken']) await addMail(db, mails.botPaused(`${name}@example.com`, 'Alpha', 3, 'paper'));
  const errors: unknown[] = [];
  const now = () => new Date(server.dependencies.now().getTime() + 1_000);
  await sendDueMails(db, refusing, { now, onError: (error) => errors.push(error) });
  expect([errors.map(String), mailBox.mails.flatMap(({ to }) => to)]).toEqual([['Error: no such person here'], ['taken@example.com']]);
});

describe('the outbox', () => {
  test('shows what was sent and what failed and why, never a text', async () => {
    await addMail(db, mails.botPaused('ada@example.com', 'Alpha', 3, 'paper'));
    await tryToDeliver();
    mailBox.refuse('no such person here');
    await addMail(db, mails.roleChanged('bob@example.com', 'trader', 'operator'));
    await tryToDeliver();
    const list = await admin.listMails({ query: {} });
    expect(list).toMatchObject({ goes_to: 'server', counts: { waiting: 1, sent: 1, failed: 0 }, next: null });
    expect(list.mails).toEqual([
      {
        id: expect.any(String),
        recipient: 'bob@example.com',
        subject: 'Your role was changed',
        state: 'waiting',
        created_at: expect.any(String),
        sent_at: null,
        next_try_at: expect.any(String),
        tries: 1,
        last_error: expect.stringMatching(/^The mail server refused the mail: \d{3} no such person here$/u),
      },
      {
        id: expect.any(String),
        recipient: 'ada@example.com',
        subject: 'Bot paused',
        state: 'sent',
        created_at: expect.any(String),
        sent_at: expect.any(String),
        next_try_at: null,
        tries: 1,
        last_error: null,
      },
    ]);
    expect(JSON.stringify(list)).not.toMatch(/Alpha|operator/u);
    expect((await admin.listMails({ query: { state: 'sent' } })).mails).toHaveLength(1);
  });

  test('is listed fifty at a time', async () => {
    for (let i = 0; i < 51; i++) await addMail(db, mails.botPaused(`r${i}@example.com`, 'Alpha', 3, 'paper'));
    const first = await admin.listMails({ query: {} });
    expect(first.mails).toHaveLength(50);
    const second = await admin.listMails({ query: { before: first.next ?? '' } });
    expect(second.mails.map(({ recipient }) => recipient)).toEqual(['r0@example.com']);
    expect(second.next).toBeNull();
  });

  test('a code is never in it: it is sent at once or not at all', async () => {
    const email = 'new@example.com';
    const password = 'a long enough one 7';
    await server.browser('10.7.0.1').register({ body: { email, password, confirmPassword: password } });
    await expect.poll(() => mailBox.mails.map(({ subject }) => subject)).toEqual(['Your verification code']);
    expect((await admin.listMails({ query: {} })).mails).toEqual([]);
  });
});

describe('trying a mail again', () => {
  test('sends one that has failed, which is noted; the list says so', async () => {
    mailBox.refuse(true);
    await addMail(db, mails.botPaused('ada@example.com', 'Alpha', 3, 'paper'));
    await sql`update mail_outbox set tries = 19`.execute(db);
    await tryToDeliver();
    const [failed] = (await admin.listMails({ query: { state: 'failed' } })).mails;
    expect(failed).toMatchObject({ state: 'failed', tries: 20, next_try_at: null, last_error: expect.stringContaining('mailbox is full') });
    mailBox.refuse(false);
    server.pass(62_000);
    await admin.retryMail({ params: { id: failed?.id ?? '' } });
    await tryToDeliver();
    expect(mailBox.mails.map(({ to }) => to)).toEqual([['ada@example.com']]);
    expect((await admin.listMails({ query: {} })).mails).toMatchObject([{ state: 'sent', tries: 1, last_error: null }]);
    expect(await lines('retry-mail')).toEqual([{ result: 'ok', detail: { recipient: 'ada@example.com' } }]);
    expect((await failure(admin.retryMail({ params: { id: failed?.id ?? '' } }))).message).toBe('409 This mail was sent already');
  });

  test('of a mail that there is not answers 404', async () => {
    expect((await failure(admin.retryMail({ params: { id: nobody } }))).message).toBe('404 Mail not found');
  });
});

describe('the test mail', () => {
  test('goes to the caller and says that it was handed on', async () => {
    expect(await admin.sendTestMail({})).toEqual({ recipient: admin.email, error: null });
    expect(mailBox.mails.map(({ to, subject }) => ({ to, subject }))).toEqual([{ to: [admin.email], subject: 'Test mail from Flotilla' }]);
    expect((await lines('send-test-mail')).at(-1)).toEqual({ result: 'ok', detail: {} });
  });

  test('says why it was not handed on', async () => {
    mailBox.refuse('not today');
    expect(await admin.sendTestMail({})).toEqual({
      recipient: admin.email,
      error: expect.stringMatching(/^The mail server refused the mail: \d{3} not today$/u),
    });
    expect((await lines('send-test-mail')).at(-1)?.result).toBe('failed');
  });

  test('is sent five times an hour by one person', async () => {
    for (let i = 0; i < 5; i++) await admin.sendTestMail({});
    expect(await failure(admin.sendTestMail({}))).toMatchObject({ status: 429, detail: 'Too many requests. Please try again later.' });
    expect(mailBox.mails).toHaveLength(5);
    expect((await (await server.signedIn('admin')).sendTestMail({})).error).toBeNull();
    server.pass(3_600_001);
    await admin.login({ body: { email: admin.email, password: 'correct horse battery' } });
    expect((await admin.sendTestMail({})).error).toBeNull();
  });
});
