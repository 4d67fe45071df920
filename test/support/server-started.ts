import { openDatabase, type Database } from '#storage/database.ts';
import { sql } from 'kysely';
import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { patienceMs } from './patience.ts';

/** The same database as on a server that was started at a time, an expression of SQL: its function that says so is another one. Until the test ends. */
export async function serverStartedAt(db: Database, url: string, time: string): Promise<Database> {
  const schema = `started_${randomBytes(6).toString('hex')}`;
  const name = new URL(url).pathname.slice(1);
  await sql`create schema ${sql.id(schema)}`.execute(db);
  await sql`
    create function ${sql.id(schema)}.pg_postmaster_start_time() returns timestamptz language sql volatile
    as ${sql.lit(`select ${time}`)}`.execute(db);
  await sql`alter database ${sql.id(name)} set search_path = ${sql.id(schema)}, pg_catalog, public`.execute(db);
  const there = openDatabase(url, { connections: 2, waitsMs: patienceMs });
  onTestFinished(async () => {
    await there.destroy();
    await sql`alter database ${sql.id(name)} reset search_path`.execute(db);
  });
  await sql`select 1`.execute(there);
  return there;
}
