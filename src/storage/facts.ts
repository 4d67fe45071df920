import type { Database } from './database.ts';

/** A fact this installation remembers about itself, or null. */
export async function readFact<T>(db: Database, key: string): Promise<T | null> {
  const row = await db.selectFrom('facts').select('value').where('key', '=', key).executeTakeFirst();
  return row === undefined ? null : (row.value as T);
}

/** Remembers a fact; an earlier value is replaced. */
export async function writeFact(db: Database, key: string, value: unknown): Promise<void> {
  const text = JSON.stringify(value);
  await db
    .insertInto('facts')
    .values({ key, value: text })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: text }))
    .execute();
}
