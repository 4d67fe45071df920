import { statfs } from 'node:fs/promises';
import { Client } from 'pg';
import { contentsFault, readContents } from './backup-contents.ts';
import { openBackupFile } from './backup-file.ts';
import { withScratchDatabase } from '../embedded/scratch-database.ts';
import { giveWay } from '../embedded/give-way.ts';
import { restore } from './restore.ts';

/**
 * Restores a backup into a database aside and compares what is there with what the backup's head says; null when it is the same,
 * else the difference. The database aside is dropped. Others on this machine come first.
 *
 * Fails: as `restore` does; and with one sentence when the disk has no room for a second copy
 */
export async function testRestore(databaseUrl: string, file: string): Promise<string | null> {
  const { header } = await openBackupFile(file);
  return withScratchDatabase(databaseUrl, async (scratchUrl, dataFolder) => {
    await refuseFullDisk(databaseUrl, dataFolder); // now that the room of a copy left over is free again
    await restore(scratchUrl, file, { givesWay: true });
    return contentsFault(header.contents, await onClient(scratchUrl, readContents));
  });
}

/** The copy must leave as much room as it takes: the running database needs it more. */
async function refuseFullDisk(databaseUrl: string, dataFolder: string): Promise<void> {
  const { rows } = await onClient(databaseUrl, (client) =>
    client.query<{ size: string }>('select pg_database_size(current_database()) as size'),
  );
  const { bavail, bsize } = await statfs(dataFolder);
  if (bavail * bsize < 2 * Number(rows[0]?.size)) throw new Error('The disk of the database has no room for a second copy of it.');
}

async function onClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000, application_name: 'flotilla restore test' });
  client.on('error', () => {}); // reported by the call in flight
  await client.connect();
  try {
    await giveWay(client);
    return await work(client);
  } finally {
    await client.end();
  }
}
