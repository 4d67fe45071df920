import type { Database } from '#storage/database.ts';
import type { Jobs } from '#storage/backtests/jobs.ts';
import { openJobs } from '#storage/backtests/jobs.ts';
import { afterAll } from 'vitest';
import { urlOf } from './own-database.ts';

/** The queue of backtests in a test's database, without a worker; closed after the test file. */
export async function openTestJobs(db: Database): Promise<Jobs> {
  const jobs = await openJobs(db, await urlOf(db), { isWorker: false, onError: (error) => console.error(error) });
  afterAll(() => jobs.close());
  return jobs;
}
