import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { orderSequence } from '../order-sequence.ts';

/** How long an open position was without a stop before this one, because another had ended: until the exchange confirmed this one. */
export interface StopGap {
  botId: string;
  clientOrderId: string;
  gapMs: number;
}

/** The gaps before the stops of a trade. */
export async function stopGapsOf(db: Database, tradeId: string): Promise<StopGap[]> {
  return gaps(db, sql`o.trade_id = ${tradeId}`);
}

/** The longest gap before a stop that was planned since a time, in ms; null when no stop took the place of another. */
export async function longestStopGap(db: Database, since: Date): Promise<number | null> {
  const found = await gaps(db, sql`o.planned_at > ${since}`);
  return found.length === 0 ? null : Math.max(...found.map(({ gapMs }) => gapMs));
}

/** The gaps of the last day before stops of some bots. */
export async function stopGapsOfBots(db: Database, botIds: readonly string[]): Promise<StopGap[]> {
  return gaps(db, sql`o.bot_id = any(${[...botIds]}::uuid[]) and o.planned_at > now() - interval '1 day'`);
}

/** A stop that takes the place of another is planned when the other's end is confirmed; that may be long after a restart. */
async function gaps(db: Database, scope: RawBuilder<unknown>): Promise<StopGap[]> {
  const { rows } = await sql<StopGap>`
    select o.bot_id, o.client_order_id, (extract(epoch from confirmed.at - ended.at) * 1000)::float8 as gap_ms
    from orders o join trades t on t.id = o.trade_id
      cross join lateral (select min(e.at) as at from order_events e where e.order_id = o.id and e.state = 'open') confirmed
      cross join lateral (
        select max(e.at) as at from orders p join order_events e on e.order_id = p.id
        where p.trade_id = o.trade_id and p.purpose = 'stop' and p.id <> o.id and p.exchange_order_id is not null
          and e.state in ('cancelled', 'expired') and e.at <= confirmed.at) ended
    where o.purpose = 'stop' and t.mode <> 'paper' and ${scope} and ended.at is not null
    order by ${orderSequence('o')}`.execute(db);
  return rows;
}
