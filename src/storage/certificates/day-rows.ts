import type { Direction } from '#engine/market/direction.ts';
import type { SeenCandle } from '#engine/market/candle.ts';
import { sql } from 'kysely';
import { currencySince } from '../trades/currency-since.ts';
import type { Database } from '../database.ts';
import type { TradeMode } from '../trades/trade-mode.ts';

/** Which day of a bot is certified. */
export interface DayOfBot {
  botId: string;
  mode: TradeMode;
  from: Date;
  to: Date; // not included
}

/** A trade as it is kept, with where its stop has gone. */
export interface TradeOfDay {
  state: unknown; // as the engine keeps it
  stopMoves: { time: number; price: number }[]; // oldest first
}

/** The trades of a bot that were open at any time of a day, oldest first. */
export async function tradesOfDay(db: Database, { botId, mode, from, to }: DayOfBot): Promise<TradeOfDay[]> {
  const { rows } = await sql<TradeOfDay>`
    select engine_state as state, stop_moves from trades
    where bot_id = ${botId} and mode = ${mode} and imported_from is null and status in ('open', 'closed')
      and opened_at < ${to} and (closed_at is null or closed_at >= ${from}) order by opened_at, id`.execute(db);
  return rows;
}

/** So many closed trades of before a day are read at most: those that protections go by, or those that a strategy is shown of its account. */
const mostClosed = { protections: 500, account: 5_000 };

/**
 * What the closed trades of a bot had brought before a day since it has its stake currency, as its wallet holds it, and the newest of all of them, oldest
 * first: for protections those of a week. The runner goes by all of them, too.
 */
export async function closedBefore(
  db: Database,
  { botId, mode, from }: DayOfBot,
  wanted: keyof typeof mostClosed,
): Promise<{ profit: number; newest: unknown[] }> {
  const sums = await sql<{ profit: string }>`
    select coalesce(sum(t.profit), 0)::text as profit from bots cross join lateral (${currencySince}) currency
    join trades t on t.bot_id = bots.id and t.closed_at >= currency.since
    where bots.id = ${botId} and t.mode = ${mode} and t.imported_from is null and t.status = 'closed' and t.closed_at < ${from}`.execute(
    db,
  );
  const { rows } = await sql<{ state: unknown }>`
    select engine_state as state from trades
    where bot_id = ${botId} and mode = ${mode} and imported_from is null and status = 'closed'
      and closed_at < ${from} and (${wanted} = 'account' or closed_at >= ${from}::timestamptz - interval '7 days')
    order by closed_at desc, id desc limit ${mostClosed[wanted]}`.execute(db);
  return { profit: Number(sums.rows[0]?.profit ?? 0), newest: rows.map(({ state }) => state).toReversed() };
}

/**
 * What a bot had to trade with in a mode until a time, an exact decimal; null where that is not known in the currency. Under one version of its settings
 * that changes only where the bot comes into the mode.
 */
export async function capitalUntil(
  db: Database,
  { botId, mode, to }: Pick<DayOfBot, 'botId' | 'mode' | 'to'>,
  currency: string,
): Promise<string | null> {
  const { rows } = await sql<{ capital: string }>`
    select capital::text as capital from (
      select currency, capital from bot_capitals where bot_id = ${botId} and mode = ${mode} and since < ${to} order by since desc limit 1
    ) newest
    where currency = ${currency}`.execute(db);
  return rows[0]?.capital ?? null;
}

/** An entry of a day that has never held anything. */
export interface UnfilledRow {
  symbol: string;
  direction: Direction;
  candleTime: Date; // that its order came of
  isRefused: boolean; // by the exchange
}

/** The entries of a day that have never held anything: cancelled, timed out, or refused by the exchange. */
export async function unfilledOfDay(db: Database, { botId, mode, from, to }: DayOfBot): Promise<UnfilledRow[]> {
  const { rows } = await sql<UnfilledRow>`
    select t.symbol, t.direction, substring(o.signal_key from '\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z')::timestamptz as candle_time,
      bool_or(o.refusal is not null or o.status = 'refused') as is_refused
    from trades t join orders o on o.trade_id = t.id
    where t.bot_id = ${botId} and t.mode = ${mode} and t.status in ('cancelled', 'failed') and o.purpose = 'entry'
      and t.opened_at >= ${from} and t.opened_at < ${to}
    group by t.id, 1, 2, 3`.execute(db);
  return rows;
}

/** A decision as it is on record. */
export interface DecisionOfDay {
  symbol: string;
  candleTime: Date;
  action: string;
  gate: string | null;
  enterLong: boolean;
  exitLong: boolean;
  enterShort: boolean;
  exitShort: boolean;
  failure: string | null;
  candle: SeenCandle | null;
}

/** The decisions of a bot on candles that opened from `from` on and before `to`, oldest first. */
export async function decisionsOfDay(db: Database, botId: string, from: Date, to: Date): Promise<DecisionOfDay[]> {
  const flag = (name: string) => sql`coalesce((seen->>${name})::boolean, false)`;
  const { rows } = await sql<DecisionOfDay>`
    select symbol, candle_time, action, gate, ${flag('enterLong')} as enter_long, ${flag('exitLong')} as exit_long, ${flag('enterShort')} as enter_short,
      ${flag('exitShort')} as exit_short, seen->>'failure' as failure, seen->'candle' as candle
    from decisions where bot_id = ${botId} and candle_time >= ${from} and candle_time < ${to} order by candle_time, symbol`.execute(db);
  return rows;
}

/** A version of settings. */
export interface VersionOfDay {
  version: number;
  changedAt: Date;
  settings: Record<string, unknown>;
}

/** The kept versions of a bot's settings and of its strategy's, the oldest first; none where nothing was ever changed. */
export async function versionsOf(
  db: Database,
  botId: string,
  strategyId: string,
): Promise<{ bot: VersionOfDay[]; strategy: VersionOfDay[] }> {
  const bot = db.selectFrom('botVersions').select(['version', 'changedAt', 'settings']).where('botId', '=', botId).orderBy('version');
  const strategy = db
    .selectFrom('strategyVersions')
    .select(['version', 'changedAt', 'settings'])
    .where('strategyId', '=', strategyId)
    .orderBy('version');
  return { bot: await bot.execute(), strategy: await strategy.execute() };
}
