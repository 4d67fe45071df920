import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, resolve } from 'node:path';

/** The user the database server runs as. Null ids mean: the user of this program. */
export interface ServerUser {
  uid: number | null;
  gid: number | null;
}

/** The sentence that leads out of a place where the embedded database cannot run. */
export const useDatabaseUrl = 'Set DATABASE_URL to a PostgreSQL server (15 or newer) and start again.';

/**
 * The user the database server must run as: PostgreSQL refuses root, so root's server runs as `postgres` where that
 * user exists, else as `nobody`. No user is made.
 *
 * Fails: with one sentence when the program's user has no entry in the user table, which PostgreSQL needs
 */
export function serverUser(uid: number = process.getuid?.() ?? -1, passwd: string = readPasswd()): ServerUser {
  if (uid !== 0) {
    try {
      userInfo();
    } catch (cause) {
      throw new Error(`The embedded database cannot run as user ${uid}, which has no name on this machine. ${useDatabaseUrl}`, { cause });
    }
    return { uid: null, gid: null };
  }
  for (const name of ['postgres', 'nobody']) {
    const fields = passwd
      .split('\n')
      .map((line) => line.split(':'))
      .find((line) => line[0] === name);
    if (fields !== undefined) return { uid: Number(fields[2]), gid: Number(fields[3]) };
  }
  return { uid: 65_534, gid: 65_534 };
}

/**
 * The user for a data folder that may be there already: its owner, whom PostgreSQL insists on.
 *
 * Fails: with one sentence when this program cannot run a server as that owner
 */
export function userOfData(folder: string, user: ServerUser): ServerUser {
  if (!existsSync(folder)) return user;
  const { uid, gid } = statSync(folder);
  if (user.uid !== null) {
    if (uid !== 0) return { uid, gid };
    throw new Error(
      `The data folder ${folder} belongs to root, whom PostgreSQL refuses. Give it back: chown -R ${user.uid}:${user.gid} ${folder}`,
    );
  }
  const own = process.getuid?.();
  if (own !== undefined && uid !== own) {
    throw new Error(`The data folder ${folder} belongs to user ${uid}, but this is user ${own}. Start as that user or as root.`);
  }
  return user;
}

/** Whether the user can get at the path: every folder on the way lets it pass, and a file may be run by it. */
export function canTraverse(path: string, user: ServerUser): boolean {
  if (user.uid === null) {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  }
  for (let at = resolve(path); ; at = dirname(at)) {
    const { mode, uid, gid } = statSync(at);
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

function readPasswd(): string {
  try {
    return readFileSync('/etc/passwd', 'utf8');
  } catch {
    return ''; // no such file outside Unix; the ids below serve
  }
}
