import type { LimitFacts } from '#engine/risk/limit.ts';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import type { TradeMode } from '../trades/trade-mode.ts';

/** Decisions of a bot: of one symbol or all, for candles opened from `from` on and before `to`. */
export interface DecisionRange {
  botId: string;
  symbol: string | null;
  from: Date;
  to: Date;
}

/** Which decisions of a range are listed; null lists all. */
export interface DecisionFilter {
  gate: string | null;
  action: string | null;
  signalsOnly: boolean; // those with a signal to enter
}

/** The place of a decision among those of its bot. */
export interface DecisionPlace {
  candleTime: Date;
  symbol: string;
}

/** A decision as it is listed. */
export interface ListedDecision extends DecisionPlace {
  action: string;
  gate: string | null;
  direction: 'long' | 'short' | null; // that the strategy wanted to enter
  tag: string | null;
  confidence: number | null;
  price: number | null;
  seen: SeenWithDecision;
}

/** What was seen with a decision, as far as it was written down. */
export interface SeenWithDecision {
  values: Record<string, number> | null;
  near: StoredNearness | null;
  last: number | null; // the market's price, where no price of its own was looked at
  priceAge: number | null;
  numbers: Record<string, number> | null;
  limit: LimitFacts | null; // that refused the entry
  failure: string | null; // of the strategy, which gave no answer about the candle
}

/** How far a candle was from a signal, as it is stored with its decision. */
export interface StoredNearness {
  direction: 'long' | 'short';
  name: string;
  value: number;
  threshold: number;
}

/** Whether a decision is about a signal to enter: the engine asks every other gate only when there is one. */
export const isSignal = sql<boolean>`(action = 'enter' or gate = 'has-open-trade' or (action = 'none' and gate is not null and gate not in ('no-signal', 'strategy-failed')))`;

/** The columns of a `ListedDecision`. */
export const decisionColumns = sql`candle_time, symbol, action, gate,
      case when (seen->>'enterLong')::boolean then 'long' when (seen->>'enterShort')::boolean then 'short' end as direction,
      seen->>'tag' as tag, (seen->>'confidence')::float8 as confidence, (seen->>'price')::float8 as price,
      jsonb_build_object('values', seen->'values', 'near', seen->'near', 'last', seen->'last', 'priceAge', seen->'priceAge', 'numbers', seen->'numbers', 'limit', seen->'limit', 'failure', seen->'failure') as seen`;

/** The rows of a range. */
export const within = ({ botId, symbol, from, to }: DecisionRange) =>
  sql<boolean>`bot_id = ${botId} and candle_time >= ${from} and candle_time < ${to} and (${symbol}::text is null or symbol = ${symbol}::text)`;

/** The newest decisions of a range, or those that follow `before`. */
export async function listDecisions(
  db: Database,
  range: DecisionRange,
  { gate, action, signalsOnly }: DecisionFilter,
  before: DecisionPlace | null,
  limit: number,
): Promise<ListedDecision[]> {
  const { rows } = await sql<ListedDecision>`
    select ${decisionColumns}
    from decisions
    where ${within(range)}
      and (${gate}::text is null or gate = ${gate}::text)
      and (${action}::text is null or action = ${action}::text)
      and (not ${signalsOnly}::boolean or ${isSignal})
      ${before === null ? sql`` : sql`and candle_time <= ${before.candleTime} and (candle_time, symbol) < (${before.candleTime}, ${before.symbol})`}
    order by candle_time desc, symbol desc
    limit ${limit}`.execute(db);
  return rows;
}

/** A decision as it is marked under a chart. */
export interface MarkedDecision {
  candleTime: Date;
  action: 'enter' | 'exit' | 'none';
  gate: string | null;
  direction: 'long' | 'short' | null;
}

/** The newest entries, exits and refused signals of a range, the oldest of them first. */
export async function listMarks(db: Database, range: DecisionRange, limit: number): Promise<MarkedDecision[]> {
  const { rows } = await sql<MarkedDecision>`
    select candle_time, action, gate,
      case when (seen->>'enterLong')::boolean then 'long' when (seen->>'enterShort')::boolean then 'short' end as direction
    from decisions
    where ${within(range)} and (action in ('enter', 'exit') or (action = 'none' and gate is not null and gate not in ('no-signal', 'has-open-trade')))
    order by candle_time desc limit ${limit}`.execute(db);
  return rows.toReversed();
}

/** The candle of a range that was nearest to a signal without being one. */
export interface NearestDecision extends DecisionPlace {
  near: StoredNearness;
}

/** Of those that were as near, the newest; null where none can say how near it was. */
export async function nearestDecision(db: Database, range: DecisionRange): Promise<NearestDecision | null> {
  const { rows } = await sql<NearestDecision>`
    select candle_time, symbol, seen->'near' as near from decisions
    where ${within(range)} and seen->'near' is not null and gate = 'no-signal'
    order by (seen->'near'->>'distance')::float8, candle_time desc, symbol limit 1`.execute(db);
  return rows[0] ?? null;
}

/** What became of the candles of a range, and how many trades were closed in it. */
export interface Funnel {
  candles: number;
  refused: { gate: string; count: number }[]; // the most frequent first
  entered: number;
  closed: number;
  won: number;
}

/** Counts a range: its candles, its signals by what became of them, and the trades of `mode` closed since `closedFrom`. */
export async function countDecisions(db: Database, range: DecisionRange, mode: TradeMode, closedFrom: Date): Promise<Funnel> {
  const { rows } = await sql<{ gate: string | null; isSignal: boolean; count: number }>`
    select case when action = 'enter' then null else gate end as gate, ${isSignal} as is_signal, count(*)::int as count
    from decisions where ${within(range)} group by 1, 2 order by 3 desc, 1`.execute(db);
  const trades = await sql<{ closed: number; won: number }>`
    select count(*)::int as closed, (count(*) filter (where profit > 0))::int as won
    from trades
    where bot_id = ${range.botId} and mode = ${mode} and status = 'closed' and closed_at >= ${closedFrom} and closed_at < ${range.to}
      and (${range.symbol}::text is null or symbol = ${range.symbol}::text)`.execute(db);
  const signals = rows.filter((row) => row.isSignal);
  return {
    candles: rows.reduce((sum, { count }) => sum + count, 0),
    refused: signals.flatMap(({ gate, count }) => (gate === null ? [] : [{ gate, count }])),
    entered: signals.find(({ gate }) => gate === null)?.count ?? 0,
    closed: trades.rows[0]?.closed ?? 0,
    won: trades.rows[0]?.won ?? 0,
  };
}
