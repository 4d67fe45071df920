import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { BinariesFolder } from './binaries.ts';
import type { ServerUser } from './server-user.ts';

/** The data of one embedded server: its folder and the password of its owner, `flotilla`. */
export interface Cluster {
  folder: string;
  password: string;
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
 * leaves either no cluster or a whole one. The password lies in `passwordFile`, mode 0600, written before the rename.
 */
export function openCluster(binaries: BinariesFolder, folder: string, passwordFile: string, user: ServerUser): Cluster {
  if (existsSync(join(folder, 'PG_VERSION'))) return { folder, password: readFileSync(passwordFile, 'utf8').trim() };
  const aside = `${folder}.new`;
  rmSync(aside, { recursive: true, force: true });
  mkdirSync(dirname(folder), { recursive: true });
  mkdirSync(aside, { mode: 0o700 });
  const password = randomBytes(24).toString('base64url');
  const passwordForInitdb = `${aside}.password`;
  writeFileSync(passwordForInitdb, password, { mode: 0o600 });
  own(aside, user);
  own(passwordForInitdb, user);
  execFileSync(
    join(binaries, 'bin', 'initdb'),
    ['-D', aside, '-U', 'flotilla', '--pwfile', passwordForInitdb, '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C'],
    { stdio: ['ignore', 'ignore', 'pipe'], ...as(user), cwd: dirname(folder), env: { ...process.env, TZ: 'UTC' } },
  );
  appendFileSync(join(aside, 'postgresql.conf'), settings);
  sync(join(aside, 'postgresql.conf'));
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  sync(passwordFile);
  sync(aside);
  rmSync(passwordForInitdb);
  renameSync(aside, folder);
  sync(dirname(folder));
  return { folder, password };
}

/** The options that make a child process run as the user. */
export function as(user: ServerUser): { uid?: number; gid?: number } {
  return user.uid === null || user.gid === null ? {} : { uid: user.uid, gid: user.gid };
}

function own(path: string, user: ServerUser): void {
  if (user.uid !== null && user.gid !== null) chownSync(path, user.uid, user.gid);
  else chmodSync(path, path.endsWith('.password') ? 0o600 : 0o700);
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
}
