import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { dropPartitionsBefore } from '../partitions.ts';

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

/** Writes many decisions at once; one that is there already stays as it is. */
export async function addDecisions(db: Database, rows: readonly DecisionRow[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into decisions (bot_id, symbol, candle_time, action, gate, seen, decided_at)
    select d.bot_id, d.symbol, d.candle_time, d.action, d.gate, d.seen, d.decided_at
    from unnest(${rows.map((r) => r.botId)}::uuid[], ${rows.map((r) => r.epoch)}::bigint[], ${rows.map((r) => r.symbol)}::text[],
                ${rows.map((r) => new Date(r.candleTime))}::timestamptz[], ${rows.map((r) => r.action)}::text[], ${rows.map((r) => r.gate)}::text[],
                ${rows.map((r) => JSON.stringify(r.seen))}::jsonb[], ${rows.map((r) => new Date(r.decidedAt))}::timestamptz[])
      as d (bot_id, epoch, symbol, candle_time, action, gate, seen, decided_at)
    join bots b on b.id = d.bot_id and b.epoch = d.epoch
    on conflict do nothing`.execute(db);
}

/** Removes decisions older than `before`, a day at a time: those of the day of `before` stay. */
export async function removeDecisions(db: Database, before: Date): Promise<void> {
  await dropPartitionsBefore(db, 'decisions', before);
}
