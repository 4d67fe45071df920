import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { inTransaction } from '../in-transaction.ts';
import { settledIn } from '../trades/settled-in.ts';
import type { TradeMode } from '../trades/trade-mode.ts';

/** What the trades that a person's bots closed on a day come to, in one mode and currency. Amounts are exact decimals. */
export interface DaySum {
  mode: TradeMode;
  currency: string;
  trades: number;
  won: number;
  profit: string;
}

/** The channels, by their owner, that want the sum of a UTC day and have not had it. */
export async function channelsWithoutSum(db: Database, day: string): Promise<{ id: string; userId: string }[]> {
  const { rows } = await sql<{ id: string; userId: string }>`
    select c.id, c.user_id from channels c join users u on u.id = c.user_id
    where c.paused_at is null and 'day-sum' = any(c.topics) and c.summed_day < ${day}::date and u.verified and u.email_verified
      and exists (select 1 from bots b where b.user_id = u.id)
    order by c.id`.execute(db);
  return rows;
}

/** The sums of a person's bots for a UTC day, each mode and currency by itself. */
export async function daySums(db: Database, userId: string, day: string): Promise<DaySum[]> {
  const { rows } = await sql<DaySum>`
    select t.mode, ${settledIn} as currency, count(*)::int as trades, (count(*) filter (where t.profit > 0))::int as won,
      trim_scale(sum(coalesce(t.profit, 0)))::text as profit
    from trades t join bots b on b.id = t.bot_id
    where b.user_id = ${userId} and t.status = 'closed' and t.closed_at >= ${day}::date::timestamp at time zone 'UTC'
      and t.closed_at < (${day}::date + 1)::timestamp at time zone 'UTC'
    group by t.mode, ${settledIn} order by array_position(array['live', 'testnet', 'paper'], t.mode), ${settledIn}`.execute(db);
  return rows;
}

/** Leaves the sum of a day for a channel, unless that was done before or the channel does not want it any more. */
export async function leaveDaySum(db: Database, channelId: string, day: string, text: string): Promise<void> {
  await inTransaction(db, async (trx) => {
    const { numAffectedRows } = await sql`
      update channels set summed_day = ${day}::date
      where id = ${channelId} and summed_day < ${day}::date and paused_at is null and 'day-sum' = any(topics)`.execute(trx);
    if (numAffectedRows === 1n) await trx.insertInto('channelMessages').values({ channelId, topic: 'day-sum', text }).execute();
  });
}
