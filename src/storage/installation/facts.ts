import type { Database } from '../database.ts';
import { healthCheckFact } from '../database.ts';

/** The fact by which a database knows the key of its installation. */
export const keyFact = 'master_key_fingerprint';

/** The fact with the keys that browsers know an installation by, sealed. */
export const pushKeysFact = 'push_keys';

/** The fact of the newest backup that was restored as a test and gave everything back. */
export const passedBackupFact = 'passed_backup';

/** A backup that has passed its test. */
export interface PassedBackup {
  file: string; // its name without the folder
  madeAt: string; // ISO time
  bytes: number;
}

/** The fact of how the last try of a backup went. */
export const backupTestFact = 'last_backup_test';

/** How a try went: the backup was made and restored as a test, or one of these failed. */
export interface BackupTest {
  testedAt: string; // ISO time
  file: string | null; // its name without the folder; null: none was made
  fault: string | null; // null: everything was there again
  isOfRoom?: boolean; // the disk is too full for it, or for its test
}

/** The fact that backups of this database are made on a schedule, by an instance that runs it. */
export const backupScheduleFact = 'backup_schedule';

/** Since when, and since when the instance has run that makes them. */
export interface BackupSchedule {
  since: string; // ISO time
  startedAt: string; // ISO time
}

/** The fact that the data lies in memory, as a sentence. */
export const volatileFact = 'volatile_store';

/** What is known of the machine and its backups, and not of what happened: it does not belong to the data, and no restore brings it along. */
export const factsOfMachine: readonly string[] = [passedBackupFact, backupTestFact, backupScheduleFact, volatileFact, healthCheckFact];

/** A fact this installation remembers about itself, or null. */
export async function readFact<T>(db: Database, key: string): Promise<T | null> {
  const row = await db.selectFrom('facts').select('value').where('key', '=', key).executeTakeFirst();
  return row === undefined ? null : (row.value as T);
}

/** A fact, or null; it stays what it is until the transaction ends. */
export async function lockFact<T>(trx: Database, key: string): Promise<T | null> {
  const row = await trx.selectFrom('facts').select('value').where('key', '=', key).forUpdate().executeTakeFirst();
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

/** Forgets a fact. */
export async function removeFact(db: Database, key: string): Promise<void> {
  await db.deleteFrom('facts').where('key', '=', key).execute();
}

/** Remembers a fact unless there is one already, and gives the one that holds: of several callers at once all get the same. */
export async function claimFact<T>(db: Database, key: string, value: T): Promise<T> {
  await db
    .insertInto('facts')
    .values({ key, value: JSON.stringify(value) })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
  return (await readFact<T>(db, key)) ?? value;
}
