import { type Selectable, sql } from 'kysely';
import type { Database } from '../database.ts';
import { prepared } from '../prepared.ts';
import type { Schema } from '../schema.ts';
import type { TradeMode } from './trade-mode.ts';

type TradeRow = Selectable<Schema['trades']>;

/** A trade as a table shows it. */
export type ListedTrade = Pick<
  TradeRow,
  | 'id'
  | 'botId'
  | 'symbol'
  | 'direction'
  | 'mode'
  | 'status'
  | 'openedAt'
  | 'closedAt'
  | 'amount'
  | 'entryPrice'
  | 'exitPrice'
  | 'profit'
  | 'confidence'
  | 'note'
  | 'profitRatio'
  | 'exitReason'
  | 'importedFrom'
> & { priceTick: string | null }; // of its instrument when it was entered

/** How many rows a table of trades or snapshots has at most. */
export const mostRows = 1_000;

function selectListed(db: Database) {
  return db
    .selectFrom('trades')
    .select([
      'id',
      'botId',
      'symbol',
      'direction',
      'mode',
      'status',
      'openedAt',
      'closedAt',
      'amount',
      'entryPrice',
      'exitPrice',
      'profit',
      'confidence',
      'note',
      'profitRatio',
      'exitReason',
      'importedFrom',
      sql<string | null>`engine_state ->> 'priceTick'`.as('priceTick'),
    ])
    .orderBy('openedAt', 'desc')
    .orderBy('id')
    .limit(mostRows);
}

const ofBot = prepared('trades of bot', (db, of: { botId: string; mode: TradeMode }) =>
  selectListed(db).where('botId', '=', of.botId).where('mode', '=', of.mode),
);

/** The newest trades of a bot in a mode, newest first. */
export async function listTradesOfBot(db: Database, botId: string, mode: TradeMode): Promise<ListedTrade[]> {
  return ofBot(db, { botId, mode });
}

const all = prepared('all trades', (db) => selectListed(db));
const ofMode = prepared('trades of mode', (db, of: { mode: TradeMode }) => selectListed(db).where('mode', '=', of.mode));

/** The newest trades of all bots, in every mode or in one, newest first. */
export async function listAllTrades(db: Database, mode: TradeMode | null): Promise<ListedTrade[]> {
  return mode === null ? all(db, {}) : ofMode(db, { mode });
}

/** Sets the note of a trade; '' removes it. False when there is no such trade. */
export async function setTradeNote(db: Database, tradeId: string, note: string): Promise<boolean> {
  const set = await db
    .updateTable('trades')
    .set({ note: note === '' ? null : note })
    .where('id', '=', tradeId)
    .executeTakeFirst();
  return set.numUpdatedRows === 1n;
}
