import { openDatabase } from '#storage/database.ts';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { databaseRecords } from './account-records.ts';

const { db, url } = await freshDatabase();

/** The same database on a server that was started so many ms ago, whenever it is asked. */
async function startedAgo(ms: number) {
  const schema = `ago_${ms}`;
  await sql`create schema ${sql.id(schema)}`.execute(db);
  await sql`
    create function ${sql.id(schema)}.pg_postmaster_start_time() returns timestamptz language sql volatile
    as ${sql.lit(`select clock_timestamp() - interval '${ms} ms'`)}`.execute(db);
  const name = new URL(url).pathname.slice(1);
  await sql`alter database ${sql.id(name)} set search_path = ${sql.id(schema)}, pg_catalog, public`.execute(db);
  const there = openDatabase(url, { connections: 1 });
  onTestFinished(() => there.destroy());
  return databaseRecords(there, { apiKeyId: '7d0b4f5a-0000-4000-8000-000000000001', marketType: 'spot' });
}

test('OP-85 a search that begins while an order of before a start of the server may still arrive does not count for the next', async () => {
  // Its request expires after two seconds at most, and the clock of the exchange may be a second off.
  expect(await (await startedAgo(2_990)).start()).toBe('');
  expect(await (await startedAgo(5_000)).start()).not.toBe('');
});
