import { secondMs } from '#engine/market/durations.ts';
import { hasLease } from '#storage/bots/runners.ts';
import type { Database } from '#storage/database.ts';
import { checkServerVersion, openForMigrating } from '#storage/database.ts';
import { migrate, schemaState } from '#storage/migrate.ts';
import { setTimeout as sleep } from 'node:timers/promises';

/** The lease of a runner that was killed has run out by then. */
const leasePatienceMs = 15 * secondMs;

/**
 * Brings a database up to date, and gives the migrations that it lacked.
 *
 * Fails: with one sentence, also while a runner is at work on a database that lacks some
 */
export async function bringUpToDate(databaseUrl: string, patienceMs = leasePatienceMs): Promise<string[]> {
  const db = openForMigrating(databaseUrl);
  try {
    await checkServerVersion(db);
    await untilNoRunner(db, patienceMs);
    return await migrate(db);
  } finally {
    await db.destroy();
  }
}

/**
 * Waits, where migrations are to be made, until no runner holds a lease: an earlier version would keep trading on tables that it does not
 * know.
 *
 * Fails: with what to do, when one keeps its lease
 */
export async function untilNoRunner(db: Database, patienceMs = leasePatienceMs): Promise<void> {
  const { isOurs, missing } = await schemaState(db);
  if (!isOurs || missing.length === 0) return;
  for (const until = performance.now() + patienceMs; await hasLease(db);) {
    if (performance.now() > until)
      throw new Error(
        'A runner is at work on this database, whose tables are about to change. Stop Flotilla everywhere (every --role), then try again.',
      );
    await sleep(200);
  }
}
