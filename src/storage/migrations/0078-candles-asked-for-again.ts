import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/**
 * Earlier versions counted the newest candles of a span as downloaded although they had not closed yet: they stayed missing for good. Months
 * with fewer candles than their span has room for are asked for once more; what the exchange has never had stays missing.
 */
export async function up(db: Kysely<never>): Promise<void> {
  const first = (bound: string) => `ceil((extract(epoch from ${bound}(span)) - unit.first) / (unit.seconds * left(c.timeframe, -1)::int))`;
  await sql`
    update candle_chunks c set covered = '{}'
    from (values ('m', 60, 0), ('h', 3600, 0), ('d', 86400, 0), ('w', 604800, 4 * 86400)) as unit(name, seconds, first) -- weeks begin on Monday
    where unit.name = right(c.timeframe, 1)
      and c.candles < (select sum(${sql.raw(first('upper'))} - ${sql.raw(first('lower'))}) from unnest(c.covered) as span)`.execute(db);
}
