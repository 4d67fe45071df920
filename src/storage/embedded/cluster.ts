import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { BinariesFolder } from './binaries.ts';
import { postgresMajor } from './binaries.ts';
import { makePassword, readPassword } from './password-file.ts';
import type { ServerUser } from './server-user.ts';

/** The data of one embedded server: its folder and the password of its owner, `flotilla`. */
export interface Cluster {
  folder: string;
  password: string;
  passwordFile: string;
}

const settings = `
# Flotilla
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 100
shared_buffers = 128MB
fsync = on
full_page_writes = on
synchronous_commit = on
log_timezone = 'UTC'
timezone = 'UTC'
`;

/**
 * Opens the cluster at `folder`, making it when there is none.
 *
 * It is made in a folder aside and renamed when everything is on the disk, so that a start cut short at any moment
 * leaves either no cluster or a whole one. Each start has an aside of its own: the initdb of a start that was killed may
 * still be writing into its own. The password lies in `passwordFile`, mode 0600, and is there before the cluster.
 *
 * Fails: with one sentence when the password is missing or the data is another PostgreSQL's
 */
export function openCluster(binaries: BinariesFolder, folder: string, passwordFile: string, user: ServerUser): Cluster {
  removeAsides(folder);
  if (existsSync(folder)) return { folder, password: readPassword(passwordFile, folder), passwordFile: ofOurMajor(folder, passwordFile) };
  const password = makePassword(passwordFile);
  const aside = `${folder}.new-${randomBytes(6).toString('hex')}`;
  const passwordForInitdb = `${aside}.password`;
  mkdirSync(aside, { mode: 0o700 });
  writeFileSync(passwordForInitdb, password, { mode: 0o600 });
  own(aside, user);
  own(passwordForInitdb, user);
  try {
    execFileSync(
      join(binaries, 'bin', 'initdb'),
      ['-D', aside, '-U', 'flotilla', '--pwfile', passwordForInitdb, '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C'],
      { stdio: ['ignore', 'ignore', 'pipe'], ...as(user), cwd: dirname(folder), env: { ...process.env, TZ: 'UTC' } },
    );
  } catch (cause) {
    const told = String((cause as { stderr?: Buffer }).stderr ?? '').trim();
    throw new Error(`The embedded database could not be made: ${told || (cause as Error).message}`, { cause });
  } finally {
    rmSync(passwordForInitdb, { force: true });
  }
  appendFileSync(join(aside, 'postgresql.conf'), settings);
  sync(join(aside, 'postgresql.conf'));
  sync(aside);
  sync(dirname(passwordFile));
  try {
    renameSync(aside, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(aside, { recursive: true, force: true }); // another starter was first; it has the same password
  }
  sync(dirname(folder));
  return { folder, password, passwordFile };
}

/** The options that make a child process run as the user. */
export function as(user: ServerUser): { uid?: number; gid?: number } {
  return user.uid === null || user.gid === null ? {} : { uid: user.uid, gid: user.gid };
}

function own(path: string, user: ServerUser): void {
  if (user.uid !== null && user.gid !== null) chownSync(path, user.uid, user.gid);
}

function ofOurMajor(folder: string, passwordFile: string): string {
  const made = readFileSync(join(folder, 'PG_VERSION'), 'utf8').trim();
  if (made === postgresMajor) return passwordFile;
  throw new Error(
    `The data in ${folder} is PostgreSQL ${made}'s, this version brings ${postgresMajor}. Make a backup with the earlier version of Flotilla, move the folder away, and restore the backup.`,
  );
}

/** Removes what starts that were killed have left; what is young may still be written to, and goes at a later start. */
function removeAsides(folder: string): void {
  const name = `${basename(folder)}.new-`;
  for (const entry of readdirSync(dirname(folder))) {
    const path = join(dirname(folder), entry);
    const changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (entry.startsWith(name) && Date.now() - changedAt > 600_000) rmSync(path, { recursive: true, force: true });
  }
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
}
