import { dayMs, hourMs } from '#engine/market/durations.ts';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { prepared } from '../prepared.ts';
import { settledIn } from '../trades/settled-in.ts';
import { tradeModeSql } from '../trades/trade-mode.ts';
import { currencySince } from '../trades/currency-since.ts';

// Each of these answers for all bots at once, or for those of one owner, so that the number of queries does not grow
// with the fleet. An owner of null means all bots.

const profits = prepared('profits since', (db, of: { since: Date }) =>
  db
    .selectFrom('trades as t')
    .innerJoin('bots', 'bots.id', 't.botId')
    .where('t.status', '=', 'closed')
    .where('t.closedAt', '>=', of.since)
    .where('t.mode', '=', tradeModeSql)
    .whereRef(settledIn, '=', 'bots.stakeCurrency')
    .groupBy('t.botId')
    .select(['t.botId', sql<string>`sum(t.profit)`.as('profit')]),
);

/** The profit of the trades closed since a time, each bot's in its current mode and stake currency, by bot id. */
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

/** Nearly every bot has decided within the last days: what is older is searched for only where nothing newer is. */
const recentMs = 3 * dayMs;

/** Decisions are removed after thirty days; a day less, so that the span never reaches into a day that is being removed. */
const oldestMs = 29 * dayMs;

/**
 * The newest decision of each bot, of those of the last 29 days: by bot id. Of several symbols decided on the same candle
 * the one that says most comes first: an entry or exit, then a refused signal, then a trade that is held, then no signal.
 */
export async function lastDecisions(db: Database, ownerId: string | null, now: Date): Promise<Map<string, LastDecision>> {
  // A span with two ends inside the partitions that are there is searched from its newest day on, until one is found; without
  // ends every partition would be searched for every symbol of every bot.
  const time = (ms: number) => new Date(now.getTime() + ms);
  const recent = sql`candle_time >= ${time(-recentMs)} and candle_time < ${time(recentMs)}`;
  const older = sql`candle_time >= ${time(-oldestMs)} and candle_time < ${time(-recentMs)}`;
  const newest = sql`order by candle_time desc limit 1`;
  const { rows } = await sql<LastDecision>`
    select distinct on (b.id) b.id as bot_id, d.symbol, d.candle_time, d.action, d.gate, d.decided_at,
      case when (d.seen->>'enterLong')::boolean then 'long' when (d.seen->>'enterShort')::boolean then 'short' end as direction
    from bots b
    cross join lateral unnest(b.symbols) as s(symbol)
    cross join lateral (
      (select * from decisions where bot_id = b.id and symbol = s.symbol and ${recent} ${newest})
      union all
      (select * from decisions where bot_id = b.id and symbol = s.symbol and ${older}
        and not exists (select from decisions where bot_id = b.id and symbol = s.symbol and ${recent}) ${newest})
      limit 1
    ) d
    where b.archived_at is null and (${ownerId}::uuid is null or b.user_id = ${ownerId}::uuid)
    order by b.id, d.candle_time desc,
      case when d.action in ('enter', 'exit') then 0 when d.gate is not null and d.gate <> 'no-signal' then 1 when d.action = 'hold' then 2 else 3 end,
      d.symbol`.execute(db);
  return new Map(rows.map((row) => [row.botId, row]));
}

/** How many points a history has at most, and how far apart they are: seven days. */
export const historyPoints = 42;
const historyStepMs = 4 * hourMs;

/**
 * How the net profit and loss of each bot has changed over the last seven days, in its current mode: by bot id, oldest
 * first, four hours apart, the last at `now`. In stake currency. A younger bot has fewer points and starts from 0.
 */
export async function weekOfProfit(db: Database, ownerId: string | null, now: Date): Promise<Map<string, number[]>> {
  const from = new Date(now.getTime() - historyPoints * historyStepMs);
  // As above: the points of the week are searched for within the week alone, once for each bot. What a bot did not change is not in its text.
  const { rows } = await sql<{ botId: string; start: string | null; changes: string | null }>`
    select bots.id as bot_id, before.net_pnl as start, week.changes
    from bots
    cross join lateral (${currencySince}) currency
    left join lateral (
      select net_pnl from pnl_snapshots where bot_id = bots.id and mode = ${tradeModeSql} and taken_at <= ${from} and taken_at >= currency.since order by taken_at desc limit 1
    ) before on true
    cross join lateral (
      select string_agg(number || ',' || net_pnl, ',' order by number) as changes from (
        select distinct on (number) number, net_pnl from (
          select ceil(date_part('epoch', taken_at - ${from}::timestamptz) * 1000 / ${historyStepMs}::int)::int as number, taken_at, net_pnl
          from pnl_snapshots where bot_id = bots.id and mode = ${tradeModeSql} and taken_at > ${from} and taken_at <= ${now} and taken_at >= currency.since
        ) each_snapshot order by number, taken_at desc
      ) newest_of_point
    ) week
    where bots.archived_at is null and (${ownerId}::uuid is null or bots.user_id = ${ownerId}::uuid)`.execute(db);
  return new Map(rows.map(({ botId, start, changes }) => [botId, pointsOf(start === null ? null : Number(start), changes ?? '')]));
}

/** The change since the start at each point that is known; `changes`: 'point,value,point,value', where a point keeps the value of the one before. */
function pointsOf(start: number | null, changes: string): number[] {
  const numbers = JSON.parse(`[${changes}]`) as number[];
  const points: number[] = [];
  let value = start;
  for (let point = 1, at = 0; point <= historyPoints; point++) {
    if (numbers[at] === point) {
      value = numbers[at + 1] ?? null;
      at += 2;
    }
    if (value !== null) points.push(Number((value - (start ?? 0)).toPrecision(6)));
  }
  return points;
}
