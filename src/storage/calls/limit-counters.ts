import { sql } from 'kysely';
import type { Database } from '../database.ts';

/**
 * Adds one to the counter of a key and gives its new value and the time it starts again.
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

/** The value of a counter now; 0 when its window has passed. */
export async function readCounter(db: Database, key: string, now: Date): Promise<{ count: number; resetsAt: Date }> {
  const row = await db
    .selectFrom('limitCounters')
    .select(['count', 'resetsAt'])
    .where('key', '=', key)
    .where('resetsAt', '>', now)
    .executeTakeFirst();
  return row ?? { count: 0, resetsAt: now };
}

/** Takes one off a counter that was counted up before its outcome was known. */
export async function countDown(db: Database, key: string, now: Date): Promise<void> {
  await db
    .updateTable('limitCounters')
    .set((eb) => ({ count: eb('count', '-', 1) }))
    .where('key', '=', key)
    .where('resetsAt', '>', now)
    .where('count', '>', 0)
    .execute();
}
