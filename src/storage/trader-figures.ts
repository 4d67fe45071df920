import { dollarCurrencies } from '#engine/market/dollars.ts';
import { sql } from 'kysely';
import type { Database } from './database.ts';
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

/** The figures of each trader and mode with a closed trade, the highest profit first. */
export async function traderFigures(db: Database, of: ClosedTradesOf): Promise<TraderFigures[]> {
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
      select user_id, mode, closed_at, id, sum(profit) over w as total from closed window w as (partition by user_id, mode order by closed_at, id)
    ), falls as (
      select user_id, mode, greatest(max(total) over (partition by user_id, mode order by closed_at, id), 0) - total as fall from running
    ), deepest as (
      select user_id, mode, max(fall) as max_drawdown from falls group by user_id, mode
    ), days as (
      select user_id, mode, (closed_at at time zone 'UTC')::date as day, sum(profit) as profit from closed group by 1, 2, 3
    ), daily as (
      select user_id, mode, jsonb_agg(jsonb_build_object('day', day, 'profit', profit::text) order by day) as daily from days group by 1, 2
    ), balances as (
      select user_id, mode, sum(starting_balance) as starting_balance
      from (select distinct user_id, mode, bot_id, starting_balance from closed) each_bot group by 1, 2
    )
    select c.user_id as trader_id, u.email, c.mode, count(*)::int as trades, (count(*) filter (where own_profit > 0))::int as wins,
      sum(profit)::text as profit, balances.starting_balance::text as starting_balance, deepest.max_drawdown::text as max_drawdown,
      avg(latency_ms)::float8 as latency_ms, (count(*) filter (where note <> ''))::int as notes, daily.daily
    from closed c
    join users u on u.id = c.user_id
    join deepest on deepest.user_id = c.user_id and deepest.mode = c.mode
    join daily on daily.user_id = c.user_id and daily.mode = c.mode
    join balances on balances.user_id = c.user_id and balances.mode = c.mode
    group by c.user_id, u.email, c.mode, balances.starting_balance, deepest.max_drawdown, daily.daily
    order by sum(profit) desc, c.user_id, c.mode`.execute(db);
  return rows;
}
