import type { Insertable, Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { prepared } from '../prepared.ts';
import type { Schema } from '../schema.ts';
import { mostRows } from '../trades/trade-lists.ts';
import type { TradeMode } from '../trades/trade-mode.ts';
import { currencySince } from '../trades/currency-since.ts';

/** The balance of a bot at a moment. */
export type PnlSnapshot = Insertable<Schema['pnlSnapshots']>;

/**
 * Writes snapshots. Of several for the same moment the later counts, whether it comes in the same call or in another: two
 * trades that close in one millisecond leave one snapshot, with the sums after both.
 */
export async function addPnlSnapshots(db: Database, snapshots: readonly PnlSnapshot[]): Promise<void> {
  const newest = new Map(
    snapshots.map((snapshot) => [`${snapshot.botId} ${snapshot.mode} ${new Date(snapshot.takenAt).getTime()}`, snapshot]),
  );
  const rows = [...newest.values()];
  const batch = 1_000;
  for (let from = 0; from < rows.length; from += batch) {
    await db
      .insertInto('pnlSnapshots')
      .values(rows.slice(from, from + batch))
      .onConflict((conflict) =>
        conflict.columns(['botId', 'mode', 'takenAt']).doUpdateSet((eb) => ({
          netPnl: eb.ref('excluded.netPnl'),
          netPnlPct: eb.ref('excluded.netPnlPct'),
          unrealizedPnl: eb.ref('excluded.unrealizedPnl'),
          realizedPnl: eb.ref('excluded.realizedPnl'),
          totalFees: eb.ref('excluded.totalFees'),
          winRate: eb.ref('excluded.winRate'),
          currentBalance: eb.ref('excluded.currentBalance'),
        })),
      )
      .execute();
  }
}

const ofBot = prepared('snapshots of bot', (db, of: { botId: string; mode: TradeMode }) =>
  db
    .selectFrom('pnlSnapshots')
    .select(['botId', 'mode', 'takenAt', 'netPnl', 'netPnlPct', 'unrealizedPnl', 'realizedPnl', 'totalFees', 'winRate', 'currentBalance'])
    .where('botId', '=', of.botId)
    .where('mode', '=', of.mode)
    .where('takenAt', '>=', sql<Date>`(select since from bots cross join lateral (${currencySince}) currency where bots.id = ${of.botId})`)
    .orderBy('takenAt', 'desc')
    .limit(mostRows),
);

/** The newest snapshots of a bot in a mode, newest first; none of before it had its stake currency. */
export async function listSnapshots(db: Database, botId: string, mode: TradeMode): Promise<Selectable<Schema['pnlSnapshots']>[]> {
  return ofBot(db, { botId, mode });
}
