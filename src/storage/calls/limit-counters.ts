import { sql } from 'kysely';
import { minuteMs } from '#engine/market/durations.ts';
import type { Database } from '../database.ts';

/**
 * Until when a window lasts at most that is counted in now. One that ends later was begun by a clock that was ahead, and is over: nobody is
 * kept out until that clock is caught up with. Calls that came at once, and clocks of two machines, differ by less than a minute.
 */
function latestEnd(now: Date, windowMs: number): Date {
  return new Date(now.getTime() + windowMs + minuteMs);
}

/**
 * Adds one to the counter of a key and gives its new value and the time it starts again.
 *
 * One atomic statement: counters survive restarts and hold for several processes.
 */
export async function countUp(db: Database, key: string, now: Date, windowMs: number): Promise<{ count: number; resetsAt: Date }> {
  const resetsAt = new Date(now.getTime() + windowMs);
  const isOver = sql<boolean>`limit_counters.resets_at <= ${now} or limit_counters.resets_at > ${latestEnd(now, windowMs)}`;
  return db
    .insertInto('limitCounters')
    .values({ key, count: 1, resetsAt })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({
        count: sql<number>`case when ${isOver} then 1 else limit_counters.count + 1 end`,
        resetsAt: sql<Date>`case when ${isOver} then ${resetsAt} else limit_counters.resets_at end`,
      }),
    )
    .returning(['count', 'resetsAt'])
    .executeTakeFirstOrThrow();
}

/** The value of a counter now; 0 when its window is over. */
export async function readCounter(db: Database, key: string, now: Date, windowMs: number): Promise<{ count: number; resetsAt: Date }> {
  const row = await db
    .selectFrom('limitCounters')
    .select(['count', 'resetsAt'])
    .where('key', '=', key)
    .where('resetsAt', '>', now)
    .where('resetsAt', '<=', latestEnd(now, windowMs))
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
