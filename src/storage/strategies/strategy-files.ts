import type { Selectable } from 'kysely';
import type { Database } from '../database.ts';
import type { Schema } from '../schema.ts';

/** A file of the strategies' folder, as it was when it was last looked at. */
export type StrategyFile = Selectable<Schema['strategyFiles']>;

/** Notes what was found in a file. */
export async function noteStrategyFile(db: Database, file: StrategyFile): Promise<void> {
  const { path: _path, ...found } = file;
  await db
    .insertInto('strategyFiles')
    .values(file)
    .onConflict((conflict) => conflict.column('path').doUpdateSet(found))
    .execute();
}

/** Notes that files are not in the folder any more: all but these. What bots run of them is kept. */
export async function noteGoneFiles(db: Database, paths: readonly string[], now: Date): Promise<void> {
  await db
    .updateTable('strategyFiles')
    .set({ state: 'gone', faults: [], checkedAt: now })
    .where('state', '<>', 'gone')
    .where((is) => is.not(is('path', 'in', ['', ...paths])))
    .execute();
}

/** All files that have been in the folder, by path. */
export async function listStrategyFiles(db: Database): Promise<StrategyFile[]> {
  return db.selectFrom('strategyFiles').selectAll().orderBy('path').execute();
}
