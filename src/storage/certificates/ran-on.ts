import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';

/** Whether a bot ran on a UTC day, in SQL: it has decided about a candle of it, or has held a trade. Imported trades are no deed of it. */
export function ranOn(botId: RawBuilder<unknown>, day: RawBuilder<unknown>): RawBuilder<boolean> {
  const from = sql`(${day}::timestamp at time zone 'UTC')`;
  const to = sql`((${day} + 1)::timestamp at time zone 'UTC')`;
  return sql<boolean>`(
    exists (select from decisions r where r.bot_id = ${botId} and r.candle_time >= ${from} and r.candle_time < ${to})
    or exists (select from trades t where t.bot_id = ${botId} and t.imported_from is null and t.status in ('open', 'closed')
      and t.opened_at < ${to} and (t.closed_at is null or t.closed_at >= ${from})))`;
}
