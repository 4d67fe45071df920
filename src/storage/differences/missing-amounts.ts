import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { isInOwnAccount } from '../own-account.ts';
import { heldElsewhereFill, waitsForCorrection } from './held-elsewhere.ts';

/** What the account of a bot lacks of an open trade. */
export interface MissingAmount {
  botId: string;
  tradeId: string;
  missing: number; // base currency; what an open difference says
  heldElsewhere: number; // what is still to be booked, because a person has decided so
  fillId: string | null; // of the fill that books it
  waits: boolean; // only stops and what people ask for leave it until a person has decided
}

/** Whether the bot of a trade `t` has left it, in whole or in part, by orders without a record that nobody has decided about. */
export const isSoldUndecided = sql<boolean>`exists (select from unrecorded_orders u where u.bot_id = t.bot_id and u.symbol = t.symbol and ${isInOwnAccount(sql`u`)}
  having sum(u.net - u.settled_net) * case t.direction when 'long' then 1 else -1 end < 0)`;

/**
 * Open trades `trade_id` with what their account lacks of them, as open differences say. The trade of the difference's own bot lacks it
 * first, then those of the other bots with the same key, first those that have sold without a record, oldest first: what one account does not hold is missing once. Exits of the
 * bots lower what is expected and what is there alike, so it stays the same until a person has decided.
 *
 * A trade lacks also what its bot has sold of it without a record, from the moment it is booked: a difference is noted by the next search only, and one that is
 * open may speak of another bot's. So until a person has decided more may be held back than is missing, and never less.
 */
const lacking: RawBuilder<unknown> = sql`
  select trade_id, max(least(amount, less - before)) as missing from (
    select t.id as trade_id, t.amount, case t.direction when 'long' then d.expected - d.actual else d.actual - d.expected end as less,
      coalesce(sum(t.amount) over (partition by d.id, t.direction order by (t.bot_id = d.bot_id) desc, ${isSoldUndecided} desc, t.opened_at, t.id
        rows between unbounded preceding and 1 preceding), 0) as before
    from differences d join bots found on found.id = d.bot_id
      join bots b on b.api_key_id = found.api_key_id and b.market_type = found.market_type and b.mode = 'live'
      join trades t on t.bot_id = b.id and t.symbol = d.symbol and t.status = 'open' and t.mode <> 'paper' and t.entry_price is not null
    where d.ended_at is null and found.mode = 'live'
    union all
    select t.id, t.amount, case t.direction when 'long' then -undecided.net else undecided.net end,
      coalesce(sum(t.amount) over (partition by t.bot_id, t.symbol, t.direction order by t.opened_at, t.id
        rows between unbounded preceding and 1 preceding), 0)
    from (select u.bot_id, u.symbol, sum(u.net - u.settled_net) as net
        from unrecorded_orders u where u.net <> u.settled_net and ${isInOwnAccount(sql`u`)} group by 1, 2) undecided
      join bots b on b.id = undecided.bot_id and b.mode = 'live'
      join trades t on t.bot_id = b.id and t.symbol = undecided.symbol and t.status = 'open' and t.mode <> 'paper' and t.entry_price is not null) each
  where less > before group by trade_id`;

/** When the database was restored from a backup, if it was. */
export const restoredAt = sql<Date>`coalesce((select (value #>> '{}')::timestamptz from facts where key = 'restored_at'), '-infinity')`;

/** Whether a trade `t` of a bot `b` is older than a restore, and its bot is still paused: a person has to look at it first. */
export const waitsForPerson = sql<boolean>`(b.status = 'paused' and t.opened_at < ${restoredAt})`;

/**
 * What accounts lack of the open trades of a runner's bots, or of one bot. After a restore the trades of before it wait for a person,
 * as long as their bot is paused: the account is newer than what is known of it.
 */
export async function missingAmounts(db: Database, of: { runnerId: string } | { botId: string }): Promise<MissingAmount[]> {
  const isTheirs = 'runnerId' in of ? sql`b.runner_id = ${of.runnerId}` : sql`b.id = ${of.botId}`;
  const { rows } = await sql<MissingAmount>`
    with lacking as (${lacking})
    select t.bot_id, t.id as trade_id, coalesce(l.missing, 0)::float8 as missing,
      case when ${waitsForCorrection} then t.held_elsewhere else 0 end::float8 as held_elsewhere,
      case when ${waitsForCorrection} then ${heldElsewhereFill} end as fill_id,
      ${waitsForPerson} as waits
    from trades t join bots b on b.id = t.bot_id left join lacking l on l.trade_id = t.id
    where t.status = 'open' and ${isTheirs} and (l.trade_id is not null or ${waitsForCorrection})
    order by t.id`.execute(db);
  return rows;
}

/** Those of these orders that ask for more of their trade than the account holds for it, by client id. */
export async function ordersBeyondHeld(trx: Database, clientOrderIds: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ clientOrderId: string }>`
    with lacking as (${lacking})
    select o.client_order_id from orders o join trades t on t.id = o.trade_id left join lacking l on l.trade_id = t.id
    where o.client_order_id = any(${[...clientOrderIds]}::text[])
      and coalesce(l.missing, 0) + case when ${waitsForCorrection} then t.held_elsewhere else 0 end > 0
      and o.requested - o.filled > t.amount - coalesce(l.missing, 0) - case when ${waitsForCorrection} then t.held_elsewhere else 0 end`.execute(
    trx,
  );
  return new Set(rows.map(({ clientOrderId }) => clientOrderId));
}
