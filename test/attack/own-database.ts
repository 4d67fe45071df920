import type { Database } from '#storage/database.ts';
import { openDatabase } from '#storage/database.ts';
import { sql } from 'kysely';
import { afterAll, inject } from 'vitest';
import { databaseUrl } from '../support/database-server.ts';

/** The address of the database that a test server works on. */
export async function urlOf(db: Database): Promise<string> {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db);
  return databaseUrl(inject('databaseServerUrl'), rows[0]?.name ?? '');
}

/** Connections of the test's own to it, for when those of the server are all in use; closed after the test file. */
export async function ownConnections(db: Database): Promise<Database> {
  const own = openDatabase(await urlOf(db), { connections: 2 });
  afterAll(() => own.destroy());
  return own;
}
