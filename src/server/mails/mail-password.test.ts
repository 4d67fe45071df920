import { mails } from '#mail/texts.ts';
import { smtpMailer } from '#mail/mailer.ts';
import { sendDueMails } from '#mail/send-waiting.ts';
import { addMail } from '#storage/mails/mail-outbox.ts';
import { Writable } from 'node:stream';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openMailBox } from '../../../test/support/mail-box.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';

const canary = 'Kn4r1-p%a:ss-w@rd';
const spellings = [
  canary,
  encodeURIComponent(canary),
  Buffer.from(canary).toString('base64'),
  Buffer.from(`\u0000bots\u0000${canary}`).toString('base64'),
];
const lines: string[] = [];
const stream = new Writable({
  write(chunk: Buffer, _, done) {
    lines.push(chunk.toString());
    done();
  },
});
/** A mail server that takes the password and repeats it in its refusals, in every spelling. */
const box = await openMailBox({ signIn: { user: 'bots', password: canary, refusal: spellings.join(' ') } });
const urlOf = (password: string) => `smtp://bots:${encodeURIComponent(password)}@127.0.0.1:${box.port}`;
const mailer = smtpMailer(urlOf(canary));
const server = await startTestServer({ mailer }, { logger: { level: 'warn', stream } });
const { db } = server.dependencies;

test('why a mail was not sent is in the log; the password of the mail server is in no log, no answer and no row', async () => {
  const admin = await server.signedIn('admin');
  await addMail(db, mails.roleChanged('ada@example.com', 'trader', 'operator'));
  const now = () => new Date(server.dependencies.now().getTime() + 1_000);
  const answers: unknown[] = [];
  box.refuse(spellings.join(' '));
  await sendDueMails(db, mailer, { now, onError: (error) => server.app.log.error({ err: error }, 'a mail was not sent') });
  answers.push(await admin.sendTestMail({}), await admin.listMails({ query: {} }));
  const body = { email: 'new@example.com', password: 'a long enough one 7', confirmPassword: 'a long enough one 7' };
  answers.push((await failure(server.browser('10.8.0.1').register({ body }))).detail);

  expect(box.passwords).toContain(canary); // it was used
  expect(lines.filter((line) => line.includes('a mail was not sent') && line.includes('The mail server refused the mail'))).toHaveLength(1);
  expect(
    lines.filter((line) => line.includes('a call could not be done') && line.includes('The mail server refused the mail')),
  ).toHaveLength(1);
  expect(JSON.stringify(answers)).toContain('The mail server refused the mail');
  const { rows } = await sql<{ everything: string }>`
    select string_agg(t, '') as everything from (
      select to_jsonb(m)::text as t from mail_outbox m union all select to_jsonb(a)::text from audit_log a
      union all select to_jsonb(i)::text from idempotency_keys i) x`.execute(db);
  expect(rows[0]?.everything).toContain('The mail server refused the mail');
  for (const spelling of spellings) {
    expect(lines.join('')).not.toContain(spelling);
    expect(JSON.stringify(answers)).not.toContain(spelling);
    expect(rows[0]?.everything).not.toContain(spelling);
  }
});
