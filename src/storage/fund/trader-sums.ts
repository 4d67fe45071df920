import { dollarCurrencies } from '#engine/market/dollars.ts';
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { midnight } from '../midnight.ts';
import { sumProfits } from '../profits/profit-sums.ts';
import { settledIn } from '../trades/settled-in.ts';

// What a trader's closed trades in a mode come to is kept by UTC day of the exit, and by month: `trader_sums`. A row says what
// its trades come to together, and how their running profit, which begins at 0 with the row, went: `high` and `low` are the
// highest and lowest it came to, 0 among them, `fall` its largest fall from an earlier peak. So rows that follow each other can
// be joined into one without their trades. `daily` is the profit of each of its days with a trade: 'day,profit,day,profit', where
// a day is the number of days since 1970.
//
// The rows of a trader count before the day in `trader_sums_until`, and only for the dollar currencies they were made with. Later
// trades are few and are read themselves. Whatever changes a trade of an earlier day sets that day back, in the same transaction
// (migration 0017): figures are never old, only slower for a minute.

/** The dollar currencies as a value of a statement. */
export const dollars: RawBuilder<unknown> = sql`${dollarCurrencies}::text[]`;

/** A closed trade `t` of a bot `b` as a row of sums, besides what `joinedRows` sorts them by. */
export const tradeAsRow: RawBuilder<unknown> = sql`
  b.user_id, t.mode, (t.closed_at at time zone 'UTC')::date as start, t.closed_at, t.id, 1 as trades, (t.profit > 0)::int as wins,
  (t.note <> '')::int as notes, t.latency_ms as latency_sum, (t.latency_ms is not null)::int as latency_count, p.profit,
  greatest(p.profit, 0) as high, least(p.profit, 0) as low, greatest(-p.profit, 0) as fall`;

/** The profit of that trade, `p`: 0 when it was not settled in dollars. */
export const profitOfTrade: RawBuilder<unknown> = sql`
  lateral (select case when ${settledIn} = any(${dollars}) then coalesce(t.profit, 0) else 0 end as profit) p`;

/** Rows of sums joined into one for each value of `key`, in the sequence of `by`. */
export function joinedRows(
  rows: RawBuilder<unknown>,
  key: RawBuilder<unknown>,
  by: RawBuilder<unknown>,
  daily: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`
    select ${key}, sum(trades)::int as trades, coalesce(sum(wins), 0)::int as wins, coalesce(sum(notes), 0)::int as notes,
      coalesce(sum(latency_sum), 0) as latency_sum, sum(latency_count)::int as latency_count, sum(profit) as profit,
      greatest(max(total + high), 0) as high, least(min(total + low), 0) as low,
      greatest(max(fall), max(greatest(peak, 0) - total - low)) as fall, ${daily} as daily
    from (
      select *, max(total + high) over (partition by ${key} order by ${by} rows between unbounded preceding and 1 preceding) as peak
      from (select *, sum(profit) over (partition by ${key} order by ${by} rows unbounded preceding) - profit as total from ${rows} r) with_total
    ) with_peak
    group by ${key}`;
}

/** The trades of `rows` (see `tradeAsRow`) joined by day. */
export function joinedByDay(rows: RawBuilder<unknown>): RawBuilder<unknown> {
  return joinedRows(
    rows,
    sql`user_id, mode, start`,
    sql`closed_at, id`,
    sql`concat_ws(',', start - date '1970-01-01', trim_scale(sum(profit)))`,
  );
}

/** What `joinedRows` makes of rows that have `daily`. */
export const dailyOfRows: RawBuilder<unknown> = sql`string_agg(daily, ',' order by start)`;

/** The day before which everything is summed: days are summed when they have been over for a day, by the database's clock. */
const untilNow = sql`((now() at time zone 'UTC')::date - 1)`;

/**
 * Brings the sums of all traders up to the day before yesterday. Called every minute: whoever has changed an earlier trade waits no longer for
 * quick figures. Several processes may call it at once. Sums that a clock which was ahead has made are made again.
 */
export async function keepTraderSums(db: Database): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select u.id from users u
    where exists (select from bots where user_id = u.id)
      and not exists (select from trader_sums_until where user_id = u.id and until = ${untilNow} and currencies = ${dollars})`.execute(db);
  for (const { id } of rows) await db.transaction().execute((trx) => sumTrader(trx, id));
}

/** Holds the lock that whoever changes an earlier trade waits for: what is read here is all there is until it ends. */
async function sumTrader(trx: Database, userId: string): Promise<void> {
  await sql`insert into trader_sums_until values (${userId}, '-infinity', ${dollars}) on conflict do nothing`.execute(trx);
  const { rows } = await sql<{ from: string; until: string }>`
    select case when currencies = ${dollars} and until <= ${untilNow} then until else '-infinity' end as from, ${untilNow} as until
    from trader_sums_until where user_id = ${userId} for update`.execute(trx);
  const [{ from, until } = { from: '', until: '' }] = rows;
  const firstMonth = sql`date_trunc('month', ${from}::date::timestamp)::date`;
  await sql`
    delete from trader_sums where user_id = ${userId} and start >= case when unit = 'day' then ${from}::date else ${firstMonth} end`.execute(
    trx,
  );
  await sql`
    insert into trader_sums (user_id, mode, start, trades, wins, notes, latency_sum, latency_count, profit, high, low, fall, daily, unit)
    select *, 'day' from (${joinedByDay(sql`(
      select ${tradeAsRow} from bots b join trades t on t.bot_id = b.id and t.status = 'closed', ${profitOfTrade}
      where b.user_id = ${userId} and t.closed_at >= ${midnight(sql`${from}::date`)} and t.closed_at < ${midnight(sql`${until}::date`)})`)}) days`.execute(
    trx,
  );
  await sql`
    insert into trader_sums (user_id, mode, start, trades, wins, notes, latency_sum, latency_count, profit, high, low, fall, daily, unit)
    select *, 'month' from (${joinedRows(
      sql`(select *, date_trunc('month', start::timestamp)::date as month from trader_sums
        where unit = 'day' and user_id = ${userId} and start >= ${firstMonth} and start < date_trunc('month', ${until}::date::timestamp))`,
      sql`user_id, mode, month`,
      sql`start`,
      dailyOfRows,
    )}) months`.execute(trx);
  await sumProfits(trx, userId, from, until);
  await sql`update trader_sums_until set until = ${until}::date, currencies = ${dollars} where user_id = ${userId}`.execute(trx);
}
