import { dollarCurrencies } from '#engine/market/dollars.ts';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { inTransaction } from '../in-transaction.ts';
import type { ClosedTradesOf, TraderFigures } from '../fund/trader-figures.ts';
import { settledIn } from '../trades/settled-in.ts';

/** The figures as `traderFigures` must give them, read from every trade there is. For tests. */
export async function traderFiguresFromTrades(db: Database, of: ClosedTradesOf): Promise<TraderFigures[]> {
  const { rows } = await inTransaction(db, async (trx) => {
    await sql`set local enable_nestloop = off`.execute(trx); // what is known of the tables' sizes is old
    return sql<Omit<TraderFigures, 'daily'> & { daily: { day: string; profit: string }[] }>`
    with closed as materialized (
      select b.user_id, t.mode, t.bot_id, t.closed_at, t.id, t.latency_ms, t.note, t.profit as own_profit,
        case when ${settledIn} = any(${dollarCurrencies}::text[]) then coalesce(t.profit, 0) else 0 end as profit,
        case when ${settledIn} <> all(${dollarCurrencies}::text[]) then 0 else coalesce(
          (select distinct last_value(capital) over (order by since rows between unbounded preceding and unbounded following) from bot_capitals c
           where c.bot_id = b.id and c.mode = t.mode and c.currency = any(${dollarCurrencies}::text[])),
          case when b.stake_currency = any(${dollarCurrencies}::text[]) then b.starting_balance end, 0) end as starting_balance
      from trades t join bots b on b.id = t.bot_id
      where t.status = 'closed'
        and (${of.traderId}::uuid is null or b.user_id = ${of.traderId}::uuid)
        and (${of.mode}::text is null or t.mode = ${of.mode}::text)
        and (${of.start}::date is null or t.closed_at >= ${of.start}::date::timestamp at time zone 'UTC')
        and (${of.end}::date is null or t.closed_at < (${of.end}::date + 1)::timestamp at time zone 'UTC')
    ), running as (
      select user_id, mode, closed_at, id, sum(profit) over w as total from closed window w as (partition by user_id, mode order by closed_at, id rows unbounded preceding)
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
      from (select user_id, mode, bot_id, max(starting_balance) as starting_balance from closed group by 1, 2, 3) each_bot group by 1, 2
    ), totals as (
      select user_id, mode, count(*)::int as trades, (count(*) filter (where own_profit > 0))::int as wins, sum(profit) as profit,
        avg(latency_ms)::float8 as latency_ms, (count(*) filter (where note <> ''))::int as notes
      from closed group by user_id, mode
    )
    select t.user_id as trader_id, u.email, t.mode, t.trades, t.wins, trim_scale(t.profit)::text as profit,
      trim_scale(balances.starting_balance)::text as starting_balance, trim_scale(deepest.max_drawdown)::text as max_drawdown, t.latency_ms, t.notes, daily.daily
    from totals t
    join users u on u.id = t.user_id
    join deepest using (user_id, mode)
    join daily using (user_id, mode)
    join balances using (user_id, mode)
    order by t.profit desc, t.user_id, t.mode`.execute(trx);
  });
  return rows.map((row) => ({
    ...row,
    daily: row.daily.map(({ day, profit }) => ({ closeTime: Date.parse(day), profit: Number(profit) })),
  }));
}
