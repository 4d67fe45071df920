import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../test/support/fresh-database.ts';
import { checkServerVersion, databaseAnswers, durabilityFault, openDatabase } from './database.ts';
import { migrate, migrations } from './migrate.ts';

const { db, url } = await freshDatabase();
const empty = await freshDatabase('template0');

test('a migrated database needs nothing more, also for four starters at once', async () => {
  const starters = Array.from({ length: 4 }, () => openDatabase(url, { connections: 2 }));
  const applied = await Promise.all(starters.map((starter) => migrate(starter)));
  await Promise.all(starters.map((starter) => starter.destroy()));
  expect(applied).toEqual([[], [], [], []]);
});

test('four starters at an empty database: one migrates, the others wait', async () => {
  const starters = Array.from({ length: 4 }, () => openDatabase(empty.url, { connections: 2 }));
  const applied = await Promise.all(starters.map((starter) => migrate(starter)));
  await Promise.all(starters.map((starter) => starter.destroy()));
  expect(applied.flat()).toEqual(Object.keys(migrations));
});

test('a migration that fails leaves nothing behind', async () => {
  const broken = {
    ...migrations,
    '9998-fine': { up: async (on: typeof db) => void (await sql`create table half_way (id int)`.execute(on)) },
    '9999-broken': { up: async (on: typeof db) => void (await sql`select no_such_column`.execute(on)) },
  };
  await expect(migrate(db, broken as never)).rejects.toThrow('The database could not be brought up to date (9999-broken)');
  const { rows } = await sql<{ there: string | null }>`select to_regclass('half_way')::text as there`.execute(db);
  expect(rows[0]?.there).toBeNull();
});

test('a schema newer than the program is refused with its name and left alone', async () => {
  await sql`insert into kysely_migration (name, timestamp) values ('9000-from-the-future', '2030-01-01')`.execute(db);
  await expect(migrate(db)).rejects.toThrow('made by a newer version of Flotilla (9000-from-the-future)');
  await sql`delete from kysely_migration where name = '9000-from-the-future'`.execute(db);
  expect(await migrate(db)).toEqual([]);
});

test('the server is recent, durable and answers', async () => {
  await checkServerVersion(db);
  expect(await durabilityFault(db)).toBeNull();
  expect(await databaseAnswers(db)).toBe(true);
});

test('a server that may lose writes is named as unfit for real money', async () => {
  const address = new URL(url);
  address.searchParams.set('options', '-c synchronous_commit=off');
  const unsafe = openDatabase(address.href, { connections: 1 });
  expect(await durabilityFault(unsafe)).toContain('synchronous_commit is off');
  await unsafe.destroy();
});

test('rows of the audit log are never changed', async () => {
  await sql`insert into audit_log (action, result, hash) values ('test', 'ok', '\\x00')`.execute(db);
  await expect(sql`update audit_log set result = 'other'`.execute(db)).rejects.toThrow('never changed');
  await expect(sql`delete from audit_log`.execute(db)).rejects.toThrow('never changed');
  await expect(sql`truncate audit_log`.execute(db)).rejects.toThrow('never changed');
});
