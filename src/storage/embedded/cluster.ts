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
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { BinariesFolder } from './binaries.ts';
import { postgresMajor } from './binaries.ts';
import { superuser, writeAccessRules } from './access-rules.ts';
import type { ServerUser } from './server-user.ts';

const settings = `
# Flotilla
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
 * still be writing into its own.
 *
 * Fails: with one sentence when the data is another PostgreSQL's
 */
export function openCluster(binaries: BinariesFolder, folder: string, user: ServerUser): void {
  removeAsides(folder);
  if (existsSync(folder)) return refuseOtherMajor(folder);
  const aside = `${folder}.new-${randomBytes(6).toString('hex')}`;
  mkdirSync(aside, { mode: 0o700 });
  own(aside, user);
  try {
    execFileSync(
      join(binaries, 'bin', 'initdb'),
      ['-D', aside, '-U', superuser, '--auth-local=peer', '--auth-host=reject', '--encoding=UTF8', '--locale=C'],
      { stdio: ['ignore', 'ignore', 'pipe'], ...as(user), cwd: dirname(folder), env: { ...process.env, TZ: 'UTC' } },
    );
  } catch (cause) {
    const output = String((cause as { stderr?: Buffer }).stderr ?? '').trim();
    throw new Error(`The embedded database could not be made: ${output || (cause as Error).message}`, { cause });
  }
  appendFileSync(join(aside, 'postgresql.conf'), settings);
  sync(join(aside, 'postgresql.conf'));
  writeAccessRules(aside, user);
  sync(aside);
  try {
    renameSync(aside, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(aside, { recursive: true, force: true }); // another starter was first
  }
  sync(dirname(folder));
}

/** The options that make a child process run as the user. */
export function as(user: ServerUser): { uid?: number; gid?: number } {
  return user.uid === null || user.gid === null ? {} : { uid: user.uid, gid: user.gid };
}

function own(path: string, user: ServerUser): void {
  if (user.uid !== null && user.gid !== null) chownSync(path, user.uid, user.gid);
}

function refuseOtherMajor(folder: string): void {
  const made = readFileSync(join(folder, 'PG_VERSION'), 'utf8').trim();
  if (made === postgresMajor) return;
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
