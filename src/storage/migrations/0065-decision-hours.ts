import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/**
 * What became of the candles of each hour, counted as its decisions are written: the last day of a fleet is a few rows of each pair, where its decisions
 * would be 1440. Those of the last two days are counted here.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table decision_hours (
      bot_id uuid not null, -- of no bot in particular: a row must not wait for whoever locks its bot
      symbol text not null,
      hour timestamptz not null, -- of the candles' opening
      candles integer not null,
      signals integer not null,
      entered integer not null,
      nearest jsonb, -- of those without a signal: {candleTime, symbol, near}
      primary key (bot_id, symbol, hour)
    ) with (fillfactor = 70) -- each row is written again with every candle of its hour`.execute(db);
  await sql`
    insert into decision_hours
    select bot_id, symbol, date_bin('1 hour', candle_time, timestamptz 'epoch'), count(*),
      count(*) filter (where action = 'enter' or gate = 'has-open-trade' or (action = 'none' and gate is not null and gate not in ('no-signal', 'strategy-failed'))),
      count(*) filter (where action = 'enter'),
      (array_agg(jsonb_build_object('candleTime', candle_time, 'symbol', symbol, 'near', seen->'near')
        order by (seen->'near'->>'distance')::float8, candle_time desc) filter (where gate = 'no-signal' and seen->'near' is not null))[1]
    from decisions where candle_time >= now() - interval '2 days'
    group by 1, 2, 3`.execute(db);
}
