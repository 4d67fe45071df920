import { stat, statfs } from 'node:fs/promises';
import { Client } from 'pg';
import { contentsFault, readContents } from './backup-contents.ts';
import { openBackupFile } from './backup-file.ts';
import { dropScratchDatabase, withScratchDatabase } from '../embedded/scratch-database.ts';
import { giveWay } from '../embedded/give-way.ts';
import { restore } from './restore.ts';

/**
 * Restores a backup into a database aside and compares what is there with what the backup's head says; null when it is the same,
 * else the difference. The database aside is dropped. Others on this machine come first.
 *
 * Fails: as `restore` does; `NoRoom` when the disk has none for a second copy
 */
export async function testRestore(databaseUrl: string, file: string): Promise<string | null> {
  const { header } = await openBackupFile(file);
  // Before one is made, which takes room itself, and when that of a copy left over is free again.
  await refuseFullDisk(await dropScratchDatabase(databaseUrl), copies * (await sizeOf(databaseUrl)), 'a second copy of the database');
  return withScratchDatabase(databaseUrl, async (scratchUrl) => {
    await restore(scratchUrl, file, { givesWay: true });
    return contentsFault(header.contents, await onClient(scratchUrl, readContents));
  });
}

/** The disk is too full for something: it was not begun, since the running database needs what is left. */
export class NoRoom extends Error {}

/**
 * Looks whether there is room for a backup in a folder and for its test, before either is begun: it takes none itself. A copy that a killed test has
 * left goes first. `bytes` is what the backup is expected to take; null: a fifth of what the database takes, since it is compressed.
 *
 * Fails: `NoRoom` with what is needed and what is free
 */
export async function refuseWithoutRoom(databaseUrl: string, folder: string, bytes: number | null): Promise<void> {
  const dataFolder = await dropScratchDatabase(databaseUrl);
  const size = await sizeOf(databaseUrl);
  const ofFile = bytes ?? size / 5;
  const isOneDisk = (await stat(folder)).dev === (await stat(dataFolder)).dev;
  if (isOneDisk) return refuseFullDisk(dataFolder, ofFile + copies * size, 'a backup and its test');
  refuseBelow(ofFile, await statfs(folder), folder, 'a backup');
  return refuseFullDisk(dataFolder, copies * size, 'the test of a backup');
}

/** The copy must leave as much room as it takes: the running database needs it more. */
const copies = 2;

async function refuseFullDisk(dataFolder: string, bytes: number, what: string): Promise<void> {
  refuseBelow(bytes, await statfs(dataFolder), dataFolder, what);
}

function refuseBelow(bytes: number, { bavail, bsize }: { bavail: number; bsize: number }, folder: string, what: string): void {
  const free = bavail * bsize;
  if (free >= bytes) return;
  const [takes, left] = [Math.ceil(bytes / 1e6), Math.floor(free / 1e6)].map(megabytes);
  throw new NoRoom(`There is no room for ${what} in ${folder}: that takes ${takes}, and ${left} are free.`);
}

function megabytes(count: number): string {
  return `${count.toLocaleString('en')} MB`;
}

async function sizeOf(databaseUrl: string): Promise<number> {
  const { rows } = await onClient(databaseUrl, (client) =>
    client.query<{ size: string }>('select pg_database_size(current_database()) as size'),
  );
  return Number(rows[0]?.size);
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
