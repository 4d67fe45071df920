import { dayMs } from '#engine/market/durations.ts';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import type { NearestDecision } from './decision-list.ts';
import { isSignal } from './decision-list.ts';

/** Which decisions of a bot count: of these symbols, for candles opened from `from` on. */
export interface CountedFrom {
  botId: string;
  symbols: readonly string[];
  from: Date;
}

/** What became of a bot's candles. */
export interface CountedCandles {
  candles: number;
  signals: number;
  entered: number;
  nearest: NearestDecision | null; // to a signal, of those without one
}

/** What became of the candles of many bots, by bot id: one query, that looks at each symbol's rows alone. */
export async function countSince(db: Database, bots: readonly CountedFrom[], now: Date): Promise<Map<string, CountedCandles>> {
  if (bots.length === 0) return new Map();
  const wanted = bots.flatMap(({ botId, symbols, from }) => symbols.map((symbol) => ({ botId, symbol, from })));
  // Two ends for all of them: partitions outside are not opened at all.
  const oldest = new Date(Math.min(...bots.map(({ from }) => from.getTime())));
  const end = new Date(now.getTime() + dayMs);
  const { rows } = await sql<
    CountedCandles & { botId: string; nearest: (Omit<NearestDecision, 'candleTime'> & { candleTime: string }) | null }
  >`
    select w.bot_id, sum(d.candles)::int as candles, sum(d.signals)::int as signals, sum(d.entered)::int as entered,
      (array_agg(d.nearest order by (d.nearest->'near'->>'distance')::float8, d.nearest->>'candleTime' desc) filter (where d.nearest is not null))[1] as nearest
    from unnest(${wanted.map(({ botId }) => botId)}::uuid[], ${wanted.map(({ symbol }) => symbol)}::text[],
      ${wanted.map(({ from }) => from)}::timestamptz[]) as w (bot_id, symbol, since)
    cross join lateral (
      select count(*) as candles, count(*) filter (where ${isSignal}) as signals, count(*) filter (where action = 'enter') as entered,
        (array_agg(jsonb_build_object('candleTime', candle_time, 'symbol', symbol, 'near', seen->'near')
          order by (seen->'near'->>'distance')::float8, candle_time desc) filter (where gate = 'no-signal' and seen->'near' is not null))[1] as nearest
      from decisions
      where bot_id = w.bot_id and symbol = w.symbol and candle_time >= w.since and candle_time >= ${oldest} and candle_time < ${end}
    ) d
    group by w.bot_id`.execute(db);
  return new Map(
    rows.map(({ botId, nearest, ...counts }) => [
      botId,
      { ...counts, nearest: nearest === null ? null : { ...nearest, candleTime: new Date(nearest.candleTime) } },
    ]),
  );
}
