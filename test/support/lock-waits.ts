import type { Database } from '#storage/database.ts';
import { sql } from 'kysely';
import { expect } from 'vitest';

/** How many connections to this database wait for a lock. */
export async function lockWaits(db: Database): Promise<number> {
  return (await sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.execute(db)).rows.length;
}

/** Waits until so many connections wait for a lock. */
export async function untilWaiting(db: Database, count: number): Promise<void> {
  await expect.poll(() => lockWaits(db), { interval: 10 }).toBe(count);
}
