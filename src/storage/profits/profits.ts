import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { midnight } from '../fund/trader-sums.ts';
import { settledIn } from '../trades/settled-in.ts';
import type { TradeMode } from '../trades/trade-mode.ts';
import { tradeModeSql } from '../trades/trade-mode.ts';

/** By what profits are put together. Days, weeks (from Monday on), months and years are UTC, of the exit. */
export type ProfitGrouping = 'bot' | 'pair' | 'strategy' | 'version' | 'tag' | 'reason' | 'account' | 'day' | 'week' | 'month' | 'year';

/** Which closed trades count. */
export interface ProfitsOf {
  ownerId: string | null; // of the bots; null: all bots
  botId: string | null; // null: each of them
  from: string | null; // the first UTC day, YYYY-MM-DD; null: since the first trade
  to: string | null; // the last UTC day; null: no end
}

/** What some closed trades of one mode and currency come to. Money as exact decimals. */
export interface ProfitSums {
  mode: TradeMode;
  currency: string;
  key: string; // of the day or group; '' when its trades have none
  trades: number;
  wins: number;
  losses: number;
  profit: string; // after fees and funding
  fees: string;
  funding: string; // positive was received
}

const dayOfExit = sql`(t.closed_at at time zone 'UTC')::date`;

/** What trades are grouped by, of a trade `t` of a bot `b`. */
const keyOf: Record<ProfitGrouping, RawBuilder<unknown>> = {
  bot: sql`t.bot_id`,
  pair: sql`t.symbol`,
  strategy: sql`b.strategy_id`,
  version: sql`b.strategy_id || ' ' || coalesce(t.strategy_version::text, '')`,
  tag: sql`t.entry_tag`,
  reason: sql`t.exit_reason`,
  account: sql`t.account_id`,
  day: dayOfExit,
  week: sql`date_trunc('week', t.closed_at at time zone 'UTC')::date`,
  month: sql`to_char(date_trunc('month', t.closed_at at time zone 'UTC'), 'YYYY-MM')`,
  year: sql`to_char(date_trunc('year', t.closed_at at time zone 'UTC'), 'YYYY')`,
};

/** The same closed trades put together three ways; all three have the same sums to the last decimal. */
export interface ClosedProfits {
  totals: ProfitSums[]; // one for each mode and currency
  days: ProfitSums[]; // by UTC day of the exit, in their order
  groups: ProfitSums[]; // the highest profit first
}

/** What closed trades come to, read in one statement: no trade can be closed between the parts of the answer. */
export async function closedProfits(db: Database, of: ProfitsOf, grouping: ProfitGrouping): Promise<ClosedProfits> {
  const sumsBy = (key: RawBuilder<unknown>) => sql`
    select t.mode, ${settledIn} as currency, coalesce((${key})::text, '') as key, count(*)::int as trades,
      (count(*) filter (where t.profit > 0))::int as wins, (count(*) filter (where t.profit < 0))::int as losses,
      coalesce(sum(t.profit), 0) as profit, sum(t.fees) as fees, sum(t.funding) as funding
    from trades t join bots b on b.id = t.bot_id
    where t.status = 'closed' and t.closed_at >= ${midnight(sql`coalesce(${of.from}::date, '-infinity')`)}
      and t.closed_at < ${midnight(sql`coalesce(${of.to}::date + 1, 'infinity')`)}
      and (${of.ownerId}::uuid is null or b.user_id = ${of.ownerId}::uuid) and (${of.botId}::uuid is null or t.bot_id = ${of.botId}::uuid)
    group by t.mode, ${settledIn}, ${key}`;
  const { rows } = await sql<ProfitSums & { part: keyof ClosedProfits }>`
    with days as materialized (${sumsBy(dayOfExit)}),
    totals as (
      select mode, currency, '' as key, sum(trades)::int as trades, sum(wins)::int as wins, sum(losses)::int as losses, sum(profit) as profit,
        sum(fees) as fees, sum(funding) as funding
      from days group by mode, currency
    ), groups as (${sumsBy(keyOf[grouping])})
    select part, mode, currency, key, trades, wins, losses, trim_scale(profit)::text as profit, trim_scale(fees)::text as fees,
      trim_scale(funding)::text as funding
    from (select 'totals' as part, * from totals union all select 'days', * from days union all select 'groups', * from groups) s
    order by part, case when part = 'days' then key end, s.profit desc, key`.execute(db);
  const ofPart = (wanted: keyof ClosedProfits) => rows.flatMap(({ part, ...row }) => (part === wanted ? [row] : []));
  return { totals: ofPart('totals'), days: ofPart('days'), groups: ofPart('groups') };
}

/** What the open trades of bots would bring now, as their runners have said last; by mode and currency. */
export interface OpenProfit {
  mode: TradeMode;
  currency: string;
  trades: number;
  profit: string | null; // null: of some it is not known
}

/** See `OpenProfit`. */
export async function openProfits(db: Database, { ownerId, botId }: Pick<ProfitsOf, 'ownerId' | 'botId'>): Promise<OpenProfit[]> {
  const { rows } = await sql<OpenProfit>`
    select o.mode, o.currency, sum(o.trades)::int as trades,
      case when bool_and(v.bot_id is not null) then trim_scale(sum(v.unrealized_pnl))::text end as profit
    from (
      select t.bot_id, t.mode, ${settledIn} as currency, count(*) as trades from trades t
      where t.status = 'open' and t.entry_price is not null
      group by 1, 2, 3
    ) o join bots on bots.id = o.bot_id
    left join bot_vitals v on v.bot_id = o.bot_id and o.mode = ${tradeModeSql} and o.currency = bots.stake_currency
    where (${ownerId}::uuid is null or bots.user_id = ${ownerId}::uuid) and (${botId}::uuid is null or bots.id = ${botId}::uuid)
    group by 1, 2`.execute(db);
  return rows;
}
