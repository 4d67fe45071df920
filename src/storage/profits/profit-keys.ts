import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';

/** By what profits are put together. Days, weeks (from Monday on), months and years are UTC, of the exit. */
export type ProfitGrouping = 'bot' | 'pair' | 'strategy' | 'version' | 'tag' | 'reason' | 'account' | 'day' | 'week' | 'month' | 'year';

/** The groupings whose groups are no spans of time. */
export type ProfitPart = Exclude<ProfitGrouping, 'day' | 'week' | 'month' | 'year'>;

/** The UTC day of the exit of a trade `t`. */
export const dayOfExit: RawBuilder<unknown> = sql`(t.closed_at at time zone 'UTC')::date`;

/** What a trade `t` of a bot `b` is grouped by; '' where it has none. */
export const keyOfPart: Record<ProfitPart, RawBuilder<unknown>> = {
  bot: sql`t.bot_id::text`,
  pair: sql`t.symbol`,
  strategy: sql`b.strategy_id::text`,
  version: sql`(b.strategy_id || ' ' || coalesce(t.strategy_version::text, ''))`,
  tag: sql`coalesce(t.entry_tag, '')`,
  reason: sql`coalesce(t.exit_reason, '')`,
  account: sql`coalesce(t.account_id::text, '')`,
};

/** The span of time that a day, as the text `key`, belongs to. */
export const spanOfDay: Record<Exclude<ProfitGrouping, ProfitPart>, RawBuilder<unknown>> = {
  day: sql`key`,
  week: sql`date_trunc('week', key::timestamp)::date::text`,
  month: sql`left(key, 7)`,
  year: sql`left(key, 4)`,
};

/** What trades `t` come to, after their key. */
export const sumsOfTrades: RawBuilder<unknown> = sql`
  count(*)::int as trades, (count(*) filter (where t.profit > 0))::int as wins, (count(*) filter (where t.profit < 0))::int as losses,
  coalesce(sum(t.profit), 0) as profit, sum(t.fees) as fees, sum(t.funding) as funding`;

/** What rows of sums come to together, after their key. */
export const sumsOfSums: RawBuilder<unknown> = sql`
  sum(trades)::int as trades, sum(wins)::int as wins, sum(losses)::int as losses, sum(profit) as profit, sum(fees) as fees, sum(funding) as funding`;
