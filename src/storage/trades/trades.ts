import { dollarCurrencies } from '#engine/market/dollars.ts';
import type { ClosedProfit } from '#engine/report/performance.ts';
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { prepared } from '../prepared.ts';
import type { Schema } from '../schema.ts';
import { settledIn } from './settled-in.ts';
import type { TradeMode } from './trade-mode.ts';
import { tradeModeSql } from './trade-mode.ts';

type TradeRow = Selectable<Schema['trades']>;

/** A trade with what its profit and loss at any moment is calculated from. */
export type Trade = Pick<
  TradeRow,
  'status' | 'openedAt' | 'closedAt' | 'amount' | 'leverage' | 'entryPrice' | 'liquidationPrice' | 'profit' | 'engineState'
>;

/** A trade as the order log shows it. */
export type LoggedTrade = Pick<
  TradeRow,
  | 'id'
  | 'symbol'
  | 'direction'
  | 'status'
  | 'openedAt'
  | 'closedAt'
  | 'amount'
  | 'stake'
  | 'leverage'
  | 'entryPrice'
  | 'exitPrice'
  | 'stopPrice'
  | 'initialStopPrice'
  | 'stopMoves'
  | 'fees'
  | 'funding'
  | 'profit'
  | 'profitRatio'
  | 'entryTag'
  | 'exitReason'
  | 'confidence'
> & { priceTick: string | null }; // of its instrument when it was entered

/** A trade as the chart marks it. */
export type MarkedTrade = Pick<
  TradeRow,
  | 'id'
  | 'direction'
  | 'status'
  | 'openedAt'
  | 'closedAt'
  | 'entryPrice'
  | 'exitPrice'
  | 'stopPrice'
  | 'profit'
  | 'profitRatio'
  | 'entryTag'
  | 'exitReason'
> & { openState: Record<string, unknown> | null }; // as the engine keeps it; null for a closed one

/** The newest trade of a bot's symbol, as far as its changes make a screen load again. */
export type NewestTrade = Pick<TradeRow, 'id' | 'status' | 'openedAt' | 'stopPrice'> & {
  mark: string; // changes with whatever a screen shows of the trade, but for its stop, which may move at every tick
  openState: Record<string, unknown> | null;
};

/** Whose trades are meant: one bot's in one mode and symbol. */
export interface TradesOf {
  botId: string;
  mode: TradeMode;
  symbol: string;
}

function selectTrades(db: Database, of: TradesOf) {
  return db.selectFrom('trades').where('botId', '=', of.botId).where('mode', '=', of.mode).where('symbol', '=', of.symbol);
}

function selectTradesSince(db: Database, of: TradesOf & { from: Date }) {
  return selectTrades(db, of)
    .where('status', 'in', ['open', 'closed'])
    .where((eb) => eb.or([eb('closedAt', 'is', null), eb('closedAt', '>=', of.from)]))
    .orderBy('openedAt');
}

const logged = prepared('newest trades', (db, of: TradesOf & { limit: number }) =>
  selectTrades(db, of)
    .select([
      'id',
      'symbol',
      'direction',
      'status',
      'openedAt',
      'closedAt',
      'amount',
      'stake',
      'leverage',
      'entryPrice',
      'exitPrice',
      'stopPrice',
      'initialStopPrice',
      'stopMoves',
      'fees',
      'funding',
      'profit',
      'profitRatio',
      'entryTag',
      'exitReason',
      'confidence',
      sql<string | null>`engine_state ->> 'priceTick'`.as('priceTick'),
    ])
    .orderBy('openedAt', 'desc')
    .orderBy('id')
    .limit(of.limit),
);

/** The newest trades of any status, newest first. */
export async function newestTrades(db: Database, of: TradesOf, limit: number): Promise<LoggedTrade[]> {
  return logged(db, { ...of, limit });
}

const closedCounts = prepared('count of closed trades', (db, of: TradesOf) =>
  selectTrades(db, of)
    .where('status', '=', 'closed')
    .select([sql<string>`count(*)`.as('trades'), sql<string>`count(*) filter (where profit > 0)`.as('wins')]),
);

/** Number of closed trades, and of those with a profit. */
export async function countClosedTrades(db: Database, of: TradesOf): Promise<{ trades: number; wins: number }> {
  const [row] = await closedCounts(db, of);
  return { trades: Number(row?.trades ?? 0), wins: Number(row?.wins ?? 0) };
}

const tradesOfRange = prepared('trades since', (db, of: TradesOf & { from: Date }) =>
  selectTradesSince(db, of).select([
    'status',
    'openedAt',
    'closedAt',
    'amount',
    'leverage',
    'entryPrice',
    'liquidationPrice',
    'profit',
    'engineState',
  ]),
);

/** Trades that were open at any time since `from`, the open one among them: what profit and loss over a range is made of. Oldest first. */
export async function tradesSince(db: Database, of: TradesOf, from: Date): Promise<Trade[]> {
  return tradesOfRange(db, { ...of, from });
}

const openState = sql<Record<string, unknown> | null>`case when status = 'open' then engine_state end`.as('openState');

const marked = prepared('trade marks since', (db, of: TradesOf & { from: Date }) =>
  selectTradesSince(db, of).select([
    'id',
    'direction',
    'status',
    'openedAt',
    'closedAt',
    'entryPrice',
    'exitPrice',
    'stopPrice',
    'profit',
    'profitRatio',
    'entryTag',
    'exitReason',
    openState,
  ]),
);

/** The marks of trades that were open at any time since `from`. Oldest first. */
export async function tradeMarksSince(db: Database, of: TradesOf, from: Date): Promise<MarkedTrade[]> {
  return marked(db, { ...of, from });
}

const newest = prepared('newest trade', (db, of: TradesOf) =>
  selectTrades(db, of)
    .select([
      'id',
      'status',
      'openedAt',
      'stopPrice',
      sql<string>`md5(concat_ws(' ', id, status, amount, leverage, entry_price, exit_price, liquidation_price, funding, engine_state -> 'orders'))`.as(
        'mark',
      ),
      openState,
    ])
    .orderBy('openedAt', 'desc')
    .orderBy('id')
    .limit(1),
);

/**
 * The newest trade of any status; null without one. A bot has one open trade in a symbol at most, and opens none while it has
 * one: whatever changes in its trades of the symbol changes in the newest of them.
 */
export async function newestTrade(db: Database, of: TradesOf): Promise<NewestTrade | null> {
  return (await newest(db, of))[0] ?? null;
}

const profitSum = prepared('profit before', (db, of: TradesOf & { time: Date }) =>
  selectTrades(db, of)
    .where('status', 'in', ['open', 'closed'])
    .select([
      sql<string>`coalesce(sum(profit) filter (where status = 'closed' and closed_at < ${of.time}), 0)`.as('profit'),
      sql<boolean>`count(*) > 0`.as('hasTrades'),
    ]),
);

/** Sum of the profits of trades closed before `time`, as an exact decimal, and whether there is any trade at all. */
export async function profitBefore(db: Database, of: TradesOf, time: Date): Promise<{ profit: string; hasTrades: boolean }> {
  return (await profitSum(db, { ...of, time }))[0] ?? { profit: '0', hasTrades: false };
}

/** The symbols in which a bot has an open trade. */
export async function openSymbols(db: Database, botId: string): Promise<string[]> {
  const rows = await db.selectFrom('trades').select('symbol').where('botId', '=', botId).where('status', '=', 'open').execute();
  return rows.map((row) => row.symbol);
}

/** Whether a bot has ever made a trade at an exchange, a test network among them. */
export async function hasTradedAtExchange(db: Database, botId: string): Promise<boolean> {
  const row = await db
    .selectFrom('trades')
    .select('id')
    .where('botId', '=', botId)
    .where('mode', '<>', 'paper')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** A closed trade, and whether its profit is in dollars. */
export interface StrategyTrade extends ClosedProfit {
  isDollar: boolean;
}

/** The closed trades of a strategy in one mode. */
export interface StrategyTrades {
  mode: TradeMode;
  trades: StrategyTrade[]; // oldest first
}

/**
 * The closed trades of a strategy's bots, each bot's in its current mode, by mode, real money first; a mode without any is not among
 * them. As one text for each, because they may be many thousands.
 */
export async function closedTradesOfStrategy(db: Database, strategyId: string): Promise<StrategyTrades[]> {
  const { rows } = await sql<{ mode: TradeMode; trades: string }>`
    select t.mode, string_agg(
      concat_ws(',', (extract(epoch from date_trunc('milliseconds', t.closed_at)) * 1000)::bigint, t.profit::float8, t.is_dollar::int),
      ',' order by t.closed_at) as trades
    from bots
    cross join lateral (
      select mode, closed_at, profit, ${settledIn} = any(${dollarCurrencies}::text[]) as is_dollar from trades t
      where bot_id = bots.id and mode = ${tradeModeSql} and status = 'closed' and closed_at is not null and profit is not null
      offset 0
    ) t
    where bots.strategy_id = ${strategyId}
    group by t.mode
    order by array_position(array['live', 'testnet', 'paper'], t.mode)`.execute(db);
  return rows.map(({ mode, trades }) => ({ mode, trades: tradesOfText(trades) }));
}

function tradesOfText(text: string): StrategyTrade[] {
  const values = JSON.parse(`[${text}]`) as number[];
  return Array.from({ length: values.length / 3 }, (_, i) => ({
    closeTime: values[3 * i] ?? 0,
    profit: values[3 * i + 1] ?? 0,
    isDollar: values[3 * i + 2] === 1,
  }));
}
