import type { Database } from '#storage/database.ts';
import type { Jobs } from '#storage/jobs.ts';
import { openJobs } from '#storage/jobs.ts';
import { sql } from 'kysely';
import { afterAll, inject } from 'vitest';
import { databaseUrl } from '../support/database-server.ts';

/** The queue of backtests in a test's database, without a worker; closed after the test file. */
export async function openTestJobs(db: Database): Promise<Jobs> {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db);
  const url = databaseUrl(inject('databaseServerUrl'), rows[0]?.name ?? '');
  const jobs = await openJobs(db, url, { isWorker: false, onError: (error) => console.error(error) });
  afterAll(() => jobs.close());
  return jobs;
}
