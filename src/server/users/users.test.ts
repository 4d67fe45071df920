import { roles } from '#contract/fields.ts';
import { mails } from '#mail/texts.ts';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, password, startTestServer } from '../../../test/support/test-server.ts';

const server = await startTestServer();
const { db } = server.dependencies;
type Person = Awaited<ReturnType<typeof server.signedIn>>;
let admin: Person;
let person: Person;
const nobody = '00000000-0000-4000-8000-00000000dead';

beforeEach(async () => {
  admin = await server.signedIn('admin');
  person = await server.signedIn('trader');
});

const isIn = (at: Person) =>
  at.getMe({}).then(
    () => true,
    () => false,
  );
const account = async (id: string) =>
  (await sql<Record<string, unknown>>`select * from users where id = ${id}`.execute(db)).rows[0] as { role: string; updatedAt: Date };
const lines = async (target: string) =>
  (
    await sql<{ action: string; actorId: string; actorRole: string; result: string; detail: unknown }>`
      select action, actor_id, actor_role, result, detail from audit_log where target = ${target} order by id`.execute(db)
  ).rows;

describe('the list of accounts', () => {
  test('API-23, ROLE-08, USERS-14, USERS-25, USERS-27, DATA-32, DATA-33, DATA-34, OP-81 every account with its bots and keys, and nothing secret', async () => {
    const owner = await server.signedIn('operator', 'Zoe@example.com');
    await addTestBot(db, { strategy: 'RsiReversal', nickname: 'beta', owner: owner.email, symbols: ['BTC/USDT', 'ETH/USDT'] });
    await addTestBot(db, { strategy: 'RsiReversal', nickname: 'Alpha', owner: owner.email, status: 'stopped' });
    await sql`insert into api_keys (user_id, exchange_id, label, key_hint, sealed, created_at, last_used_at) values
      (${owner.userId}, 'kraken', 'main', '9f3C', '{"secret": "sealed"}', '2026-01-02', null),
      (${owner.userId}, 'binance', 'old', 'b07e', '{"secret": "sealed"}', '2026-01-01', '2026-03-01T10:00:00Z')`.execute(db);
    const list = await admin.listUsers({});
    const found = list.find(({ id }) => id === owner.userId);
    expect(found).toEqual({
      id: owner.userId,
      userId: owner.userId,
      display_name: 'Zoe',
      email: 'Zoe@example.com',
      role: 'operator',
      verified: true,
      email_verified: true,
      has_2fa: false,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/u),
      bots: [
        expect.objectContaining({
          id: expect.any(String),
          name: 'Alpha',
          exchange: 'sandbox',
          mode: 'paper',
          trading_pairs: ['BTC/USDT'],
          status: 'stopped',
        }),
        expect.objectContaining({
          name: 'beta',
          strategy_name: expect.any(String),
          trading_pairs: ['BTC/USDT', 'ETH/USDT'],
          status: 'active',
        }),
      ],
      api_keys: [
        {
          id: expect.any(String),
          exchange: 'binance',
          exchange_id: 'binance',
          label: 'old',
          key_hint: expect.stringMatching(/^.{4}$/u),
          last_used: '2026-03-01T10:00:00.000Z',
        },
        expect.objectContaining({ id: expect.any(String), exchange: 'kraken', last_used: null }),
      ],
    });
    expect(list.map(({ id }) => id).sort()).toEqual(
      (await sql<{ id: string }>`select id from users order by id::text`.execute(db)).rows.map(({ id }) => id),
    );
    expect(JSON.stringify(list)).not.toMatch(/argon2|sealed/u);
  });

  test('ROLE-04, ROLE-05, OP-45 only admins, by the role that is stored', async () => {
    const id = await addTestBot(db, { strategy: 'RsiReversal', owner: person.email });
    const lie = { headers: { 'x-role': 'admin' } };
    for (const role of roles.filter((each) => each !== 'admin')) {
      const at = await server.signedIn(role);
      const refused = await Promise.all([
        failure(at.listUsers({}, lie)),
        failure(at.verifyUser({ params: { id: at.userId }, body: { verified: true, email_verified: true } }, lie)),
        failure(at.changeRole({ params: { id: at.userId }, body: { role: 'admin' } }, lie)),
        failure(at.setBotStatus({ params: { id }, body: { status: 'stopped' } }, lie)),
      ]);
      expect(refused.map(({ message }) => message)).toEqual(Array.from({ length: 4 }, () => '403 Admin access required'));
      expect((await account(at.userId)).role).toBe(role);
    }
    expect((await admin.listUsers({}, { headers: { 'x-role': 'trader' } })).length).toBeGreaterThan(1);
  });
});

describe('a role', () => {
  test.each(['investor', 'operator', 'admin'] as const)(
    'API-25, ROLE-01, ROLE-10 becomes %s at once, every session of the account ends, and the log has before and after',
    async (role) => {
      const second = server.browser('10.9.9.9');
      await second.login({ body: { email: person.email, password } });
      const changed = await admin.changeRole({ params: { id: person.userId }, body: { role } });
      expect(changed).toMatchObject({ id: person.userId, role, email: person.email, bots: [], api_keys: [] });
      expect(await isIn(person)).toBe(false);
      expect((await failure(second.getMe({}))).status).toBe(401);
      expect((await failure(second.refreshSession({}))).status).toBe(401);
      expect(await isIn(admin)).toBe(true);
      expect(await lines(person.userId)).toEqual([
        { action: 'change-role', actorId: admin.userId, actorRole: 'admin', result: 'ok', detail: { from: 'trader', to: role } },
      ]);
      expect(await server.browser().login({ body: { email: person.email, password } })).toMatchObject({ role });
    },
  );

  test('OP-25 the person gets a mail with the role before and after', async () => {
    await admin.changeRole({ params: { id: person.userId }, body: { role: 'operator' } });
    await server.deliver();
    const { subject, body } = mails.roleChanged(person.email, 'trader', 'operator');
    expect(server.mailBox.mails.filter(({ to }) => to.includes(person.email))).toEqual([
      expect.objectContaining({ to: [person.email], subject, text: expect.stringContaining(body.slice(0, 60)) }),
    ]);
  });

  test('that is what it is already stays: nothing is written and no session ends', async () => {
    const before = await account(person.userId);
    const mailed = (await sql`select 1 from mail_outbox`.execute(db)).rows.length;
    expect((await admin.changeRole({ params: { id: person.userId }, body: { role: 'trader' } })).role).toBe('trader');
    expect(await account(person.userId)).toEqual(before);
    expect(await isIn(person)).toBe(true);
    expect(await lines(person.userId)).toEqual([]);
    expect((await sql`select 1 from mail_outbox`.execute(db)).rows).toHaveLength(mailed);
  });

  test('ROLE-13, VALID-45, OP-39 of an admin never changes, by another admin or by themselves', async () => {
    const other = await server.signedIn('admin');
    for (const role of roles) {
      for (const id of [other.userId, admin.userId]) {
        const refused = await failure(admin.changeRole({ params: { id }, body: { role } }));
        expect(refused.message).toBe('403 Cannot change the role of an admin user.');
        expect((await account(id)).role).toBe('admin');
      }
    }
    expect(await isIn(other)).toBe(true);
    expect(await lines(other.userId)).toEqual([]);
  });

  test('ROLE-01 is one of the four, of an account that there is', async () => {
    for (const role of ['owner', 'Admin', '']) {
      const refused = await failure(admin.changeRole({ params: { id: person.userId }, body: { role: role as 'admin' } }));
      expect(refused.message).toBe('400 Role must be investor, trader, operator or admin');
    }
    expect((await failure(admin.changeRole({ params: { id: nobody }, body: { role: 'trader' } }))).message).toBe('404 User not found');
    expect((await account(person.userId)).role).toBe('trader');
  });
});

describe('a verification', () => {
  test.each([
    [true, true],
    [true, false],
    [false, true],
    [false, false],
  ])(
    'API-24, OP-43, ROLE-11, USERS-24 is what was sent: verified %s, e-mail %s; what is taken away ends the sessions',
    async (verified, emailVerified) => {
      await sql`update users set verified = ${!verified}, email_verified = ${!emailVerified} where id = ${person.userId}`.execute(db);
      const body = { verified, email_verified: emailVerified };
      expect(await admin.verifyUser({ params: { id: person.userId }, body })).toMatchObject({ id: person.userId, ...body });
      expect(await account(person.userId)).toMatchObject({ verified, emailVerified });
      expect(await isIn(person)).toBe(verified && emailVerified);
      const from = { verified: !verified, email_verified: !emailVerified };
      expect(await lines(person.userId)).toEqual([
        { action: 'verify-user', actorId: admin.userId, actorRole: 'admin', result: 'ok', detail: { from, to: body } },
      ]);
      const before = await account(person.userId);
      expect(before).toMatchObject({ verificationDecidedAt: expect.any(Date) });
      await admin.verifyUser({ params: { id: person.userId }, body });
      expect(await account(person.userId)).toEqual(before);
      expect(await lines(person.userId)).toHaveLength(1);
    },
  );

  test('OP-43 of an admin never changes; neither does that of an account that is not there', async () => {
    for (const id of [(await server.signedIn('admin')).userId, admin.userId]) {
      const refused = await failure(admin.verifyUser({ params: { id }, body: { verified: false, email_verified: false } }));
      expect(refused.message).toBe('403 Cannot change the verification of an admin user.');
      expect(await account(id)).toMatchObject({ verified: true, emailVerified: true });
    }
    const body = { verified: true, email_verified: true };
    expect((await failure(admin.verifyUser({ params: { id: nobody }, body }))).message).toBe('404 User not found');
    for (const wrong of [{ verified: 'yes', email_verified: true }, { verified: true }, {}]) {
      expect((await failure(admin.verifyUser({ params: { id: person.userId }, body: wrong as typeof body }))).message).toBe(
        '400 verified and email_verified must be true or false',
      );
    }
  });

  test('opens no way around the second factor', async () => {
    await sql`update users set has2fa = true, verified = false, email_verified = false where id = ${person.userId}`.execute(db);
    await admin.verifyUser({ params: { id: person.userId }, body: { verified: true, email_verified: true } });
    const at = server.browser();
    expect((await at.login({ body: { email: person.email, password } })).status).toBe('2FA code sent to your email');
    expect((await failure(at.getMe({}))).status).toBe(401);
  });

  test('lets an unverified owner activate bots', async () => {
    const id = await addTestBot(db, { strategy: 'RsiReversal', owner: person.email, status: 'paused' });
    await sql`update users set verified = false where id = ${person.userId}`.execute(db);
    expect((await failure(person.toggleBot({ params: { id }, query: { status: 'active' } }))).message).toBe('403 Account is not verified');
    await admin.verifyUser({ params: { id: person.userId }, body: { verified: true, email_verified: true } });
    expect((await person.toggleBot({ params: { id }, query: { status: 'active' } })).status).toBe('active');
  });
});

describe('the status of any bot', () => {
  const row = async (id: string) =>
    (await sql<{ status: string; consecutiveLosses: number; updatedAt: Date }>`select * from bots where id = ${id}`.execute(db)).rows[0];

  test('API-26, OP-41, ROLE-12, USERS-30 is set to each of the three; its runner sees a newer row, the log before and after', async () => {
    const id = await addTestBot(db, { strategy: 'RsiReversal', owner: person.email, status: 'active' });
    await sql`update bots set consecutive_losses = 3 where id = ${id}`.execute(db);
    for (const [from, to] of [
      ['active', 'paused'],
      ['paused', 'stopped'],
      ['stopped', 'active'],
    ] as const) {
      const before = await row(id);
      expect(await admin.setBotStatus({ params: { id }, body: { status: to } })).toMatchObject({ id, status: to, email: person.email });
      const after = await row(id);
      expect(after?.status).toBe(to);
      expect(after?.updatedAt.getTime()).toBeGreaterThan(before?.updatedAt.getTime() ?? 0);
      expect((await lines(id)).at(-1)).toEqual({
        action: 'bot-status',
        actorId: admin.userId,
        actorRole: 'admin',
        result: 'ok',
        detail: { from, to },
      });
    }
    expect((await row(id))?.consecutiveLosses).toBe(0);
    expect(await isIn(person)).toBe(true);
  });

  test('that it has already stays: nothing is written', async () => {
    const id = await addTestBot(db, { strategy: 'RsiReversal', owner: person.email, status: 'active' });
    await sql`update bots set consecutive_losses = 3 where id = ${id}`.execute(db);
    const before = await row(id);
    expect((await admin.setBotStatus({ params: { id }, body: { status: 'active' } })).status).toBe('active');
    expect(await row(id)).toEqual(before);
    expect(await lines(id)).toEqual([]);
  });

  test('is refused as its owner would be: unverified, live without a key; and for what is not there', async () => {
    const set = (id: string, status: string) => failure(admin.setBotStatus({ params: { id }, body: { status: status as 'active' } }));
    const id = await addTestBot(db, { strategy: 'RsiReversal', owner: person.email, status: 'paused' });
    for (const status of ['running', '', 'Active'])
      expect((await set(id, status)).message).toBe('400 Status must be active, paused or stopped');
    expect((await set(nobody, 'paused')).message).toBe('404 Bot not found');
    await sql`update bots set mode = 'live' where id = ${id}`.execute(db);
    expect((await set(id, 'active')).message).toBe('400 API key and secret are required for live mode');
    await sql`update bots set mode = 'paper' where id = ${id}`.execute(db);
    await sql`update users set verified = false where id = ${person.userId}`.execute(db);
    expect((await set(id, 'active')).message).toBe('403 Account is not verified');
    expect((await row(id))?.status).toBe('paused');
    expect(await lines(id)).toEqual([]);
  });
});

test('who is suspended, or has not confirmed the e-mail, is not made an admin: nobody could verify that account any more', async () => {
  const other = await server.signedIn('admin');
  const params = { id: person.userId };
  const made = () => other.changeRole({ params, body: { role: 'admin' } });
  for (const [verified, emailVerified] of [
    [false, true],
    [true, false],
  ] as const) {
    await admin.verifyUser({ params, body: { verified, email_verified: emailVerified } });
    expect((await failure(made())).message).toBe('409 Verify this account first: an admin cannot be verified any more.');
  }
  expect((await other.changeRole({ params, body: { role: 'operator' } })).role).toBe('operator');
  await admin.verifyUser({ params, body: { verified: true, email_verified: true } });
  expect((await made()).role).toBe('admin');
});
