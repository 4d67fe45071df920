import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { midnight } from '../midnight.ts';
import { settledIn } from '../trades/settled-in.ts';
import { dayOfExit, keyOfPart, sumsOfSums, sumsOfTrades } from './profit-keys.ts';

/** The parts that are kept by month, each with the key of a trade. */
const parts = sql.join(Object.entries(keyOfPart).map(([part, key]) => sql`(${sql.lit(part)}, ${key})`));

/**
 * Makes the profits of a trader's closed trades again: by day from the day `from` to before `until`, by month and key from the month of
 * `from` to before that of `until`. Days are dates in text form; part of what keeps all sums of a trader (`keepTraderSums`).
 *
 * Needs: the lock on the trader's row of `trader_sums_until`
 */
export async function sumProfits(trx: Database, userId: string, from: string, until: string): Promise<void> {
  const firstMonth = sql`date_trunc('month', ${from}::date::timestamp)::date`;
  const monthOfUntil = sql`date_trunc('month', ${until}::date::timestamp)::date`;
  await sql`
    delete from profit_sums where user_id = ${userId} and start >= case when part = 'day' then ${from}::date else ${firstMonth} end`.execute(
    trx,
  );
  await sql`
    insert into profit_sums (part, user_id, start, mode, currency, key, trades, wins, losses, profit, fees, funding)
    select 'day', ${userId}::uuid, ${dayOfExit}, t.mode, ${settledIn}, '', ${sumsOfTrades}
    from bots b join trades t on t.bot_id = b.id and t.status = 'closed'
    where b.user_id = ${userId} and t.closed_at >= ${midnight(sql`${from}::date`)} and t.closed_at < ${midnight(sql`${until}::date`)}
    group by ${dayOfExit}, t.mode, ${settledIn}`.execute(trx);
  // First by all keys together: the trades are added up once, and the few sums of a month seven times.
  await sql`
    insert into profit_sums (part, user_id, start, mode, currency, key, trades, wins, losses, profit, fees, funding)
    select p.part, ${userId}::uuid, t.month, t.mode, t.currency, p.key, ${sumsOfSums}
    from (
      select date_trunc('month', t.closed_at at time zone 'UTC')::date as month, t.mode, ${settledIn} as currency, t.bot_id, t.symbol, b.strategy_id,
        t.strategy_version, t.entry_tag, t.exit_reason, t.account_id, ${sumsOfTrades}
      from bots b join trades t on t.bot_id = b.id and t.status = 'closed'
      where b.user_id = ${userId} and t.closed_at >= ${midnight(firstMonth)} and t.closed_at < ${midnight(monthOfUntil)}
      group by month, t.mode, ${settledIn}, t.bot_id, t.symbol, b.strategy_id, t.strategy_version, t.entry_tag, t.exit_reason, t.account_id
    ) t
    cross join lateral (select t.strategy_id) b
    cross join lateral (values ${parts}) p (part, key)
    group by p.part, t.month, t.mode, t.currency, p.key`.execute(trx);
}
