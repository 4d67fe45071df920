import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Database } from './database.ts';
import type { Schema } from './schema.ts';
import type { TradeMode } from './trade-mode.ts';
import { tradeModeSql } from './trade-mode.ts';

/** A trade: one round trip of a bot in a symbol. */
export type Trade = Selectable<Schema['trades']>;

/** Whose trades are meant: one bot's in one mode and symbol. */
export interface TradesOf {
  botId: string;
  mode: TradeMode;
  symbol: string;
}

/** The newest trades of any status, newest first. */
export async function newestTrades(db: Database, of: TradesOf, limit: number): Promise<Trade[]> {
  return selectTrades(db, of).selectAll().orderBy('openedAt', 'desc').orderBy('id').limit(limit).execute();
}

/** Number of closed trades, and of those with a profit. */
export async function countClosedTrades(db: Database, of: TradesOf): Promise<{ trades: number; wins: number }> {
  const row = await selectTrades(db, of)
    .where('status', '=', 'closed')
    .select([sql<string>`count(*)`.as('trades'), sql<string>`count(*) filter (where profit > 0)`.as('wins')])
    .executeTakeFirstOrThrow();
  return { trades: Number(row.trades), wins: Number(row.wins) };
}

/** The open trade, or null. */
export async function findOpenTrade(db: Database, of: TradesOf): Promise<Trade | null> {
  return (await selectTrades(db, of).selectAll().where('status', '=', 'open').executeTakeFirst()) ?? null;
}

/** Trades that were open at any time since `from`: what profit and loss over a range is made of. Oldest first. */
export async function tradesSince(db: Database, of: TradesOf, from: Date): Promise<Trade[]> {
  return selectTrades(db, of)
    .selectAll()
    .where('status', 'in', ['open', 'closed'])
    .where((eb) => eb.or([eb('closedAt', 'is', null), eb('closedAt', '>=', from)]))
    .orderBy('openedAt')
    .execute();
}

/** Sum of the profits of trades closed before `time`, as an exact decimal, and whether there is any trade at all. */
export async function profitBefore(db: Database, of: TradesOf, time: Date): Promise<{ profit: string; hasTrades: boolean }> {
  const row = await selectTrades(db, of)
    .where('status', 'in', ['open', 'closed'])
    .select([
      sql<string>`coalesce(sum(profit) filter (where status = 'closed' and closed_at < ${time}), 0)`.as('profit'),
      sql<boolean>`count(*) > 0`.as('hasTrades'),
    ])
    .executeTakeFirstOrThrow();
  return row;
}

/** The symbols in which a bot has an open trade. */
export async function openSymbols(db: Database, botId: string): Promise<string[]> {
  const rows = await db.selectFrom('trades').select('symbol').where('botId', '=', botId).where('status', '=', 'open').execute();
  return rows.map((row) => row.symbol);
}

function selectTrades(db: Database, of: TradesOf) {
  return db.selectFrom('trades').where('botId', '=', of.botId).where('mode', '=', of.mode).where('symbol', '=', of.symbol);
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
