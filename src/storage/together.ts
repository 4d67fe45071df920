import type { Database } from './database.ts';

/**
 * Does the work of several in one transaction, which costs hardly more than that of one. Null: it failed and nothing of it was written,
 * so each may be tried alone, which also shows whose failure it is.
 *
 * Fails: when it is not known whether it was committed
 */
export async function together<Result>(db: Database, work: (trx: Database) => Promise<Result>): Promise<Result | null> {
  let isDone = false;
  try {
    return await db.transaction().execute(async (trx) => {
      const result = await work(trx);
      isDone = true;
      return result;
    });
  } catch (error) {
    if (isDone) throw error;
    return null;
  }
}
