import { dollarCurrencies } from '#engine/market/dollars.ts';
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { inTransaction } from './in-transaction.ts';
import type { TradeMode } from './trade-mode.ts';

/** Which closed trades count; null: all. Days are UTC, both included, and are those of the exit. */
export interface ClosedTradesOf {
  traderId: string | null;
  mode: TradeMode | null;
  start: string | null; // YYYY-MM-DD
  end: string | null;
}

/** What the closed trades of a trader in a mode come to. Money is in dollars; trades in other currencies are counted only. */
export interface TraderFigures {
  traderId: string;
  email: string;
  mode: TradeMode;
  trades: number;
  wins: number;
  profit: string;
  startingBalance: string; // of the bots that made the trades
  maxDrawdown: string; // the largest fall of the sum of profits from an earlier peak
  latencyMs: number | null; // mean
  notes: number;
  daily: { day: string; profit: string }[]; // days with a trade, oldest first
}

/** The figures of a trader's closed live trades, as far as the fund overview needs them. */
export type LiveFigures = Pick<TraderFigures, 'traderId' | 'email' | 'trades' | 'wins' | 'profit' | 'startingBalance' | 'daily'>;

/** The live figures of each trader with a closed live trade, the highest profit first: read by bot and day, without any order of trades. */
export async function liveFigures(db: Database): Promise<LiveFigures[]> {
  const { rows } = await sql<LiveFigures>`
    with by_day as materialized (
      select bot_id, (closed_at at time zone 'UTC')::date as day, count(*) as trades, count(*) filter (where profit > 0) as wins, sum(profit) as profit
      from trades where status = 'closed' and mode = 'live' group by 1, 2
    ), of_bot as (
      select b.user_id, d.bot_id, d.day, d.trades, d.wins,
        case when b.stake_currency = any(${dollarCurrencies}::text[]) then d.profit else 0 end as profit,
        case when b.stake_currency = any(${dollarCurrencies}::text[]) then b.starting_balance else 0 end as starting_balance
      from by_day d join bots b on b.id = d.bot_id
    ), days as (
      select user_id, day, sum(trades)::int as trades, sum(wins)::int as wins, sum(profit) as profit from of_bot group by 1, 2
    ), balances as (
      select user_id, sum(starting_balance) as starting_balance from (select distinct user_id, bot_id, starting_balance from of_bot) each_bot group by 1
    )
    select d.user_id as trader_id, u.email, sum(d.trades)::int as trades, sum(d.wins)::int as wins, sum(d.profit)::text as profit,
      b.starting_balance::text as starting_balance, jsonb_agg(jsonb_build_object('day', d.day, 'profit', d.profit::text) order by d.day) as daily
    from days d join balances b on b.user_id = d.user_id join users u on u.id = d.user_id
    group by d.user_id, u.email, b.starting_balance
    order by sum(d.profit) desc, d.user_id`.execute(db);
  return rows;
}

/** The figures of each trader and mode with a closed trade, the highest profit first. */
export async function traderFigures(db: Database, of: ClosedTradesOf): Promise<TraderFigures[]> {
  return inTransaction(db, async (trx) => {
    // Two hundred thousand trades are sorted in memory; with the usual 4 MB they would go through the disk.
    await sql`set local work_mem = '64MB'`.execute(trx);
    await sql`set local jit = off`.execute(trx); // compiling takes longer than it saves
    const { rows } = await sql<TraderFigures>`
    with closed as materialized (
      select b.user_id, t.mode, t.bot_id, t.closed_at, t.id, t.latency_ms, t.note, t.profit as own_profit,
        case when b.stake_currency = any(${dollarCurrencies}::text[]) then t.profit else 0 end as profit,
        case when b.stake_currency = any(${dollarCurrencies}::text[]) then b.starting_balance else 0 end as starting_balance
      from trades t join bots b on b.id = t.bot_id
      where t.status = 'closed'
        and (${of.traderId}::uuid is null or b.user_id = ${of.traderId}::uuid)
        and (${of.mode}::text is null or t.mode = ${of.mode}::text)
        and (${of.start}::date is null or t.closed_at >= ${of.start}::date::timestamp at time zone 'UTC')
        and (${of.end}::date is null or t.closed_at < (${of.end}::date + 1)::timestamp at time zone 'UTC')
    ), running as (
      select user_id, mode, closed_at, id, sum(profit::float8) over w as total from closed window w as (partition by user_id, mode order by closed_at, id rows unbounded preceding)
    ), falls as (
      select user_id, mode, greatest(max(total) over (partition by user_id, mode order by closed_at, id rows unbounded preceding), 0) - total as fall from running
    ), deepest as (
      select user_id, mode, max(fall) as max_drawdown from falls group by user_id, mode
    ), days as (
      select user_id, mode, (closed_at at time zone 'UTC')::date as day, sum(profit) as profit from closed group by 1, 2, 3
    ), daily as (
      select user_id, mode, jsonb_agg(jsonb_build_object('day', day, 'profit', profit::text) order by day) as daily from days group by 1, 2
    ), balances as (
      select user_id, mode, sum(starting_balance) as starting_balance
      from (select distinct user_id, mode, bot_id, starting_balance from closed) each_bot group by 1, 2
    ), totals as (
      select user_id, mode, count(*)::int as trades, (count(*) filter (where own_profit > 0))::int as wins, sum(profit) as profit,
        avg(latency_ms)::float8 as latency_ms, (count(*) filter (where note <> ''))::int as notes
      from closed group by user_id, mode
    )
    select t.user_id as trader_id, u.email, t.mode, t.trades, t.wins, t.profit::text as profit,
      balances.starting_balance::text as starting_balance, deepest.max_drawdown::text as max_drawdown, t.latency_ms, t.notes, daily.daily
    from totals t
    join users u on u.id = t.user_id
    join deepest using (user_id, mode)
    join daily using (user_id, mode)
    join balances using (user_id, mode)
    order by t.profit desc, t.user_id, t.mode`.execute(trx);
    return rows;
  });
}
