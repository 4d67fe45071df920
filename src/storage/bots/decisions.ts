import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { dropPartitionsBefore } from '../partitions.ts';
import { counted, nearerOf } from './decision-hours.ts';

/** What a bot saw at a closed candle, which gate said no, and what it did. */
export interface DecisionRow {
  botId: string;
  epoch: string; // a decision of a runner that has lost the bot does not count
  symbol: string;
  candleTime: number;
  action: string;
  gate: string | null;
  seen: Record<string, unknown>;
  decidedAt: number;
}

/**
 * Writes many decisions at once; one that is there already stays as it is, unless it refused an entry that was made after all: a bot decides about its
 * newest candle once more when it is activated. All is counted with its hour in the same statement, which locks the hours in one order, whoever else writes.
 */
export async function addDecisions(db: Database, rows: readonly DecisionRow[]): Promise<void> {
  if (rows.length === 0) return;
  const enters = rows.filter(({ action }) => action === 'enter');
  await sql`
    with given as (
      select d.* from unnest(${rows.map((r) => r.botId)}::uuid[], ${rows.map((r) => r.epoch)}::bigint[], ${rows.map((r) => r.symbol)}::text[],
                  ${rows.map((r) => new Date(r.candleTime))}::timestamptz[], ${rows.map((r) => r.action)}::text[], ${rows.map((r) => r.gate)}::text[],
                  ${rows.map((r) => JSON.stringify(r.seen))}::jsonb[], ${rows.map((r) => new Date(r.decidedAt))}::timestamptz[])
        as d (bot_id, epoch, symbol, candle_time, action, gate, seen, decided_at)
      join bots b on b.id = d.bot_id and b.epoch = d.epoch
    ),
    added as (
      insert into decisions (bot_id, symbol, candle_time, action, gate, seen, decided_at)
      select bot_id, symbol, candle_time, action, gate, seen, decided_at from given
      on conflict do nothing
      returning bot_id, symbol, candle_time, action, gate, seen
    ),
    ${enters.length === 0 ? sql`` : sql`changed as (${enterAfterAll(enters)}),`}
    changes (bot_id, symbol, hour, candles, signals, entered, nearest) as (
      select bot_id, symbol, ${hourOf}, ${counted} from added group by 1, 2, 3
      ${enters.length === 0 ? sql`` : sql`union all select bot_id, symbol, ${hourOf}, 0, 0, 1, null from changed`}
    )
    insert into decision_hours as h (bot_id, symbol, hour, candles, signals, entered, nearest)
    select bot_id, symbol, hour, sum(candles), sum(signals), sum(entered), (array_agg(nearest) filter (where nearest is not null))[1]
    from changes group by 1, 2, 3 order by 1, 2, 3
    on conflict (bot_id, symbol, hour) do update set
      candles = h.candles + excluded.candles, signals = h.signals + excluded.signals, entered = h.entered + excluded.entered,
      nearest = ${nearerOf('h.nearest', 'excluded.nearest')}`.execute(db);
}

/** Refusals of candles with which the bot has entered meanwhile become entries: they were signals before, and are no more of them now. */
function enterAfterAll(enters: readonly DecisionRow[]) {
  const times = enters.map(({ candleTime }) => candleTime);
  // Two ends for all of them: partitions outside are not opened at all.
  return sql`
      update decisions d set action = g.action, gate = g.gate, seen = g.seen, decided_at = g.decided_at
      from given g
      where g.action = 'enter' and d.bot_id = g.bot_id and d.symbol = g.symbol and d.candle_time = g.candle_time
        and d.candle_time between ${new Date(Math.min(...times))} and ${new Date(Math.max(...times))}
        and d.action = 'none' and d.gate is not null and d.gate not in ('no-signal', 'strategy-failed')
      returning d.bot_id, d.symbol, d.candle_time`;
}

const hourOf = sql`date_bin('1 hour', candle_time, timestamptz 'epoch')`;

/** Removes decisions older than `before`, a day at a time: those of the day of `before` stay. */
export async function removeDecisions(db: Database, before: Date): Promise<void> {
  await dropPartitionsBefore(db, 'decisions', before);
}
