import type { Insertable } from 'kysely';
import type { Database } from './database.ts';
import type { Schema } from './schema.ts';

/** The balance of a bot at a moment. */
export type PnlSnapshot = Insertable<Schema['pnlSnapshots']>;

/** Writes snapshots; one that is there for the same moment stays as it is. */
export async function addPnlSnapshots(db: Database, snapshots: readonly PnlSnapshot[]): Promise<void> {
  const batch = 1_000;
  for (let from = 0; from < snapshots.length; from += batch) {
    await db
      .insertInto('pnlSnapshots')
      .values(snapshots.slice(from, from + batch))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}
