import type { Database } from '#storage/database.ts';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { untilWaiting } from '../../../test/support/lock-waits.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, password, startTestServer } from '../../../test/support/test-server.ts';

const server = await startTestServer();
const { db } = server.dependencies;
type Person = Awaited<ReturnType<typeof server.signedIn>>;
let admin: Person;
let person: Person;

beforeEach(async () => {
  admin = await server.signedIn('admin');
  person = await server.signedIn('trader');
});

/** Holds an account or a bot, lets calls run into it one after the other, does `then` on the connection that holds it, and releases it. */
async function whileHeld<T>(
  id: string,
  calls: readonly (() => Promise<T>)[],
  then: (trx: Database) => Promise<unknown> = async () => null,
  table: 'users' | 'bots' = 'users',
): Promise<PromiseSettledResult<T>[]> {
  const under = await db.transaction().execute(async (trx) => {
    await sql`select from ${sql.table(table)} where id = ${id} for update`.execute(trx);
    const begun: Promise<PromiseSettledResult<T>[]>[] = [];
    for (const call of calls) {
      begun.push(Promise.allSettled([call()]));
      await untilWaiting(db, begun.length);
    }
    await then(trx);
    return begun;
  });
  return (await Promise.all(under)).flat();
}

const roleOf = async (id: string) => (await sql<{ role: string }>`select role from users where id = ${id}`.execute(db)).rows[0]?.role;
const changesOf = async (id: string) =>
  (await sql<{ detail: unknown }>`select detail from audit_log where target = ${id} order by id`.execute(db)).rows.map(
    ({ detail }) => detail,
  );
const liveSessions = async (id: string) =>
  (await sql`select id from sessions where user_id = ${id} and revoked_at is null`.execute(db)).rows.length;

describe('two admins at once', () => {
  test('change a role one after the other: the second sees what the first has made', async () => {
    const other = await server.signedIn('admin');
    const params = { id: person.userId };
    const [first, second] = await whileHeld(person.userId, [
      () => admin.changeRole({ params, body: { role: 'investor' } }),
      () => other.changeRole({ params, body: { role: 'operator' } }),
    ]);
    expect([first, second]).toMatchObject([
      { status: 'fulfilled', value: { role: 'investor' } },
      { status: 'fulfilled', value: { role: 'operator' } },
    ]);
    expect(await roleOf(person.userId)).toBe('operator');
    expect(await changesOf(person.userId)).toEqual([
      { from: 'trader', to: 'investor' },
      { from: 'investor', to: 'operator' },
    ]);
  });

  test('ROLE-13 one who is made an admin stays it, whoever asked in the meantime', async () => {
    const other = await server.signedIn('admin');
    const params = { id: person.userId };
    const outcomes = await whileHeld<unknown>(person.userId, [
      () => admin.changeRole({ params, body: { role: 'admin' } }),
      () => failure(other.changeRole({ params, body: { role: 'investor' } })),
      () => failure(other.verifyUser({ params, body: { verified: false, email_verified: false } })),
    ]);
    expect(outcomes).toMatchObject([
      { value: { role: 'admin' } },
      { value: { message: '403 Cannot change the role of an admin user.' } },
      { value: { message: '403 Cannot change the verification of an admin user.' } },
    ]);
    expect(await roleOf(person.userId)).toBe('admin');
    expect(await changesOf(person.userId)).toHaveLength(1);
  });

  test('a repetition of a call gets its first answer and is done once', async () => {
    const call = { params: { id: person.userId }, body: { role: 'investor' as const } };
    const options = { headers: { 'idempotency-key': 'one-change-of-a-role' } };
    const first = await admin.changeRole(call, options);
    await admin.changeRole({ ...call, body: { role: 'operator' } });
    expect(await admin.changeRole(call, options)).toEqual(first);
    expect(await roleOf(person.userId)).toBe('operator');
  });
});

describe('a role changes beside a sign-in of the account', () => {
  const signIn = () => server.browser().login({ body: { email: person.email, password } });
  const change = () => admin.changeRole({ params: { id: person.userId }, body: { role: 'investor' } });

  test('a session begun just before has ended with the rest', async () => {
    const [, changed] = await whileHeld<unknown>(person.userId, [signIn, change]);
    expect(changed).toMatchObject({ value: { role: 'investor' } });
    expect(await liveSessions(person.userId)).toBe(0);
  });

  test('a sign-in that waited for the change is one of the new role, and says so', async () => {
    const at = server.browser();
    const [, signedIn] = await whileHeld<unknown>(person.userId, [change, () => at.login({ body: { email: person.email, password } })]);
    expect(signedIn).toMatchObject({ value: { role: 'investor' } });
    expect((await at.getMe({})).role).toBe('investor');
    expect(await liveSessions(person.userId)).toBe(1);
  });
});

describe('an admin who is none any more when the call gets its turn', () => {
  const attempts = (botId: string) => [
    () => failure(admin.changeRole({ params: { id: person.userId }, body: { role: 'admin' } })),
    () => failure(admin.verifyUser({ params: { id: person.userId }, body: { verified: false, email_verified: false } })),
    () => failure(admin.setBotStatus({ params: { id: botId }, body: { status: 'stopped' } })),
  ];
  const state = async (botId: string) =>
    (
      await sql`select role, verified, email_verified, (select status from bots where id = ${botId}) from users where id = ${person.userId}`.execute(
        db,
      )
    ).rows;

  test('ROLE-05 changes nothing: the role is read again under lock', async () => {
    const id = await addTestBot(db, { strategy: 'RsiReversal', owner: person.email, status: 'active' });
    const before = await state(id);
    const outcomes = await whileHeld(admin.userId, attempts(id), (trx) =>
      sql`update users set role = 'trader' where id = ${admin.userId}`.execute(trx),
    );
    expect(outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value.message : ''))).toEqual(
      Array.from({ length: 3 }, () => '403 Admin access required'),
    );
    expect(await state(id)).toEqual(before);
  });

  test('whose session has ended changes nothing either', async () => {
    const id = await addTestBot(db, { strategy: 'RsiReversal', owner: person.email, status: 'active' });
    const before = await state(id);
    const outcomes = await whileHeld(admin.userId, attempts(id), (trx) =>
      sql`update sessions set revoked_at = now() where user_id = ${admin.userId}`.execute(trx),
    );
    expect(outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value.message : ''))).toEqual(
      Array.from({ length: 3 }, () => '401 Not authenticated'),
    );
    expect(await state(id)).toEqual(before);
  });
});

test('an admin and the owner set the status of a bot at once: neither waits for what the other holds', async () => {
  const id = await addTestBot(db, { strategy: 'RsiReversal', owner: person.email, status: 'active' });
  const outcomes = await whileHeld(
    id,
    [
      () => person.toggleBot({ params: { id }, query: { status: 'paused' } }),
      () => admin.setBotStatus({ params: { id }, body: { status: 'stopped' } }),
    ],
    undefined,
    'bots',
  );
  expect(outcomes).toMatchObject([{ value: { status: 'paused' } }, { value: { status: 'stopped' } }]);
  expect(await changesOf(id)).toEqual([
    { from: 'active', to: 'paused' },
    { from: 'paused', to: 'stopped' },
  ]);
});

test('no two of these calls block each other for good, whatever runs beside what', async () => {
  const other = await server.signedIn('admin');
  const people = await Promise.all([server.signedIn('trader'), server.signedIn('trader'), server.signedIn('trader')]);
  const ids = await Promise.all(people.map(({ email }) => addTestBot(db, { strategy: 'RsiReversal', owner: email, status: 'paused' })));
  const own = await addTestBot(db, { strategy: 'RsiReversal', owner: admin.email, status: 'paused' });
  const statuses = ['active', 'paused', 'stopped'] as const;
  const calls = Array.from({ length: 12 }, (_, i) => {
    const { userId, email } = people[i % 3] ?? person;
    const status = statuses[(i * 2) % 3] ?? 'paused';
    return [
      () => (i % 2 === 0 ? admin : other).changeRole({ params: { id: userId }, body: { role: i % 4 < 2 ? 'operator' : 'trader' } }),
      () => (i % 2 === 1 ? admin : other).changeRole({ params: { id: userId }, body: { role: i % 4 < 2 ? 'trader' : 'investor' } }),
      () => other.verifyUser({ params: { id: userId }, body: { verified: true, email_verified: i % 2 === 0 } }),
      () => admin.setBotStatus({ params: { id: ids[(i + 1) % 3] ?? '' }, body: { status } }),
      () => other.setBotStatus({ params: { id: own }, body: { status } }),
      () => admin.toggleBot({ params: { id: ids[i % 3] ?? '' }, query: { status } }),
      () => server.browser(`10.8.0.${i}`).login({ body: { email, password } }),
    ];
  }).flat();
  // As many at once as there are connections: who waits for one holds nothing, and gives up after five seconds.
  const failed: unknown[] = [];
  const waiting = calls.values();
  const lane = async (): Promise<void> => {
    for (const call of waiting) await call().catch((error: unknown) => failed.push(error));
  };
  await Promise.all(Array.from({ length: 14 }, lane));
  expect(failed).toEqual([]);
});
