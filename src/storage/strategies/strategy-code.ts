import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { inTransaction } from '../in-transaction.ts';
import type { Schema } from '../schema.ts';

/** One version of what a strategy runs: the texts of a file and all it imports, or a document of rules. */
export type StrategyCode = Selectable<Schema['strategyCode']>;

/** What a version is made of. */
export type CodeToKeep = { strategyId: string; hash: string; description: object; madeBy: string | null } & (
  | { file: string; exportName: string; files: Readonly<Record<string, string>> }
  | { document: object }
);

/** Keeps a version of a strategy's code; the same as the newest is that. What was there earlier is a version again. */
export async function keepCode(db: Database, code: CodeToKeep): Promise<Pick<StrategyCode, 'id' | 'number'>> {
  return inTransaction(db, async (trx) => {
    // Two that keep at once get two numbers.
    await trx.selectFrom('strategies').select('id').where('id', '=', code.strategyId).forUpdate().executeTakeFirstOrThrow();
    const newest = await newestCode(trx, code.strategyId);
    if (newest?.hash === code.hash) return { id: newest.id, number: newest.number };
    const { strategyId, hash, madeBy } = code;
    const texts =
      'files' in code
        ? { file: code.file, exportName: code.exportName, files: JSON.stringify(code.files) }
        : { document: JSON.stringify(code.document) };
    return trx
      .insertInto('strategyCode')
      .values({
        ...texts,
        strategyId,
        hash,
        madeBy,
        description: JSON.stringify(code.description),
        number: sql<number>`(select coalesce(max(number), 0) + 1 from strategy_code where strategy_id = ${strategyId})`,
      })
      .returning(['id', 'number'])
      .executeTakeFirstOrThrow();
  });
}

/** A version by its id; null when there is none. */
export async function findCode(db: Database, id: string): Promise<StrategyCode | null> {
  return (await db.selectFrom('strategyCode').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
}

/** The newest version of a strategy; null for what is part of the program. */
export async function newestCode(db: Database, strategyId: string): Promise<StrategyCode | null> {
  const newest = db.selectFrom('strategyCode').selectAll().where('strategyId', '=', strategyId).orderBy('number', 'desc').limit(1);
  return (await newest.executeTakeFirst()) ?? null;
}

/** A version of a strategy by its number; null when there is none. */
export async function findCodeByNumber(db: Database, strategyId: string, number: number): Promise<StrategyCode | null> {
  const version = db.selectFrom('strategyCode').selectAll().where('strategyId', '=', strategyId).where('number', '=', number);
  return (await version.executeTakeFirst()) ?? null;
}

/** The newest version of each strategy that has a file, without its texts. */
export async function newestOfFiles(
  db: Database,
): Promise<Pick<StrategyCode, 'strategyId' | 'number' | 'file' | 'madeAt' | 'description'>[]> {
  return db
    .selectFrom('strategyCode')
    .distinctOn('strategyId')
    .select(['strategyId', 'number', 'file', 'madeAt', 'description'])
    .where('file', 'is not', null)
    .orderBy('strategyId')
    .orderBy('number', 'desc')
    .execute();
}
