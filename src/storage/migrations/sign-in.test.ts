import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { migrate, migrations } from '../migrate.ts';
import { findUserByEmail } from '../users/users.ts';

test('accounts of an earlier version keep their sign-in; of two that differ in letters only, the one that could sign in', async () => {
  const { db } = await freshDatabase('template0');
  const names = Object.keys(migrations);
  const earlier = Object.fromEntries(Object.entries(migrations).slice(0, names.indexOf('0003-sign-in')));
  await migrate(db, earlier);
  for (const [i, email] of ['Éva@x.example', 'éva@x.example', 'Bob@X.example', 'Öl@x.example'].entries())
    await sql`insert into users (email, display_name, password_hash, role, created_at)
      values (${email}, 'x', ${String(i)}, 'trader', now() + ${`${i} s`}::interval)`.execute(db);
  await sql`insert into codes (user_id, purpose, salt, hash, created_at, expires_at) select id, 'reset', 'x', 'x', now(), now() from users limit 1`.execute(
    db,
  );
  await migrate(db);
  const found = async (email: string) => (await findUserByEmail(db, email))?.passwordHash;
  expect(await found('ÉVA@x.example')).toBe('1');
  expect(await found('bob@x.example')).toBe('2');
  expect(await found('öl@x.example')).toBe('3'); // it could never sign in before
  expect((await db.selectFrom('users').select('id').execute()).length).toBe(4);
});
