import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { untilWaiting } from '../../../test/support/lock-waits.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import type { Database } from '../database.ts';
import { findManagedUser, listManagedUsers } from './managed-users.ts';
import { addUser, lockUsers } from './users.ts';

const { db } = await freshDatabase();

/** The same database, with a count of the statements that go through it. */
function counted(): { db: Database; statements: () => number } {
  let statements = 0;
  const executeQuery = (query: Parameters<Database['executeQuery']>[0]) => {
    statements++;
    return db.executeQuery(query);
  };
  const get = (target: Database, key: string | symbol): unknown => {
    if (key === 'executeQuery') return executeQuery;
    const value: unknown = Reflect.get(target, key, target);
    return typeof value === 'function' ? (value.bind(target) as unknown) : value;
  };
  return { db: new Proxy(db, { get }), statements: () => statements };
}

test('2,000 accounts with bots and keys are three queries, each account with its own', async () => {
  const strategyId = (
    await sql<{ strategyId: string }>`select strategy_id from bots where id = ${await addTestBot(db, { strategy: 'RsiReversal' })}`.execute(
      db,
    )
  ).rows[0]?.strategyId;
  await sql`insert into users (email, email_key, display_name, password_hash, role)
    select 'user' || i || '@example.com', 'user' || i || '@example.com', case when i % 2 = 0 then 'user' else 'USER' end || lpad(i::text, 4, '0'), 'x', 'trader'
    from generate_series(1, 2000) i`.execute(db);
  await sql`insert into bots (user_id, strategy_id, nickname, exchange_id, market_type, stake_currency, stake_amount, symbols, max_open_trades, leverage,
      leverage_mode, starting_balance)
    select u.id, ${strategyId}, 'bot ' || n || ' of ' || u.email, 'sandbox', 'spot', 'USDT', 100, '{BTC/USDT}', 3, 1, 'isolated', 300
    from users u, generate_series(1, 3) n where u.password_hash = 'x'`.execute(db);
  await sql`insert into api_keys (user_id, exchange_id, key_hint, sealed) select id, 'binance', '1234', '{}' from users where password_hash = 'x'`.execute(
    db,
  );

  const at = counted();
  const list = await listManagedUsers(at.db);
  expect(at.statements()).toBe(3);
  expect(list).toHaveLength(2001);
  const made = list.filter(({ email }) => email.startsWith('user'));
  expect(made.map(({ displayName }) => displayName.toLowerCase())).toEqual(
    Array.from({ length: 2000 }, (_, i) => `user${String(i + 1).padStart(4, '0')}`),
  );
  for (const { id, email, bots, apiKeys } of made) {
    expect(bots.map(({ nickname }) => nickname)).toEqual([1, 2, 3].map((n) => `bot ${n} of ${email}`));
    expect(apiKeys.map(({ userId }) => userId)).toEqual([id]);
  }
  expect(await findManagedUser(db, made[7]?.id ?? '')).toEqual(made[7]);
  expect(await findManagedUser(db, '00000000-0000-4000-8000-00000000dead')).toBeNull();
});

test('accounts are locked in the sequence of their ids, whatever sequence they are asked for in', async () => {
  const made = await Promise.all(
    ['a', 'b', 'c'].map((name) => addUser(db, { email: `${name}@lock.example`, passwordHash: 'y', role: 'trader' })),
  );
  const ids = made.map((user) => user?.id ?? '').sort();
  const [lowest = '', middle = '', highest = ''] = ids;
  await db
    .transaction()
    .execute(async (trx) => {
      await sql`select from users where id = ${middle} for update`.execute(trx);
      const waiting = db.transaction().execute((other) => lockUsers(other, [highest, middle, lowest], 'locks'));
      await untilWaiting(db, 1);
      // The waiting one holds the lowest and has not come to the highest.
      const free = await sql<{ id: string }>`select id from users where id in (${lowest}, ${highest}) for update skip locked`.execute(trx);
      expect(free.rows).toEqual([{ id: highest }]);
      return { waiting };
    })
    .then(async ({ waiting }) => expect([...(await waiting).keys()].sort()).toEqual(ids));
});

test('who reads under lock does not wait for another who does, and holds off changes', async () => {
  const [one] = await sql<{ id: string }>`select id from users limit 1`.execute(db).then(({ rows }) => rows);
  const id = one?.id ?? '';
  await db.transaction().execute(async (trx) => {
    expect((await lockUsers(trx, [id], 'changes')).get(id)?.id).toBe(id);
    await db.transaction().execute((other) => lockUsers(other, [id], 'changes'));
    await expect(
      db.transaction().execute(async (other) => {
        await sql`set local lock_timeout = '100ms'`.execute(other);
        await lockUsers(other, [id], 'locks');
      }),
    ).rejects.toThrow('lock timeout');
  });
});
