import { sql } from 'kysely';
import type { Database } from './database.ts';
import { prepared } from './prepared.ts';
import { tradeModeSql } from './trade-mode.ts';

// Each of these answers for all bots at once, or for those of one owner, so that the number of queries does not grow
// with the fleet. An owner of null means all bots.

const profits = prepared('profits since', (db, of: { since: Date }) =>
  db
    .selectFrom('trades')
    .innerJoin('bots', 'bots.id', 'trades.botId')
    .where('trades.status', '=', 'closed')
    .where('trades.closedAt', '>=', of.since)
    .where('trades.mode', '=', tradeModeSql)
    .groupBy('trades.botId')
    .select(['trades.botId', sql<string>`sum(trades.profit)`.as('profit')]),
);

/** The profit of the trades closed since a time, each bot's in its current mode: by bot id, in stake currency. */
export async function profitsSince(db: Database, since: Date): Promise<Map<string, string>> {
  return new Map((await profits(db, { since })).map(({ botId, profit }) => [botId, profit]));
}

/** The newest decision of a bot. */
export interface LastDecision {
  botId: string;
  symbol: string;
  candleTime: Date;
  action: string;
  gate: string | null;
  direction: 'long' | 'short' | null; // that the strategy wanted to enter
  decidedAt: Date;
}

/**
 * The newest decision of each bot: by bot id. Of several symbols decided on the same candle the one that says most comes
 * first: an entry or exit, then a refused signal, then a trade that is held, then no signal.
 */
export async function lastDecisions(db: Database, ownerId: string | null): Promise<Map<string, LastDecision>> {
  const { rows } = await sql<LastDecision>`
    select distinct on (b.id) b.id as bot_id, d.symbol, d.candle_time, d.action, d.gate, d.decided_at,
      case when (d.seen->>'enterLong')::boolean then 'long' when (d.seen->>'enterShort')::boolean then 'short' end as direction
    from bots b
    cross join lateral unnest(b.symbols) as s(symbol)
    cross join lateral (
      select * from decisions where bot_id = b.id and symbol = s.symbol order by candle_time desc limit 1
    ) d
    where ${ownerId}::uuid is null or b.user_id = ${ownerId}::uuid
    order by b.id, d.candle_time desc,
      case when d.action in ('enter', 'exit') then 0 when d.gate is not null and d.gate <> 'no-signal' then 1 when d.action = 'hold' then 2 else 3 end,
      d.symbol`.execute(db);
  return new Map(rows.map((row) => [row.botId, row]));
}

/** How many points a history has at most, and how far apart they are: seven days. */
export const historyPoints = 42;
const historyStepMs = 4 * 3_600_000;

/**
 * How the net profit and loss of each bot has changed over the last seven days, in its current mode: by bot id, oldest
 * first, four hours apart, the last at `now`. In stake currency. A younger bot has fewer points and starts from 0.
 */
export async function weekOfProfit(db: Database, ownerId: string | null, now: Date): Promise<Map<string, number[]>> {
  const { rows } = await sql<{ botId: string; values: string[]; hasStart: boolean }>`
    select bots.id as bot_id, array_agg(s.net_pnl::text order by p.number) as values, min(p.number) = 0 as has_start
    from bots
    cross join generate_series(0, ${historyPoints}::int) as p(number)
    cross join lateral (
      select net_pnl from pnl_snapshots
      where bot_id = bots.id and mode = ${tradeModeSql}
        and taken_at <= ${now}::timestamptz - (${historyPoints}::int - p.number) * ${historyStepMs}::int * interval '1 ms'
      order by taken_at desc limit 1
    ) s
    where ${ownerId}::uuid is null or bots.user_id = ${ownerId}::uuid
    group by bots.id`.execute(db);
  return new Map(
    rows.map(({ botId, values, hasStart }) => {
      const start = hasStart ? Number(values[0]) : 0;
      return [botId, values.slice(hasStart ? 1 : 0).map((value) => Number((Number(value) - start).toPrecision(6)))];
    }),
  );
}
