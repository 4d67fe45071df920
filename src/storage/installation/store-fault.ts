import { statfs } from 'node:fs/promises';
import type { Database } from '../database.ts';
import { durabilityFault } from '../database.ts';
import { readFact, removeFact, volatileFact, writeFact } from './facts.ts';

/** Types of file systems that lie in memory: tmpfs and ramfs, as statfs gives them. */
const inMemory = new Set([0x01_02_19_94, 0x85_84_58_f6]);

/**
 * Why real money must not depend on this database, in one sentence: it may lose what it has acknowledged. Null when it may not, as far
 * as can be known: where the data of a server of others lies, only that server knows.
 */
export async function storeFault(db: Database): Promise<string | null> {
  return (await durabilityFault(db)) ?? (await readFact<string>(db, volatileFact));
}

/** Notes in the database whether its own data lies in memory, for all processes that ask `storeFault`. */
export async function noteVolatileStore(db: Database, dataFolder: string): Promise<void> {
  const { type } = await statfs(dataFolder);
  if (!inMemory.has(type)) return removeFact(db, volatileFact);
  await writeFact(
    db,
    volatileFact,
    `The database lies in memory (${dataFolder}) and is lost with the power. Live trading stays off until it lies on a disk.`,
  );
}
