import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { untilWaiting } from '../../test/support/lock-waits.ts';
import { addTestBot } from '../../test/support/test-bot.ts';
import { failure, password, startTestServer } from '../../test/support/test-server.ts';

// A change, its line in the audit log and its mail are there together or not at all: each of the two tables is made to
// refuse every row, and then nothing of the change may remain.
const server = await startTestServer();
const { db } = server.dependencies;
type Person = Awaited<ReturnType<typeof server.signedIn>>;
let person: Person;

const refuseRows = (table: string) => sql`alter table ${sql.table(table)} add constraint refuse_all check (false) not valid`.execute(db);
const takeRows = (table: string) => sql`alter table ${sql.table(table)} drop constraint if exists refuse_all`.execute(db);

beforeEach(async () => {
  person = await server.signedIn('trader');
});
afterEach(async () => {
  await takeRows('audit_log');
  await takeRows('mail_outbox');
});

/** Everything a call of a person may change. */
async function state(): Promise<unknown> {
  const { rows } = await sql`
    select (select to_jsonb(u) from users u where u.id = ${person.userId}) as account,
      (select jsonb_agg(s order by s.id) from sessions s where s.user_id = ${person.userId}) as sessions,
      (select jsonb_agg(b order by b.id) from bots b where b.user_id = ${person.userId}) as bots,
      (select count(*) from mail_outbox) as mails, (select count(*) from users) as users, (select count(*) from audit_log) as lines`.execute(
    db,
  );
  return rows[0];
}

async function expectNothingDone(call: () => Promise<unknown>): Promise<void> {
  const before = await state();
  expect((await failure(call())).status).toBe(500);
  expect(await state()).toEqual(before);
}

const newPassword = 'another password';
const reset = async () => {
  await person.forgotPassword({ body: { email: person.email } });
  await expect
    .poll(async () => (await sql`select 1 from audit_log where action = 'send-code' and actor_id = ${person.userId}`.execute(db)).rows)
    .toHaveLength(1); // the last that is done for a code
  return { email: person.email, code: server.mailBox.code(person.email), password: newPassword, confirmPassword: newPassword };
};
/** A browser that holds a token of the person's that was replaced longer ago than the grace. */
const thief = async () => {
  const old = person.cookies.get('sid') ?? '';
  await person.refreshSession({});
  server.pass(31_000);
  const at = server.browser();
  at.cookies.set('sid', old);
  return at;
};

describe('without its line in the audit log nothing is done', () => {
  test('a bot keeps its status and its mode', async () => {
    const id = await addTestBot(db, { strategy: 'RsiReversal', nickname: 'kept', owner: person.email, status: 'active' });
    await sql`update bots set mode = 'live' where id = ${id}`.execute(db);
    await refuseRows('audit_log');
    await expectNothingDone(() => person.toggleBot({ params: { id }, query: { status: 'paused' } }));
    await expectNothingDone(() => person.changeBotMode({ params: { id }, query: { mode: 'paper' } }));
    await takeRows('audit_log');
    expect((await person.toggleBot({ params: { id }, query: { status: 'paused' } })).status).toBe('paused');
  });

  test('an account keeps its role, its verification and its sessions, its bot the status an admin would change', async () => {
    const admin = await server.signedIn('admin');
    const id = await addTestBot(db, { strategy: 'RsiReversal', nickname: 'managed', owner: person.email, status: 'active' });
    await refuseRows('audit_log');
    await expectNothingDone(() => admin.changeRole({ params: { id: person.userId }, body: { role: 'investor' } }));
    await expectNothingDone(() => admin.verifyUser({ params: { id: person.userId }, body: { verified: false, email_verified: false } }));
    await expectNothingDone(() => admin.setBotStatus({ params: { id }, body: { status: 'paused' } }));
    await takeRows('audit_log');
    expect((await admin.changeRole({ params: { id: person.userId }, body: { role: 'investor' } })).role).toBe('investor');
  });

  test('nobody is signed in, out or up', async () => {
    await refuseRows('audit_log');
    await expectNothingDone(() => server.browser().login({ body: { email: person.email, password } }));
    await expectNothingDone(() => person.logout({}));
    const email = 'nobody@example.com';
    await expectNothingDone(() => server.browser().register({ body: { email, password, confirmPassword: password } }));
  });

  test('an e-mail stays unverified, a second factor off', async () => {
    const email = 'unverified@example.com';
    await server.browser('10.9.0.1').register({ body: { email, password, confirmPassword: password } });
    await person.setUpTwoFactor({ params: { id: person.userId } });
    await refuseRows('audit_log');
    const code = server.mailBox.code(email);
    await expectNothingDone(() => server.browser('10.9.0.1').verifyEmail({ body: { email, code } }));
    const { rows } = await sql`select verified, email_verified from users where email = ${email}`.execute(db);
    expect(rows).toEqual([{ verified: false, emailVerified: false }]);
    const second = server.mailBox.code(person.email);
    await expectNothingDone(() => person.verifyTwoFactor({ params: { id: person.userId }, body: { code: second } }));
  });

  test('a password stays, changed or reset, with every session', async () => {
    const body = await reset();
    await refuseRows('audit_log');
    await expectNothingDone(() => person.updatePassword({ body: { password: newPassword } }));
    await expectNothingDone(() => server.browser().resetPassword({ body }));
  });

  test('a session that two parties hold is not ended without a word', async () => {
    const at = await thief();
    await refuseRows('audit_log');
    await expectNothingDone(() => at.refreshSession({}));
  });
});

describe('without its mail nothing is done', () => {
  test('an account keeps its role and its sessions', async () => {
    const admin = await server.signedIn('admin');
    await refuseRows('mail_outbox');
    await expectNothingDone(() => admin.changeRole({ params: { id: person.userId }, body: { role: 'investor' } }));
    await takeRows('mail_outbox');
    expect((await admin.changeRole({ params: { id: person.userId }, body: { role: 'investor' } })).role).toBe('investor');
  });

  test('a password stays, changed or reset', async () => {
    const body = await reset();
    await refuseRows('mail_outbox');
    await expectNothingDone(() => person.updatePassword({ body: { password: newPassword } }));
    await expectNothingDone(() => server.browser().resetPassword({ body }));
  });

  test('a session that two parties hold stays until the mail to its owner can be written', async () => {
    const at = await thief();
    await refuseRows('mail_outbox');
    await expectNothingDone(() => at.refreshSession({}));
    await takeRows('mail_outbox');
    expect((await failure(at.refreshSession({}))).status).toBe(401);
    await server.deliver();
    expect(server.mailBox.mails.at(-1)).toMatchObject({ to: [person.email], subject: 'A session was ended' });
  });
});

describe('what is undone when it is committed has no line in the audit log and no mail', () => {
  const refuseCommit = async (table: string) => {
    await sql`create function refuse_commit() returns trigger language plpgsql as 'begin raise exception ''no room''; end'`.execute(db);
    await sql`create constraint trigger refuse_commit after insert or update on ${sql.table(table)} deferrable initially deferred
      for each row execute function refuse_commit()`.execute(db);
  };
  afterEach(async () => {
    await sql`drop function if exists refuse_commit() cascade`.execute(db);
  });

  test('a bot, its status and its mode', async () => {
    const id = await addTestBot(db, { strategy: 'RsiReversal', nickname: 'undone', owner: person.email, status: 'active' });
    await sql`update bots set mode = 'live' where id = ${id}`.execute(db);
    await refuseCommit('bots');
    await expectNothingDone(() => person.toggleBot({ params: { id }, query: { status: 'paused' } }));
    await expectNothingDone(() => person.changeBotMode({ params: { id }, query: { mode: 'paper' } }));
  });

  test('an account, its role and its verification', async () => {
    const admin = await server.signedIn('admin');
    await refuseCommit('users');
    await expectNothingDone(() => admin.changeRole({ params: { id: person.userId }, body: { role: 'investor' } }));
    await expectNothingDone(() => admin.verifyUser({ params: { id: person.userId }, body: { verified: false, email_verified: false } }));
  });

  test('an account, its password and its second factor', async () => {
    const body = await reset();
    server.pass(31_000);
    await person.setUpTwoFactor({ params: { id: person.userId } });
    const code = server.mailBox.code(person.email);
    await refuseCommit('users');
    await expectNothingDone(() => person.updatePassword({ body: { password: newPassword } }));
    await expectNothingDone(() => server.browser().resetPassword({ body }));
    await expectNothingDone(() => person.verifyTwoFactor({ params: { id: person.userId }, body: { code } }));
    const email = 'undone@example.com';
    await expectNothingDone(() => server.browser().register({ body: { email, password, confirmPassword: password } }));
  });

  test('a session that begins or ends', async () => {
    const at = await thief();
    await refuseCommit('sessions');
    await expectNothingDone(() => server.browser().login({ body: { email: person.email, password } }));
    await expectNothingDone(() => person.logout({}));
    await expectNothingDone(() => at.refreshSession({}));
  });
});

test('a bot is changed by what it is when the change begins: two changes run one after the other', async () => {
  const id = await addTestBot(db, { strategy: 'RsiReversal', nickname: 'locked', owner: person.email, status: 'paused' });
  const call = await db.transaction().execute(async (trx) => {
    await sql`select from users where id = ${person.userId} for update`.execute(trx);
    const activated = failure(person.toggleBot({ params: { id }, query: { status: 'active' } }));
    await untilWaiting(db, 1);
    await sql`update users set verified = false where id = ${person.userId}`.execute(trx);
    return { activated };
  });
  expect((await call.activated).message).toBe('403 Account is not verified');
});
