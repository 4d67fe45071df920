import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { prepared } from './prepared.ts';
import type { Schema } from './schema.ts';
import type { TradeMode } from './trade-mode.ts';
import { tradeModeSql } from './trade-mode.ts';

type TradeRow = Selectable<Schema['trades']>;

/** A trade with what its profit and loss at any moment is reckoned from. */
export type Trade = Pick<
  TradeRow,
  'status' | 'openedAt' | 'closedAt' | 'amount' | 'leverage' | 'entryPrice' | 'liquidationPrice' | 'profit' | 'engineState'
>;

/** A trade as the order log shows it. */
export type LoggedTrade = Pick<
  TradeRow,
  'symbol' | 'direction' | 'status' | 'openedAt' | 'amount' | 'entryPrice' | 'stopPrice' | 'confidence'
>;

/** A trade as the chart marks it. */
export type MarkedTrade = Pick<TradeRow, 'direction' | 'openedAt' | 'closedAt' | 'exitReason'>;

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
    .select(['symbol', 'direction', 'status', 'openedAt', 'amount', 'entryPrice', 'stopPrice', 'confidence'])
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

const reckoned = prepared('trades since', (db, of: TradesOf & { from: Date }) =>
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
  return reckoned(db, { ...of, from });
}

const marked = prepared('trade marks since', (db, of: TradesOf & { from: Date }) =>
  selectTradesSince(db, of).select(['direction', 'openedAt', 'closedAt', 'exitReason']),
);

/** The marks of trades that were open at any time since `from`. Oldest first. */
export async function tradeMarksSince(db: Database, of: TradesOf, from: Date): Promise<MarkedTrade[]> {
  return marked(db, { ...of, from });
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

/** The closed trades of a strategy's bots, each bot's in its current mode, oldest first. */
export async function closedTradesOfStrategy(db: Database, strategyId: string): Promise<{ closedAt: Date; profit: string }[]> {
  const rows = await db
    .selectFrom('trades')
    .innerJoin('bots', 'bots.id', 'trades.botId')
    .select(['trades.closedAt', 'trades.profit'])
    .where('bots.strategyId', '=', strategyId)
    .where('trades.status', '=', 'closed')
    .where('trades.mode', '=', tradeModeSql)
    .orderBy('trades.closedAt')
    .execute();
  return rows.flatMap(({ closedAt, profit }) => (closedAt === null || profit === null ? [] : [{ closedAt, profit }]));
}
