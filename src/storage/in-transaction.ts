import type { Database } from './database.ts';

/** Does work in the caller's transaction when there is one, else in a transaction of its own. */
export async function inTransaction<T>(db: Database, work: (trx: Database) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}
