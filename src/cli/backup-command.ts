import { writeAudit } from '#storage/audit/audit-log.ts';
import { backup } from '#storage/backup/backup.ts';
import { checkServerVersion, openDatabase } from '#storage/database.ts';
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

/** Does a piece of work on the database of DATABASE_URL, or on the embedded one, running or not. */
export async function withDatabase<T>(config: Config, work: (databaseUrl: string) => Promise<T>): Promise<T> {
  const { databaseUrl } = config;
  if (databaseUrl === null) return interruptible((each) => withEmbeddedServer(config.home, each), work);
  const db = openDatabase(databaseUrl, { connections: 1 });
  try {
    await checkServerVersion(db);
  } finally {
    await db.destroy();
  }
  return work(databaseUrl);
}
