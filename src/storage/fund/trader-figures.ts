import { dayMs } from '#engine/market/durations.ts';
import type { ClosedProfit } from '#engine/report/performance.ts';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { midnight } from '../midnight.ts';
import { settledIn } from '../trades/settled-in.ts';
import type { TradeMode } from '../trades/trade-mode.ts';
import { dailyOfRows, dollars, joinedByDay, joinedRows, profitOfTrade, tradeAsRow } from './trader-sums.ts';

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
  startingBalance: string; // of the bots that made the trades in dollars, as they had it in the mode at last
  maxDrawdown: string; // the largest fall of the sum of profits from an earlier peak
  latencyMs: number | null; // mean
  notes: number;
  leavesOut: boolean; // a trade in another currency
  daily: ClosedProfit[]; // a day with a trade each, at its midnight, oldest first
}

/** Whether the trade `t` was not settled in dollars. */
const isOther = sql`${settledIn} <> all(${dollars})`;

/** The figures of each trader and mode with a closed trade, the highest profit first: from the sums, and the trades of the last days. */
export async function traderFigures(db: Database, of: ClosedTradesOf): Promise<TraderFigures[]> {
  const start = sql`coalesce(${of.start}::date, '-infinity')`;
  const end = sql`coalesce(${of.end}::date + 1, 'infinity')`; // the day after the last
  const firstMonth = sql`date_trunc('month', (${start} + interval '1 month - 1 day')::timestamp)::date`; // that begins on the first day or later
  const monthOfUntil = sql`date_trunc('month', t.until::timestamp)::date`;
  const isOfMode = sql`(${of.mode}::text is null or mode = ${of.mode}::text)`;
  const recent = sql`((now() at time zone 'UTC')::date - 2)`; // of nearly every trader the trades before are summed
  const { rows } = await sql<Omit<TraderFigures, 'daily'> & { daily: string }>`
    with traders as materialized (
      select u.id as user_id, u.email, least(${end}, case when s.currencies = ${dollars} then s.until else '-infinity' end) as until
      from users u left join trader_sums_until s on s.user_id = u.id
      where (${of.traderId}::uuid is null or u.id = ${of.traderId}::uuid)
    ), summed as (
      select s.* from traders t cross join lateral (
        (select * from trader_sums where unit = 'month' and user_id = t.user_id and start >= ${firstMonth} and start < ${monthOfUntil})
        union all
        (select * from trader_sums where unit = 'day' and user_id = t.user_id and start >= ${start} and start < least(t.until, ${firstMonth}))
        union all
        (select * from trader_sums where unit = 'day' and user_id = t.user_id and start >= greatest(${firstMonth}, ${monthOfUntil}) and start < t.until)
        offset 0
      ) s
    ), later as (
      select ${tradeAsRow}, ${isOther} as is_other
      from trades t join bots b on b.id = t.bot_id join traders on traders.user_id = b.user_id, ${profitOfTrade}
      where t.status = 'closed' and t.closed_at >= ${midnight(recent)} and t.closed_at >= ${midnight(sql`greatest(${start}, traders.until)`)}
        and t.closed_at < ${midnight(end)}
      union all
      select ${tradeAsRow}, ${isOther} as is_other
      from traders join bots b on b.user_id = traders.user_id
      cross join lateral (
        select * from trades where bot_id = b.id and status = 'closed' and closed_at >= ${midnight(sql`greatest(${start}, traders.until)`)}
          and closed_at < ${midnight(sql`least(${end}, ${recent})`)}
        offset 0
      ) t, ${profitOfTrade}
      where traders.until < least(${end}, ${recent})
    ), all_rows as (
      select user_id, mode, start, trades, wins, notes, latency_sum, latency_count, profit, high, low, fall, daily from summed where ${isOfMode}
      union all
      select * from (${joinedByDay(sql`(select * from later where ${isOfMode})`)}) days
    ), figures as materialized (${joinedRows(sql`all_rows`, sql`user_id, mode`, sql`start`, dailyOfRows)})
    select f.user_id as trader_id, traders.email, f.mode, f.trades, f.wins, trim_scale(f.profit)::text as profit, trim_scale(f.fall)::text as max_drawdown,
      (f.latency_sum / nullif(f.latency_count, 0))::float8 as latency_ms, f.notes, f.daily, trim_scale(balances.total)::text as starting_balance,
      (f.user_id, f.mode) in (
        select p.user_id, p.mode from traders join profit_sums p on p.user_id = traders.user_id
        where p.part = 'day' and p.start >= ${start} and p.start < traders.until and p.currency <> all(${dollars})
        union all
        select user_id, mode from later where is_other
      ) as leaves_out
    from figures f join traders on traders.user_id = f.user_id
    cross join lateral (
      select coalesce(sum(coalesce(given.capital, case when b.stake_currency = any(${dollars}) then b.starting_balance end)), 0) as total from bots b
      cross join lateral (
        -- In the order of the index: its rows are read until one is found, and not all trades.
        select from trades t where t.bot_id = b.id and t.mode = f.mode and t.status = 'closed' and t.closed_at >= ${midnight(start)}
          and t.closed_at < ${midnight(end)} and not ${isOther}
        order by t.closed_at limit 1
      ) has_trade
      left join lateral (
        select capital from bot_capitals where bot_id = b.id and mode = f.mode and currency = any(${dollars}) order by since desc limit 1
      ) given on true
      where b.user_id = f.user_id and (b.stake_currency = any(${dollars}) or given.capital is not null)
    ) balances
    order by f.profit desc, f.user_id, f.mode`.execute(db);
  return rows.map((row) => ({ ...row, daily: dailyOf(row.daily) }));
}

function dailyOf(text: string): ClosedProfit[] {
  const values = JSON.parse(`[${text}]`) as number[];
  return Array.from({ length: values.length / 2 }, (_, i) => ({
    closeTime: (values[2 * i] ?? 0) * dayMs,
    profit: values[2 * i + 1] ?? 0,
  }));
}
