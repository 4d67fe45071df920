import { dayMs } from '#engine/market/durations.ts';
import { dollarCurrencies } from '#engine/market/dollars.ts';
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { midnight } from '../midnight.ts';
import { settledIn } from '../trades/settled-in.ts';
import type { TradeMode } from '../trades/trade-mode.ts';
import type { ProfitGrouping } from './profit-keys.ts';
import { dayOfExit, keyOfPart, spanOfDay, sumsOfSums, sumsOfTrades } from './profit-keys.ts';

/** Which closed trades count. */
export interface ProfitsOf {
  ownerId: string | null; // of the bots; null: all bots
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

/** The same closed trades put together three ways; all three have the same sums to the last decimal. */
export interface ClosedProfits {
  totals: ProfitSums[]; // one for each mode and currency
  days: ProfitSums[]; // by UTC day of the exit, in their order
  groups: ProfitSums[]; // the highest profit first
}

/** Of nearly every trader the trades before the day before yesterday are summed: later ones are read one by one, of all at once. */
const recentDays = 2;

/**
 * What closed trades come to: from the sums by day and month, and from the trades of the days and months that they do not have whole
 * (decision 0047). One statement, so that no trade can be closed between the parts of the answer.
 */
export async function closedProfits(db: Database, of: ProfitsOf, grouping: ProfitGrouping): Promise<ClosedProfits> {
  const from = sql`coalesce(${of.from}::date, '-infinity')`;
  const end = sql`coalesce(${of.to}::date + 1, 'infinity')`; // the day after the last
  const recent = sql`least(${end}, ${new Date(Date.now() - recentDays * dayMs).toISOString().slice(0, 10)}::date)`;
  const firstMonth = monthOf(sql`(${from} + interval '1 month - 1 day')`); // that begins on the first day or later
  const recentMonth = monthOf(recent);

  /** The sums of a part for each trader, from a day to before the one that they hold until. */
  const kept = (part: string, start: RawBuilder<unknown>, until: RawBuilder<unknown>, key: RawBuilder<unknown>) => sql`
    select p.mode, p.currency, ${key} as key, p.trades, p.wins, p.losses, p.profit, p.fees, p.funding
    from traders join profit_sums p on p.user_id = traders.user_id and p.part = ${sql.lit(part)} and p.start >= ${start} and p.start < ${until}`;
  /** The trades between two days, of all traders at once. */
  const between = (start: RawBuilder<unknown>, before: RawBuilder<unknown>, key: RawBuilder<unknown>) => sql`
    select t.mode, ${settledIn} as currency, ${key} as key, ${sumsOfTrades}
    from trades t join bots b on b.id = t.bot_id
    where t.status = 'closed' and t.closed_at >= ${midnight(start)} and t.closed_at < ${midnight(before)}
      and (${of.ownerId}::uuid is null or b.user_id = ${of.ownerId}::uuid)
    group by 1, 2, 3`;
  /** The trades that a trader's sums do not have yet, or no more, up to a day. */
  const late = (start: RawBuilder<unknown>, before: RawBuilder<unknown>, key: RawBuilder<unknown>) => sql`
    select t.mode, ${settledIn} as currency, ${key} as key, ${sumsOfTrades}
    from traders join bots b on b.user_id = traders.user_id
    cross join lateral (
      select * from trades where bot_id = b.id and status = 'closed' and closed_at >= ${midnight(start)} and closed_at < ${midnight(before)} offset 0
    ) t
    where ${start} < ${before}
    group by 1, 2, 3`;

  const untilMonth = monthOf(sql`traders.until`);
  const dayText = sql`(${dayOfExit})::text`;
  const groups =
    grouping === 'day' || grouping === 'week' || grouping === 'month' || grouping === 'year'
      ? sql`select mode, currency, ${spanOfDay[grouping]} as key, ${sumsOfSums} from days group by 1, 2, 3`
      : sql`
        select mode, currency, key, ${sumsOfSums} from (
          ${kept(grouping, firstMonth, untilMonth, sql`p.key`)}
          union all ${between(from, sql`least(${firstMonth}, ${end})`, keyOfPart[grouping])}
          union all ${between(sql`greatest(${firstMonth}, ${recentMonth})`, end, keyOfPart[grouping])}
          union all ${late(sql`greatest(${firstMonth}, ${untilMonth})`, recentMonth, keyOfPart[grouping])}
        ) s group by 1, 2, 3`;
  const { rows } = await sql<ProfitSums & { part: keyof ClosedProfits }>`
    with traders as materialized (
      select u.id as user_id, least(${recent}, case when s.currencies = ${dollarCurrencies}::text[] then s.until else '-infinity' end) as until
      from users u left join trader_sums_until s on s.user_id = u.id
      where (${of.ownerId}::uuid is null or u.id = ${of.ownerId}::uuid) and exists (select from bots where user_id = u.id)
    ), days as materialized (
      select mode, currency, key, ${sumsOfSums} from (
        ${kept('day', from, sql`traders.until`, sql`p.start::text`)}
        union all ${between(sql`greatest(${from}, ${recent})`, end, dayText)}
        union all ${late(sql`greatest(${from}, traders.until)`, recent, dayText)}
      ) s group by 1, 2, 3
    ), totals as (select mode, currency, '' as key, ${sumsOfSums} from days group by 1, 2),
    groups as (${groups})
    select part, mode, currency, key, trades, wins, losses, trim_scale(profit)::text as profit, trim_scale(fees)::text as fees,
      trim_scale(funding)::text as funding
    from (select 'totals' as part, * from totals union all select 'days', * from days union all select 'groups', * from groups) s
    order by part, case when part = 'days' then key end, s.profit desc, key`.execute(db);
  const ofPart = (wanted: keyof ClosedProfits) => rows.flatMap(({ part, ...row }) => (part === wanted ? [row] : []));
  return { totals: ofPart('totals'), days: ofPart('days'), groups: ofPart('groups') };
}

/** The first day of the month of a day. */
function monthOf(day: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`date_trunc('month', (${day})::timestamp)::date`;
}
