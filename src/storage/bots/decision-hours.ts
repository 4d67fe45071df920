import { hourMs } from '#engine/market/durations.ts';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import type { NearestDecision } from './decision-list.ts';
import { isSignal } from './decision-list.ts';

/** Counts decisions: candles, signals, entries, and of those without a signal the one that was nearest to one. */
export const counted = sql`count(*), count(*) filter (where ${isSignal}), count(*) filter (where action = 'enter'),
      (array_agg(jsonb_build_object('candleTime', candle_time, 'symbol', symbol, 'near', seen->'near')
        order by (seen->'near'->>'distance')::float8, candle_time desc) filter (where gate = 'no-signal' and seen->'near' is not null))[1]`;

/** The nearer of two nearest decisions, and of two as near the newer one. */
export function nearerOf(a: string, b: string) {
  const [one, other] = [sql.raw(a), sql.raw(b)];
  const distance = (of: typeof one) => sql`(${of}->'near'->>'distance')::float8`;
  return sql`case
        when ${one} is null or ${distance(other)} < ${distance(one)} then coalesce(${other}, ${one})
        when ${distance(other)} = ${distance(one)} and ${other}->>'candleTime' > ${one}->>'candleTime' then ${other}
        else ${one} end`;
}

/** Which decisions of a bot count: of these symbols, for candles of this length opened from `from` on. */
export interface CountedFrom {
  botId: string;
  symbols: readonly string[];
  candleMs: number;
  from: Date;
}

/** What became of a bot's candles. */
export interface CountedCandles {
  candles: number;
  signals: number;
  entered: number;
  nearest: NearestDecision | null; // to a signal, of those without one
}

/**
 * What became of the candles of many bots, by bot id, in one query: whole hours as they were counted when they were written, and the decisions of the hour that
 * is not whole. Candles of an hour and longer are few: their decisions are read, however far back.
 */
export async function countSince(db: Database, bots: readonly CountedFrom[], now: Date): Promise<Map<string, CountedCandles>> {
  if (bots.length === 0) return new Map();
  const end = new Date(now.getTime() + 24 * hourMs);
  const wanted = bots.flatMap(({ botId, symbols, candleMs, from }) => {
    const wholeFrom = candleMs < hourMs ? new Date(Math.ceil(from.getTime() / hourMs) * hourMs) : end;
    return symbols.map((symbol) => ({ botId, symbol, from, wholeFrom }));
  });
  // Two ends for all of them: partitions outside are not opened at all.
  const oldest = new Date(Math.min(...wanted.map(({ from }) => from.getTime())));
  const newest = new Date(Math.max(...wanted.map(({ wholeFrom }) => wholeFrom.getTime())));
  const { rows } = await sql<
    CountedCandles & { botId: string; nearest: (Omit<NearestDecision, 'candleTime'> & { candleTime: string }) | null }
  >`
    select w.bot_id, sum(d.candles)::int as candles, sum(d.signals)::int as signals, sum(d.entered)::int as entered,
      (array_agg(d.nearest order by (d.nearest->'near'->>'distance')::float8, d.nearest->>'candleTime' desc) filter (where d.nearest is not null))[1] as nearest
    from unnest(${wanted.map(({ botId }) => botId)}::uuid[], ${wanted.map(({ symbol }) => symbol)}::text[],
      ${wanted.map(({ from }) => from)}::timestamptz[], ${wanted.map(({ wholeFrom }) => wholeFrom)}::timestamptz[]) as w (bot_id, symbol, since, whole_from)
    cross join lateral (
      select candles, signals, entered, nearest from decision_hours
      where bot_id = w.bot_id and symbol = w.symbol and hour >= w.whole_from
      union all
      select counts.* from (select ${counted} from decisions
        where bot_id = w.bot_id and symbol = w.symbol and candle_time >= w.since and candle_time < w.whole_from
          and candle_time >= ${oldest} and candle_time < ${newest}) as counts (candles, signals, entered, nearest)
    ) d
    group by w.bot_id`.execute(db);
  return new Map(
    rows.map(({ botId, nearest, ...counts }) => [
      botId,
      { ...counts, nearest: nearest === null ? null : { ...nearest, candleTime: new Date(nearest.candleTime) } },
    ]),
  );
}

/** Removes the counts of hours that began before a time. They are needed for a day and the length of a candle. */
export async function removeDecisionHours(db: Database, before: Date): Promise<void> {
  await db.deleteFrom('decisionHours').where('hour', '<', before).execute();
}
