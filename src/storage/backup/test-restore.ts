import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Client } from 'pg';
import { countContents } from './backup-contents.ts';
import { openBackupFile } from './backup-file.ts';
import { withScratchDatabase } from '../embedded/scratch-database.ts';
import { restore } from './restore.ts';

/**
 * Restores a backup into a database aside and compares what is there with what the backup's head says; null when it is the same,
 * else the difference. The database aside is dropped.
 *
 * Fails: as `restore` does; and with one sentence when the disk has no room for a second copy
 */
export async function testRestore(databaseUrl: string, file: string): Promise<string | null> {
  const { header } = await openBackupFile(file);
  const { contents } = header;
  if (contents === undefined) throw new Error('The backup does not say what it holds; it is of an earlier version.');
  await refuseFullDisk(databaseUrl, file);
  return withScratchDatabase(databaseUrl, async (scratchUrl) => {
    await restore(scratchUrl, file);
    const restored = await onClient(scratchUrl, countContents);
    const tables = Object.keys({ ...contents.rows, ...restored.rows }).filter((table) => contents.rows[table] !== restored.rows[table]);
    const [table] = tables;
    if (table !== undefined)
      return `${table} has ${restored.rows[table] ?? 0} rows instead of ${contents.rows[table] ?? 0}, and ${tables.length - 1} other tables differ.`;
    if (restored.closedProfit !== contents.closedProfit)
      return `The profits of closed trades add up to ${restored.closedProfit} instead of ${contents.closedProfit}.`;
    return null;
  });
}

/** The copy must leave as much room as it takes: the running database needs it more. */
async function refuseFullDisk(databaseUrl: string, file: string): Promise<void> {
  const { rows } = await onClient(databaseUrl, (client) =>
    client.query<{ size: string }>('select pg_database_size(current_database()) as size'),
  );
  const { bavail, bsize } = await statfs(dirname(file));
  if (bavail * bsize < 2 * Number(rows[0]?.size)) throw new Error('The disk has no room for a second copy of the database.');
}

async function onClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000, application_name: 'flotilla restore test' });
  client.on('error', () => {}); // reported by the call in flight
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
