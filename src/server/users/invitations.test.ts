import { readSettings } from '#storage/installation/installation-settings.ts';
import { removeOldInvitations } from '#storage/users/invitations.ts';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { untilWaiting } from '../../../test/support/lock-waits.ts';
import { failure, password, startTestServer } from '../../../test/support/test-server.ts';

const server = await startTestServer();
const { db } = server.dependencies;
type Person = Awaited<ReturnType<typeof server.signedIn>>;
let admin: Person;
let people = 0;
let callers = 0;
const day = 24 * 60 * 60_000;

const setRegistration = async (registration: 'open' | 'closed' | 'invitation') =>
  admin.changeInstallation({ body: { version: (await readSettings(db)).version, registration } });
const newEmail = () => `guest-${++people}@example.com`;
const register = (email: string, invitationCode?: string, at = server.browser(`10.7.${Math.floor(++callers / 250)}.${callers % 250}`)) =>
  at.register({ body: { email, password, confirmPassword: password, ...(invitationCode === undefined ? {} : { invitationCode }) } });
const codeFor = (email: string) => {
  const mail = server.mailBox.mails.findLast(({ to, subject }) => to.includes(email) && subject === 'Your invitation to Flotilla');
  return /^([0-9A-Z]{4}(?:-[0-9A-Z]{4}){2})\s*$/mu.exec(mail?.text ?? '')?.[1] ?? '';
};
const invite = async (email = newEmail(), role?: 'investor' | 'trader' | 'operator') => {
  const invitation = await admin.invite({ body: { email, ...(role === undefined ? {} : { role }) } });
  return { email, invitation, code: codeFor(email) };
};
const wrong = '403 Invalid or expired invitation code';
const accountOf = async (email: string) => db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();
const stateOf = async (id: string) => (await admin.listInvitations({})).find((each) => each.id === id)?.state;

beforeEach(async () => {
  admin = await server.signedIn('admin');
  await setRegistration('invitation');
});

describe('registration', () => {
  test('open takes everybody, with a code or without', async () => {
    await setRegistration('open');
    const at = server.browser();
    expect(await at.getRegistration({})).toEqual({ registration: 'open', mails_go_to: 'server' });
    for (const code of [undefined, 'ANYTHING'])
      expect(await register(newEmail(), code)).toMatchObject({ status: 'Verification code sent to your email', role: 'trader' });
  });

  test('closed takes nobody, and makes no account', async () => {
    const { email, code } = await invite();
    await setRegistration('closed');
    expect(await server.browser().getRegistration({})).toEqual({ registration: 'closed', mails_go_to: 'server' });
    for (const given of [undefined, code])
      expect((await failure(register(email, given))).message).toBe('403 Registration is closed. Ask an administrator for an account.');
    expect(await accountOf(email)).toBeUndefined();
  });

  test('closed says so however often it is asked, and counts nothing', async () => {
    await setRegistration('closed');
    const here = '10.11.0.1';
    for (let i = 0; i < 12; i++) expect((await failure(register(newEmail(), undefined, server.browser(here)))).status).toBe(403);
    await setRegistration('open');
    expect(await register(newEmail(), undefined, server.browser(here))).toMatchObject({ role: 'trader' });
  });

  test('closed while somebody signs up makes no account', async () => {
    await setRegistration('open');
    const email = newEmail();
    const [change, signUp] = await db
      .transaction()
      .execute(async (trx) => {
        await sql`select from users where id = ${admin.userId} for update`.execute(trx);
        const changing = setRegistration('closed');
        await untilWaiting(db, 1);
        const registering = failure(register(email));
        await untilWaiting(db, 2);
        return [[changing, registering] as const];
      })
      .then(async ([under]) => Promise.all(under ?? []));
    expect(change).toMatchObject({ registration: 'closed' });
    expect((signUp as { message: string }).message).toBe('403 Registration is closed. Ask an administrator for an account.');
    expect(await accountOf(email)).toBeUndefined();
  });
});

describe('an invitation', () => {
  test('mails a code that makes an account of its role, which then confirms its address', async () => {
    const { email, invitation, code } = await invite(newEmail(), 'operator');
    expect(invitation).toMatchObject({ email, role: 'operator', state: 'open', invited_by: admin.email });
    expect(Date.parse(invitation.expires_at) - Date.parse(invitation.created_at)).toBe(7 * day);
    expect(code.replaceAll('-', '').length).toBeGreaterThanOrEqual(10);
    expect(server.mailBox.mails.findLast(({ to }) => to.includes(email))?.text).toContain('http://localhost:3000/register');
    const at = server.browser(`10.8.0.${people % 250}`);
    expect(await register(email, code, at)).toMatchObject({ email, role: 'operator', verified: false, email_verified: false });
    expect(await at.verifyEmail({ body: { email, code: server.mailBox.code(email) } })).toMatchObject({ role: 'operator', verified: true });
    expect(await stateOf(invitation.id)).toBe('used');
  });

  test('is for a trader unless it says otherwise; its code may be typed in small letters, without hyphens, with blanks', async () => {
    const { email, code } = await invite();
    expect(await register(email.toUpperCase(), ` ${code.toLowerCase().replaceAll('-', ' ')} `)).toMatchObject({ role: 'trader' });
  });

  test('lies in no table, no record and no queued mail with its code', async () => {
    const { code } = await invite();
    expect(code).not.toBe('');
    const { rows } = await sql<{ text: string }>`
      select string_agg(t, ' ') as text from (select to_jsonb(i)::text as t from invitations i union all
        select to_jsonb(a)::text from audit_log a union all select to_jsonb(m)::text from mail_outbox m union all
        select to_jsonb(k)::text from idempotency_keys k) all_rows`.execute(db);
    const text = (rows[0]?.text ?? '').toUpperCase();
    expect(text).toContain('GUEST-');
    expect([text.includes(code), text.includes(code.replaceAll('-', ''))]).toEqual([false, false]);
  });

  test('works once, for its own address, for a week, and not once it is withdrawn', async () => {
    const [used, mine, late, withdrawn] = [await invite(), await invite(), await invite(), await invite()];
    await register(used.email, used.code);
    expect((await failure(register(used.email, used.code))).message).toBe(wrong);
    expect((await failure(register(newEmail(), mine.code))).message).toBe(wrong);
    for (const code of ['', 'AAAA-AAAA-AAAA', undefined]) expect((await failure(register(mine.email, code))).message).toBe(wrong);
    expect(await admin.withdrawInvitation({ params: { id: withdrawn.invitation.id } })).toEqual({ status: 'Invitation withdrawn' });
    expect((await failure(register(withdrawn.email, withdrawn.code))).message).toBe(wrong);
    await register(mine.email, mine.code); // a code that others have tried is good all the same
    server.pass(7 * day + 1);
    admin = await server.signedIn('admin');
    expect((await failure(register(late.email, late.code))).message).toBe(wrong);
    const states = await Promise.all([used, mine, late, withdrawn].map(({ invitation }) => stateOf(invitation.id)));
    expect(states).toEqual(['used', 'used', 'expired', 'withdrawn']);
    for (const { email } of [late, withdrawn]) expect(await accountOf(email)).toBeUndefined();
  });

  test('used twenty times at once makes one account', async () => {
    const { email, code } = await invite();
    const all = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) => register(email, code, server.browser(`10.9.${people % 250}.${i + 1}`))),
    );
    expect(all.filter(({ status }) => status === 'fulfilled').length).toBe(1);
    const { rows } = await sql`select 1 from users where email_key = ${email}`.execute(db);
    expect(rows.length).toBe(1);
  });

  test('is still open when the account could not be made, and when its mail did not go out', async () => {
    const { email, code, invitation } = await invite();
    server.mailBox.refuse(true);
    expect((await failure(register(email, code))).message).toBe('503 Email could not be sent. Please try again.');
    server.mailBox.refuse(false);
    expect([await stateOf(invitation.id), await accountOf(email)]).toEqual(['open', undefined]);
    await sql`insert into users (email, email_key, display_name, password_hash, role) values (${email}, ${email}, 'x', 'x', 'trader')`.execute(
      db,
    );
    expect((await failure(register(email, code))).message).toBe('409 Email is already registered');
    expect(await stateOf(invitation.id)).toBe('open');
    await sql`delete from users where email = ${email}`.execute(db);
    expect(await register(email, code)).toMatchObject({ role: 'trader' });
  });

  test('takes five wrong codes an hour from an address, right ones not counted', async () => {
    const here = '10.10.0.1';
    for (let i = 0; i < 5; i++) expect((await failure(register(newEmail(), 'WRONG', server.browser(here)))).message).toBe(wrong);
    const { email, code } = await invite();
    expect((await failure(register(email, code, server.browser(here)))).message).toBe('429 Too many attempts. Please try again later.');
    expect(await register(email, code, server.browser('10.10.0.2'))).toMatchObject({ email });
    for (let i = 0; i < 6; i++) {
      const next = await invite();
      expect(await register(next.email, next.code, server.browser('10.10.0.3'))).toMatchObject({ email: next.email });
    }
  });
});

describe('inviting', () => {
  test('refuses what cannot be accepted, each with its sentence', async () => {
    const { email } = await invite();
    const refusal = async (body: object) => (await failure(admin.invite({ body: body as never }))).message;
    expect(await refusal({})).toBe('400 Email is required');
    expect(await refusal({ email: 'no address' })).toBe('400 Invalid email address');
    expect(await refusal({ email: newEmail(), role: 'admin' })).toBe('400 Role must be investor, trader or operator');
    expect(await refusal({ email: email.toUpperCase() })).toBe('409 This address has an open invitation. Withdraw it first.');
    expect(await refusal({ email: admin.email })).toBe('409 Email is already registered');
    await setRegistration('open');
    expect(await refusal({ email: newEmail() })).toBe('409 Registration is not by invitation. Change that first.');
  });

  test('again is possible once the first invitation was withdrawn or has run out', async () => {
    const { email, invitation, code } = await invite();
    await admin.withdrawInvitation({ params: { id: invitation.id } });
    const second = await invite(email);
    expect((await failure(register(email, code))).message).toBe(wrong);
    server.pass(7 * day + 1);
    admin = await server.signedIn('admin');
    const third = await invite(email);
    expect((await failure(register(email, second.code))).message).toBe(wrong);
    expect(await register(email, third.code)).toMatchObject({ email });
  });

  test('at once by two admins makes one invitation', async () => {
    const other = await server.signedIn('admin');
    const email = newEmail();
    const all = await Promise.allSettled([admin, other].map((each) => each.invite({ body: { email } })));
    expect(all.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  test('a mail that cannot be sent answers 503 and leaves no invitation, but a record', async () => {
    const email = newEmail();
    server.mailBox.refuse(true);
    expect((await failure(admin.invite({ body: { email } }))).message).toBe('503 Email could not be sent. Please try again.');
    server.mailBox.refuse(false);
    expect((await admin.listInvitations({})).some((each) => each.email === email)).toBe(false);
    const { rows } = await sql<{ result: string }>`
      select result from audit_log where action = 'invite' and target = ${email} order by id`.execute(db);
    expect(rows.map(({ result }) => result)).toEqual(['ok', 'failed']);
    expect((await invite(email)).code).not.toBe('');
  });

  test('and withdrawing have their records; what is not open cannot be withdrawn', async () => {
    const { email, invitation, code } = await invite();
    const params = { id: invitation.id };
    await admin.withdrawInvitation({ params });
    expect((await failure(admin.withdrawInvitation({ params }))).message).toBe('409 The invitation is not open');
    const used = await invite();
    await register(used.email, used.code);
    expect((await failure(admin.withdrawInvitation({ params: { id: used.invitation.id } }))).message).toBe(
      '409 The invitation is not open',
    );
    const { rows } = await sql<{ action: string; detail: unknown }>`
      select action, detail from audit_log where target = ${email} order by id`.execute(db);
    expect(rows).toEqual([
      { action: 'invite', detail: { role: 'trader' } },
      { action: 'withdraw-invitation', detail: {} },
    ]);
    expect(code).not.toBe('');
  });

  test('needs a password that was entered lately', async () => {
    server.pass(11 * 60_000);
    expect((await failure(admin.invite({ body: { email: newEmail() } }))).message).toBe('403 Enter your current password to continue.');
  });

  test('is forgotten three months after it has run out', async () => {
    const { invitation } = await invite();
    const endsAt = Date.parse(invitation.expires_at);
    await removeOldInvitations(db, new Date(endsAt + 90 * day));
    expect(await stateOf(invitation.id)).toBe('open');
    await removeOldInvitations(db, new Date(endsAt + 90 * day + 1));
    expect(await stateOf(invitation.id)).toBeUndefined();
  });
});
