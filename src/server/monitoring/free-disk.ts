import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';

/** With less room than this the state of the platform is degraded: a database whose disk is full takes no writes. */
export const lowDiskBytes = 300_000_000;

/** The room that is left for this program on the disk of each folder, the least of them; folders that are not there do not count. */
export async function freeDiskBytes(folders: readonly string[]): Promise<number> {
  const rooms = await Promise.all(
    folders
      .filter((folder) => existsSync(folder))
      .map(async (folder) => {
        const { bavail, bsize } = await statfs(folder);
        return bavail * bsize;
      }),
  );
  return Math.min(...rooms);
}
