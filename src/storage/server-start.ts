import { sql } from 'kysely';
import type { Database } from './database.ts';

/**
 * When the database server was started, as a time in SQL. Whoever remembers something of before the newest start may remember what is no longer
 * so: a disk that lies about what it has written, or a standby that takes over, loses the last commits.
 */
export const serverStart = sql<Date>`pg_postmaster_start_time()`;

/** The same as a text that is another one after each start. */
export const serverStartText = sql<string>`extract(epoch from pg_postmaster_start_time())::text`;

/**
 * Reads `serverStartText`; empty where the server has not run for so many ms yet, by its own clock: what was sent on the word of what it has lost
 * may still arrive until then. Where its clock was set back to before its start, nobody knows for how long it has run: long enough then.
 */
export async function readServerStart(db: Database, sinceMs = 0): Promise<string> {
  const { rows } = await sql<{ start: string }>`
    select ${serverStartText} as start where clock_timestamp() not between ${serverStart} and ${serverStart} + ${sinceMs} * interval '1 ms'`.execute(
    db,
  );
  return rows[0]?.start ?? '';
}
