import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, chownSync, closeSync, constants, existsSync, mkdirSync, openSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findBinaries } from './binaries.ts';
import type { Cluster } from './cluster.ts';
import { as, openCluster } from './cluster.ts';
import type { ServerUser } from './server-user.ts';
import { canTraverse, serverUser } from './server-user.ts';

/** A running embedded PostgreSQL. */
export interface EmbeddedServer {
  url: string; // postgresql://flotilla:...@127.0.0.1:port/postgres
  pid: number;
  adopted: boolean; // it was running already, left over by a program that was killed
  /** Stops it the fast way: sessions end, everything acknowledged is on the disk. */
  stop(): Promise<void>;
}

/**
 * Starts the PostgreSQL of the instance at `home`, or adopts it when it still runs.
 *
 * It listens on loopback only, on a free port below the ephemeral range, in a process group of its own, so that Ctrl-C
 * reaches this program first.
 *
 * Fails: with one sentence naming DATABASE_URL where it cannot run at all
 */
export async function startEmbeddedServer(home: string): Promise<EmbeddedServer> {
  const user = serverUser();
  mkdirSync(home, { recursive: true });
  const place = realpathSync(serverHome(home, user)); // the server tells its real path, and it is compared
  const binaries = findBinaries(place, user);
  const folder = join(place, 'data');
  const cluster = openCluster(binaries, folder, join(home, 'database-password'), user);

  for (let attempt = 1; ; attempt++) {
    const left = leftOver(folder);
    if (left !== null) {
      const adopted = await tryConnect(cluster, left.port, 15_000);
      if (adopted) return running(cluster, left.pid, left.port, true);
    }
    const port = await freePort();
    const log = openSync(join(place, 'postgres.log'), 'a', 0o600);
    if (user.uid !== null && user.gid !== null) chownSync(join(place, 'postgres.log'), user.uid, user.gid);
    const child = spawn(join(binaries, 'bin', 'postgres'), ['-D', folder, '-p', String(port)], {
      ...as(user),
      cwd: folder,
      detached: true,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    child.unref();
    let ended = false;
    child.once('exit', () => (ended = true));
    child.once('error', () => (ended = true));
    if (await tryConnect(cluster, port, 60_000, () => ended)) return running(cluster, child.pid ?? 0, port, false);
    // A server that was killed may still be a zombie holding its lock, or the port was taken in between: try again.
    if (attempt === 10) throw new Error(`The embedded database did not start; see ${join(place, 'postgres.log')}`);
    await sleep(300 * attempt);
  }
}

/** Where the server's own files lie: below the instance folder, or where its user can reach them. */
function serverHome(home: string, user: ServerUser): string {
  const inside = join(home, 'postgres');
  if (existsSync(join(inside, 'data')) || reachable(home, user)) {
    mkdirSync(inside, { recursive: true, mode: 0o755 });
    return inside;
  }
  const instance = createHash('sha256').update(home).digest('hex').slice(0, 12);
  const outside = join('/var/lib/flotilla', instance);
  mkdirSync(outside, { recursive: true, mode: 0o755 });
  return outside;
}

function reachable(home: string, user: ServerUser): boolean {
  if (!canTraverse(home, user)) return false;
  try {
    accessSync(home, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** The server that the lock file names, when it lives; a stale lock file of a dead or foreign process is removed. */
function leftOver(folder: string): { pid: number; port: number } | null {
  const lock = join(folder, 'postmaster.pid');
  if (!existsSync(lock)) return null;
  const lines = readFileSync(lock, 'utf8').split('\n');
  const pid = Number(lines[0]);
  const port = Number(lines[3]);
  if (isServerOf(pid, folder)) return Number.isInteger(port) && port > 0 ? { pid, port } : null;
  if (!isZombie(pid)) rmSync(lock, { force: true });
  return null;
}

function isServerOf(pid: number, folder: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  if (process.platform !== 'linux') return true; // no cheap way to look; connecting decides
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return command.includes('postgres') && command.includes(folder);
  } catch {
    return false;
  }
}

function isZombie(pid: number): boolean {
  try {
    return /\) Z /u.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** A port nobody listens on, below the range that outgoing connections are given. */
async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const free = await new Promise<boolean>((resolve) => {
      const probe = createServer();
      probe.once('error', () => resolve(false));
      probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
    });
    if (free) return port;
  }
  throw new Error('No free port between 20000 and 32000 for the embedded database');
}

async function tryConnect(cluster: Cluster, port: number, patienceMs: number, hasEnded: () => boolean = () => false): Promise<boolean> {
  for (const start = Date.now(); Date.now() - start < patienceMs && !hasEnded(); await sleep(20)) {
    const client = new pg.Client({ ...connection(cluster, port), connectionTimeoutMillis: 2_000 });
    client.on('error', () => {}); // reported by the call in flight
    try {
      await client.connect();
      const answer = await client.query<{ data_directory: string }>('show data_directory');
      return answer.rows[0]?.data_directory === cluster.folder;
    } catch (error) {
      // 28P01: another server answers at this port; anything else: not ready yet.
      if ((error as { code?: string }).code === '28P01') return false;
    } finally {
      await client.end().catch(() => {}); // it may never have been connected
    }
  }
  return false;
}

function connection(cluster: Cluster, port: number) {
  return { host: '127.0.0.1', port, user: 'flotilla', password: cluster.password, database: 'postgres' };
}

function running(cluster: Cluster, pid: number, port: number, adopted: boolean): EmbeddedServer {
  return {
    url: `postgresql://flotilla:${cluster.password}@127.0.0.1:${port}/postgres`,
    pid,
    adopted,
    async stop() {
      const isAlive = (): boolean => !isZombie(pid) && isServerOf(pid, cluster.folder);
      if (!isAlive()) return;
      process.kill(pid, 'SIGINT');
      for (const start = Date.now(); isAlive(); await sleep(20)) {
        if (Date.now() - start > 9_000) {
          process.kill(pid, 'SIGQUIT'); // it recovers from its log at the next start
          return;
        }
      }
    },
  };
}
