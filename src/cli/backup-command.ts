import { writeAudit } from '#storage/audit/audit-log.ts';
import { backup } from '#storage/backup/backup.ts';
import { checkServerVersion, openDatabase } from '#storage/database.ts';
import { refuseLostData } from '#storage/embedded/lost-data.ts';
import { embeddedData } from '#storage/embedded/server-place.ts';
import { withEmbeddedServer } from '#storage/embedded/with-server.ts';
import { basename, resolve } from 'node:path';
import type { Config } from '#processes/config.ts';
import { interruptible } from './interruptible.ts';

/** Writes a backup of the database into a new file and says what was done; the product may keep running. */
export async function backupCommand(config: Config, file: string, say: (line: string) => void): Promise<void> {
  await withDatabase(config, async (url) => {
    const made = await backup(url, resolve(file));
    const db = openDatabase(url, { connections: 1 });
    try {
      await writeAudit(db, { actorId: null, actorRole: null, action: 'backup', target: basename(file), result: 'ok' });
    } finally {
      await db.destroy();
    }
    say(`Backup of ${made.madeAt} written: ${resolve(file)} (${(made.bytes / 1e6).toFixed(1)} MB, ${made.tables} tables).`);
    say(`The key that opens sealed secrets is not in it. Keep a copy of ${config.home}/keys/master.key in another place.`);
  });
}

/**
 * Does a piece of work on the database of DATABASE_URL, or on the embedded one, running or not. Where a home had one that is not there any more only a restore,
 * which fills it, may make another: the next start would find that in the way. Fails: Error with what to do
 */
export async function withDatabase<T>(
  config: Pick<Config, 'databaseUrl' | 'home'>,
  work: (databaseUrl: string) => Promise<T>,
  { fillsIt = false } = {},
): Promise<T> {
  const { databaseUrl, home } = config;
  if (databaseUrl === null && !fillsIt && embeddedData(home) === null) refuseLostData(home);
  if (databaseUrl === null) return interruptible((each) => withEmbeddedServer(home, each), work);
  const db = openDatabase(databaseUrl, { connections: 1 });
  try {
    await checkServerVersion(db);
  } finally {
    await db.destroy();
  }
  return work(databaseUrl);
}
