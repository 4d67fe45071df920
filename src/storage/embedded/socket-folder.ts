import { createHash } from 'node:crypto';
import { chmodSync, chownSync, lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerUser } from './server-user.ts';

/** The number in the socket's name. The folder holds no other socket, so it need not be free on the machine. */
export const socketPort = 5432;

/** The file that the server of a socket folder listens on. */
export const socketIn = (folder: string): string => join(folder, `.s.PGSQL.${socketPort}`);

const longestPath = process.platform === 'darwin' ? 103 : 107; // bytes the kernel has for the path of a socket

/**
 * The folder of the server's socket, made when missing, open to the server's user alone: below `place`, or, where that
 * path is too long for a socket, a short one in the folder for temporary files.
 *
 * Fails: with one sentence when somebody else has made the folder
 */
export function socketFolder(place: string, user: ServerUser): string {
  const folder = candidates(place).find((path) => Buffer.byteLength(socketIn(path)) <= longestPath);
  if (folder === undefined) throw new Error(`The path ${place} is too long for the database's socket. Set FLOTILLA_HOME to a shorter one.`);
  const own = process.getuid?.() ?? -1;
  const uid = user.uid ?? own;
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const found = lstatSync(folder); // never through a link: it might lead anywhere
  if (!found.isDirectory() || (found.uid !== uid && found.uid !== own))
    throw new Error(`The folder ${folder}, meant for the database's socket, belongs to somebody else. Remove it and start again.`);
  if (found.uid !== uid) chownSync(folder, uid, user.gid ?? found.gid); // made just now, or by a start that was cut short
  if ((found.mode & 0o777) !== 0o700) chmodSync(folder, 0o700);
  return folder;
}

function candidates(place: string): string[] {
  const name = `flotilla-${createHash('sha256').update(place).digest('hex').slice(0, 16)}`;
  return [join(place, 'socket'), join(tmpdir(), name), join('/tmp', name)];
}
