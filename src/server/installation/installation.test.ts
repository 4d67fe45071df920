import { readSettings } from '#storage/installation/installation-settings.ts';
import { updateUser } from '#storage/users/users.ts';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { untilWaiting } from '../../../test/support/lock-waits.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, password, startTestServer } from '../../../test/support/test-server.ts';

const server = await startTestServer();
const { db } = server.dependencies;
type Person = Awaited<ReturnType<typeof server.signedIn>>;
type Changes = Omit<Parameters<Person['changeInstallation']>[0]['body'], 'version'>;
let admin: Person;

const change = async (changes: Changes, by = admin) =>
  by.changeInstallation({ body: { version: (await readSettings(db)).version, ...changes } });
const refused = async (changes: Record<string, unknown>) => (await failure(change(changes))).message;
const minute = 60_000;
const hour = 60 * minute;

beforeEach(async () => {
  admin = await server.signedIn('admin');
});
afterEach(async () => void (await sql`delete from installation_settings`.execute(db)));

describe('the settings', () => {
  test('are those of before until somebody changes them', async () => {
    expect(await admin.getInstallation({})).toMatchObject({
      version: 1,
      require_2fa: 'off',
      registration: 'open',
      shared_bot_list: true,
      session_idle_minutes: 480,
      session_life_minutes: 10_080,
      sender_name: '',
      sender_address: '',
      sender: { name: 'Flotilla', address: 'flotilla@localhost' },
    });
  });

  test('say how many accounts have no 2FA', async () => {
    const before = (await admin.getInstallation({})).without_2fa;
    await server.signedIn('trader');
    const secured = await server.signedIn('admin');
    await updateUser(db, secured.userId, { has2fa: true });
    expect((await admin.getInstallation({})).without_2fa).toEqual({ admins: before.admins, all: before.all + 1 });
  });

  test('change together, and each change has its record with before and after', async () => {
    const reply = await change({ registration: 'closed', session_idle_minutes: 60, shared_bot_list: true });
    expect(reply).toMatchObject({ version: 2, registration: 'closed', session_idle_minutes: 60, shared_bot_list: true });
    expect(await admin.getInstallation({})).toEqual(reply);
    const { rows } = await sql<{ target: string; detail: unknown; actorId: string }>`
      select target, detail, actor_id from audit_log where action = 'change-setting' order by id desc limit 2`.execute(db);
    expect(rows.toReversed()).toEqual([
      { target: 'registration', detail: { from: 'open', to: 'closed' }, actorId: admin.userId },
      { target: 'session_idle_minutes', detail: { from: 480, to: 60 }, actorId: admin.userId },
    ]);
  });

  test('that are as asked for already make no version and no record', async () => {
    const lines = async () => (await sql`select 1 from audit_log where action = 'change-setting'`.execute(db)).rows.length;
    const before = await lines();
    expect(await change({ registration: 'open', session_idle_minutes: 480 })).toMatchObject({ version: 1 });
    expect(await lines()).toBe(before);
  });

  test('that somebody else has changed meanwhile are left alone', async () => {
    const { version } = await admin.getInstallation({});
    await change({ registration: 'closed' }, await server.signedIn('admin'));
    const late = await failure(admin.changeInstallation({ body: { version, registration: 'invitation' } }));
    expect(late.message).toBe('409 The settings were changed by somebody else. Reload and try again.');
    expect(await readSettings(db)).toMatchObject({ registration: 'closed', version: 2 });
  });

  test('of ten changes at once one is made', async () => {
    const { version } = await admin.getInstallation({});
    const all = await Promise.allSettled(
      Array.from({ length: 10 }, (_, i) => admin.changeInstallation({ body: { version, session_idle_minutes: 100 + i } })),
    );
    expect(all.filter(({ status }) => status === 'fulfilled').length).toBe(1);
    expect(await readSettings(db)).toMatchObject({ version: version + 1 });
  });

  test('are refused with a sentence where they are out of bounds', async () => {
    const idle = '400 The idle time must be between 15 minutes and 24 hours';
    const life = '400 The length of a session must be between 1 hour and 30 days';
    for (const minutes of [14, 1441, 60.5, null]) expect(await refused({ session_idle_minutes: minutes })).toBe(idle);
    expect(await refused({ session_idle_minutes: '60' })).toBe('400 Invalid request'); // of another type
    for (const minutes of [59, 43_201]) expect(await refused({ session_life_minutes: minutes })).toBe(life);
    const longer = '400 The idle time cannot be longer than the session';
    expect(await refused({ session_life_minutes: 60 })).toBe(longer);
    expect(await refused({ session_idle_minutes: 121, session_life_minutes: 120 })).toBe(longer);
    for (const setting of ['require_2fa', 'registration', 'shared_bot_list', 'another'])
      expect(await refused({ [setting]: 'perhaps' })).toBe('400 Invalid request');
    expect(await change({ session_idle_minutes: 1440, session_life_minutes: 43_200 })).toMatchObject({ version: 2 });
    expect(await change({ session_idle_minutes: 15, session_life_minutes: 60 })).toMatchObject({ version: 3 });
  });

  test('are changed only by one who has entered the password lately', async () => {
    server.pass(11 * minute);
    expect((await failure(change({ registration: 'closed' }))).message).toBe('403 Enter your current password to continue.');
    await admin.confirmPassword({ body: { password } });
    expect(await change({ registration: 'closed' })).toMatchObject({ registration: 'closed' });
  });

  test('are changed by no one whose role was taken away while the call waited', async () => {
    const other = await server.signedIn('admin');
    const waiting = await db.transaction().execute(async (trx) => {
      await sql`select from users where id = ${other.userId} for update`.execute(trx);
      const begun = failure(change({ registration: 'closed' }, other));
      await untilWaiting(db, 1);
      await updateUser(trx, other.userId, { role: 'trader' });
      return [begun];
    });
    expect((await waiting[0])?.message).toBe('403 Admin access required');
    expect(await readSettings(db)).toMatchObject({ registration: 'open' });
  });

  test('are not changed without their record', async () => {
    await sql`alter table audit_log add constraint refuse_all check (action <> 'change-setting') not valid`.execute(db);
    const trader = await server.signedIn('trader');
    await updateUser(db, admin.userId, { has2fa: true });
    expect((await failure(change({ require_2fa: 'all' }))).status).toBe(500);
    await sql`alter table audit_log drop constraint refuse_all`.execute(db);
    expect(await readSettings(db)).toMatchObject({ requireTwoFactor: 'off', version: 1 });
    expect(await trader.getMe({})).toMatchObject({ role: 'trader' });
  });
});

describe('the length of sessions', () => {
  test('a session without use for the idle time cannot be renewed; one in use can', async () => {
    await change({ session_idle_minutes: 60 });
    const [used, unused] = [await server.signedIn('trader'), await server.signedIn('trader')];
    server.pass(50 * minute);
    await used.refreshSession({});
    server.pass(11 * minute);
    expect((await failure(unused.refreshSession({}))).message).toBe('401 Session expired');
    await used.refreshSession({});
    expect(await used.getMe({})).toMatchObject({ role: 'trader' });
  });

  test('with the shortest idle time a browser in use stays signed in: it can renew well before the end', async () => {
    await change({ session_idle_minutes: 15 });
    const at = await server.signedIn('trader');
    at.renews = false;
    server.pass(8 * minute);
    expect((await failure(at.getMe({}))).status).toBe(401);
    await at.refreshSession({});
    expect(await at.getMe({})).toMatchObject({ role: 'trader' });
  });

  test('another idle time holds for a session from its next renewal', async () => {
    const at = await server.signedIn('trader');
    await change({ session_idle_minutes: 30 });
    server.pass(2 * hour);
    await at.refreshSession({}); // still by the eight hours of before
    server.pass(31 * minute);
    expect((await failure(at.refreshSession({}))).message).toBe('401 Session expired');
  });

  test('a shorter session ends those that are older at once, for everybody', async () => {
    const old = await server.signedIn('trader');
    server.pass(3 * hour);
    await old.refreshSession({});
    const young = await server.signedIn('trader');
    admin = await server.signedIn('admin');
    await change({ session_life_minutes: 120, session_idle_minutes: 60 });
    expect((await failure(old.getMe({}))).status).toBe(401);
    expect((await failure(old.refreshSession({}))).message).toBe('401 Session expired');
    expect(await young.getMe({})).toMatchObject({ role: 'trader' });
    for (const _ of [1, 2, 3]) {
      server.pass(39 * minute);
      await young.refreshSession({});
    }
    server.pass(4 * minute);
    expect((await failure(young.refreshSession({}))).message).toBe('401 Session expired');
  });

  test('a longer session is one that begins later; the cookie lasts as long as its session', async () => {
    const endOf = async (id: string) =>
      (await db.selectFrom('sessions').select('endsAt').where('userId', '=', id).executeTakeFirstOrThrow()).endsAt.getTime();
    const early = await server.signedIn('trader');
    const before = await endOf(early.userId);
    await change({ session_life_minutes: 20_160 });
    expect(await endOf(early.userId)).toBe(before);
    const late = await server.signedIn('trader');
    expect((await endOf(late.userId)) - before).toBeGreaterThan(6 * 24 * hour);
    expect(late.setCookies.find((line) => line.startsWith('sid='))).toContain(`Max-Age=${14 * 24 * 3600};`);
  });
});

describe('the shared list of bots', () => {
  test('OP-26 switched off it shows traders their own bots, and everybody else all', async () => {
    const [one, two] = [await server.signedIn('trader'), await server.signedIn('trader')];
    const own = await addTestBot(db, { strategy: 'EmaCross', owner: one.email });
    const others = await addTestBot(db, { strategy: 'EmaCross', owner: two.email });
    const seenBy = async (person: Person) => (await person.listBots({})).map(({ id }) => id);
    const all = [own, others].toSorted();
    expect((await seenBy(one)).toSorted()).toEqual(all);
    await change({ shared_bot_list: false });
    expect(await seenBy(one)).toEqual([own]);
    expect(await seenBy(await server.signedIn('trader'))).toEqual([]);
    for (const role of ['operator', 'investor', 'admin'] as const)
      expect((await seenBy(await server.signedIn(role))).toSorted(), role).toEqual(all);
    await change({ shared_bot_list: true });
    expect((await seenBy(one)).toSorted()).toEqual(all);
  });

  test('OP-26 switched off it hides the archived bots of others, too', async () => {
    const [one, two] = [await server.signedIn('trader'), await server.signedIn('trader')];
    const own = await addTestBot(db, { strategy: 'EmaCross', owner: one.email, status: 'stopped' });
    const others = await addTestBot(db, { strategy: 'EmaCross', owner: two.email, status: 'stopped' });
    for (const [person, id] of [[one, own] as const, [two, others] as const]) await person.archiveBot({ params: { id } });
    const archivedFor = async (person: Person) => (await person.listArchivedBots({})).map(({ id }) => id).toSorted();
    expect(await archivedFor(one)).toEqual([own, others].toSorted());
    await change({ shared_bot_list: false });
    expect(await archivedFor(one)).toEqual([own]);
    expect(await archivedFor(await server.signedIn('operator'))).toEqual([own, others].toSorted());
    await change({ shared_bot_list: true });
  });
});

describe('the sender of mails', () => {
  const headOfNextMail = async (): Promise<string> => {
    const at = server.browser(`10.6.0.${server.mailBox.mails.length % 250}`);
    const email = `reader-${server.mailBox.mails.length}@example.com`;
    await at.register({ body: { email, password, confirmPassword: password } });
    return server.mailBox.mails.findLast(({ to }) => to.includes(email))?.head ?? '';
  };

  test('is the one that is set, from the next mail on, and the default again when it is emptied', async () => {
    expect(await headOfNextMail()).toContain('From: Flotilla <flotilla@localhost>');
    const reply = await change({ sender_name: 'Harbour "Desk", Ltd', sender_address: 'desk@harbour.example' });
    expect(reply.sender).toEqual({ name: 'Harbour "Desk", Ltd', address: 'desk@harbour.example' });
    expect(await headOfNextMail()).toContain('From: "Harbour \\"Desk\\", Ltd" <desk@harbour.example>');
    expect((await change({ sender_name: '' })).sender).toEqual({ name: 'Flotilla', address: 'desk@harbour.example' });
    expect((await change({ sender_address: '' })).sender).toEqual({ name: 'Flotilla', address: 'flotilla@localhost' });
    expect(await headOfNextMail()).toContain('From: Flotilla <flotilla@localhost>');
  });

  test('is nothing that could begin another header or name another address', async () => {
    for (const name of ['Desk\r\nBcc: all@example.com', 'Desk\nX: y', 'Desk\u0085x', 'x'.repeat(101)])
      expect(await refused({ sender_name: name })).toBe('400 The name of the sender must have at most 100 characters on one line');
    for (const address of ['desk', 'a@b.example\r\nBcc: c@d.example', 'a@b.example, c@d.example', 'Desk <a@b.example>', ' '])
      expect(await refused({ sender_address: address })).toBe('400 The address of the sender must be an e-mail address');
    await change({ sender_name: 'all@example.com, Bcc: <evil@example.com>', sender_address: 'desk@harbour.example' });
    const head = await headOfNextMail();
    expect(head).toMatch(/^From: "all@example.com, Bcc: <evil@example.com>"\s<desk@harbour.example>$/mu);
    expect(head).not.toMatch(/^Bcc:/mu);
  });
});

test('no change of the settings and no call beside it block each other for good', async () => {
  const other = await server.signedIn('admin');
  for (const { userId } of [admin, other]) await updateUser(db, userId, { has2fa: true });
  const people = await Promise.all(Array.from({ length: 4 }, () => server.signedIn('trader')));
  for (const { email } of people) for (let i = 0; i < 3; i++) await server.browser(`10.12.0.${i}`).login({ body: { email, password } });
  const rules = ['all', 'off', 'admins'] as const;
  const calls = Array.from({ length: 9 }, (_, i) => {
    const person = people[i % 4] ?? admin;
    const [one, two] = i % 2 === 0 ? [admin, other] : [other, admin];
    return [
      change({ session_life_minutes: 6_000 - i, require_2fa: rules[i % 3] ?? 'off' }, one),
      change({ session_life_minutes: 10_000 - i }, two),
      one.changeRole({ params: { id: person.userId }, body: { role: i % 4 < 2 ? 'operator' : 'trader' } }),
      two.endUserSessions({ params: { id: person.userId } }),
      two.endUserSessions({ params: { id: one.userId } }),
      person.endOtherSessions({}),
      person.refreshSession({}),
      person.updatePassword({ body: { password: `another password ${i}` } }),
      server.browser(`10.13.0.${i}`).login({ body: { email: person.email, password } }),
      server.browser(`10.14.0.${i}`).login({ body: { email: two.email, password } }),
      register(`crowd-${i}@example.com`),
    ];
  }).flat();
  const outcomes = await Promise.allSettled<unknown>(calls);
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as { status: number }] : []));
  expect(failures.filter(({ status }) => status >= 500 || status === undefined)).toEqual([]);
  expect(outcomes.length - failures.length).toBeGreaterThan(9);
});

const register = (email: string) =>
  server.browser(`10.15.0.${email.length}`).register({ body: { email, password, confirmPassword: password } });
