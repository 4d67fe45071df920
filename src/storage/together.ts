import type { Database } from './database.ts';

/**
 * Does the work of several in one transaction, which costs hardly more than that of one. False: it failed and nothing of it was written,
 * so each may be tried alone, which also tells whose failure it is.
 *
 * Fails: when it is not known whether it was committed
 */
export async function together(db: Database, work: (trx: Database) => Promise<void>): Promise<boolean> {
  let isDone = false;
  try {
    await db.transaction().execute(async (trx) => {
      await work(trx);
      isDone = true;
    });
    return true;
  } catch (error) {
    if (isDone) throw error;
    return false;
  }
}
