import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { settledIn } from '../trades/settled-in.ts';
import type { TradeMode } from '../trades/trade-mode.ts';

/** Which bots a month is about, and between which moments, the last one excluded. */
export interface MonthOf {
  ownerId: string | null; // null: all bots
  start: Date;
  end: Date;
}

/** A trade as a statement lists it. */
export interface StatementTrade {
  mode: TradeMode;
  botName: string;
  symbol: string;
  direction: 'long' | 'short';
  openedAt: Date;
  closedAt: Date | null; // null: it was open at the end
  amount: string;
  stake: string;
  entryPrice: string | null;
  exitPrice: string | null;
  exitReason: string | null;
  profit: string | null;
  currency: string;
}

/** The trades closed in a month, in the order of closing, at most `limit` of them. */
export async function tradesOfMonth(db: Database, { ownerId, start, end }: MonthOf, limit: number): Promise<StatementTrade[]> {
  const { rows } = await sql<StatementTrade>`
    select t.mode, b.nickname as bot_name, t.symbol, t.direction, t.opened_at, t.closed_at, t.amount::text, t.stake::text, t.entry_price::text,
      t.exit_price::text, t.exit_reason, coalesce(t.profit, 0)::text as profit, ${settledIn} as currency
    from trades t join bots b on b.id = t.bot_id
    where t.status = 'closed' and t.closed_at >= ${start} and t.closed_at < ${end} and (${ownerId}::uuid is null or b.user_id = ${ownerId}::uuid)
    order by t.closed_at, t.id limit ${limit}`.execute(db);
  return rows;
}

/** The positions that were open when a month ended, the oldest first, at most `limit` of them, and how many there were. */
export async function openAtEnd(
  db: Database,
  { ownerId, end }: MonthOf,
  limit: number,
): Promise<{ count: number; positions: StatementTrade[] }> {
  const { rows } = await sql<StatementTrade & { count: number }>`
    select t.mode, b.nickname as bot_name, t.symbol, t.direction, t.opened_at, null as closed_at, t.amount::text, t.stake::text,
      t.entry_price::text, null as exit_price, null as exit_reason, null as profit, ${settledIn} as currency, (count(*) over ())::int as count
    from trades t join bots b on b.id = t.bot_id
    where t.entry_price is not null and t.opened_at < ${end} and (t.status = 'open' or (t.status = 'closed' and t.closed_at >= ${end}))
      and (${ownerId}::uuid is null or b.user_id = ${ownerId}::uuid)
    order by t.opened_at, t.id limit ${limit}`.execute(db);
  return { count: rows[0]?.count ?? 0, positions: rows };
}

/** What the bots that had begun to trade in a mode were given to trade with; by mode and currency. */
export interface Capital {
  mode: TradeMode;
  currency: string;
  before: string; // when the month began
  added: string; // in the month: to bots whose first trade in the mode is of it, and by changes of the others; less than 0 when they were left less
  more: string; // of it what some were given, whatever others were left less
}

/**
 * See `Capital`. A bot counts in a mode from its first trade in it on, with the capital and the currency that it had at the time: what is true of
 * a month stays true.
 */
export async function capitalOfMonth(db: Database, { start, end }: Pick<MonthOf, 'start' | 'end'>): Promise<Capital[]> {
  const { rows } = await sql<Capital>`
    with begun as materialized (
      select b.id, m.mode, f.at from bots b cross join (values ('live'), ('testnet'), ('paper')) m (mode)
      cross join lateral (select opened_at as at from trades where bot_id = b.id and mode = m.mode order by opened_at limit 1) f
      where f.at < ${end}
    ), given as materialized (
      select b.id, w.at, coalesce(c.currency, b.stake_currency) as currency, coalesce(c.capital, b.starting_balance) as capital
      from bots b cross join (values (${start}::timestamptz), (${end}::timestamptz)) w (at)
      left join lateral (${capitalAt}) c on true
      where b.id in (select id from begun)
    )
    select mode, currency, trim_scale(sum(before))::text as before, trim_scale(sum(after - before))::text as added,
      trim_scale(sum(greatest(after - before, 0)))::text as more
    from (
      select begun.mode, given.currency, coalesce(sum(given.capital) filter (where given.at = ${start}), 0) as before,
        coalesce(sum(given.capital) filter (where given.at = ${end}), 0) as after
      from begun join given on given.id = begun.id and begun.at < given.at
      group by begun.id, 1, 2
    ) each_bot
    group by 1, 2`.execute(db);
  return rows;
}

/**
 * The capital of a bot `b` before the moment `w.at`, from its versions, by the rule of `changeBotSettings`: since it has had its currency and
 * closed a trade in it, the most that a version has needed; before that, what the last one needed. No row without a version.
 */
const capitalAt = sql`
  with known as (
    select *, lead(changed_at) over (order by version) as replaced_at, last_value(currency) over (order by version range between unbounded preceding and unbounded following) as newest
    from (
      select version, changed_at, settings ->> 'stakeCurrency' as currency,
        (settings ->> 'stakeAmount')::numeric * (settings ->> 'maxOpenTrades')::int as needed, version = min(version) over () as is_first
      from bot_versions where bot_id = b.id
    ) kept
    where is_first or changed_at < w.at
  ), same as (
    select * from known where version > coalesce((select max(version) from known where currency <> newest), 0)
  ), closed as (
    select min(t.at) as at from (values ('live'), ('testnet'), ('paper')) m (mode) cross join lateral (
      select closed_at as at from trades where bot_id = b.id and mode = m.mode and status = 'closed' and imported_from is null
        and closed_at >= (select min(changed_at) from same) order by closed_at limit 1) t
  )
  select same.newest as currency, max(same.needed) as capital from same cross join closed
  where same.replaced_at is null or same.replaced_at > closed.at group by 1`;
