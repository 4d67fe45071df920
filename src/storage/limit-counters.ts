import { sql } from 'kysely';
import type { Database } from './database.ts';

/**
 * Adds one to the counter of a key and gives its new value and the time it starts anew.
 *
 * One atomic statement: counters survive restarts and hold for several processes.
 */
export async function countUp(db: Database, key: string, now: Date, windowMs: number): Promise<{ count: number; resetsAt: Date }> {
  const resetsAt = new Date(now.getTime() + windowMs);
  return db
    .insertInto('limitCounters')
    .values({ key, count: 1, resetsAt })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({
        count: sql<number>`case when limit_counters.resets_at <= ${now} then 1 else limit_counters.count + 1 end`,
        resetsAt: sql<Date>`case when limit_counters.resets_at <= ${now} then ${resetsAt} else limit_counters.resets_at end`,
      }),
    )
    .returning(['count', 'resetsAt'])
    .executeTakeFirstOrThrow();
}

/** The value of a counter now; 0 when it has started anew. */
export async function readCounter(db: Database, key: string, now: Date): Promise<{ count: number; resetsAt: Date }> {
  const row = await db
    .selectFrom('limitCounters')
    .select(['count', 'resetsAt'])
    .where('key', '=', key)
    .where('resetsAt', '>', now)
    .executeTakeFirst();
  return row ?? { count: 0, resetsAt: now };
}

/** Sets a counter back to nothing. */
export async function resetCounter(db: Database, key: string): Promise<void> {
  await db.deleteFrom('limitCounters').where('key', '=', key).execute();
}
