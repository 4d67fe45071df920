import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../test/support/fresh-database.ts';
import { openDatabase } from './database.ts';

test('a connection that breaks in the middle of a transaction fails it, and nothing else', async () => {
  const { db, url } = await freshDatabase();
  const other = openDatabase(url, { connections: 1 });
  const cut = other.transaction().execute(async (trx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
    await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(db);
    await sleep(200); // no statement is under way when it breaks: nobody would notice it
    await sql`select 1`.execute(trx);
  });
  await expect(cut).rejects.toThrow();
  expect((await sql<{ one: number }>`select 1 as one`.execute(other)).rows).toEqual([{ one: 1 }]);
  await other.destroy();
});
