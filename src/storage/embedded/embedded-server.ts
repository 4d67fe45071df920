import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, realpathSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientConfig } from 'pg';
import { Client } from 'pg';
import { findBinaries, packageFolder } from './binaries.ts';
import type { Cluster } from './cluster.ts';
import { as, openCluster } from './cluster.ts';
import { freePort } from './free-port.ts';
import { clearStaleLock, isServerOf, livingServer } from './lock-file.ts';
import { serverPlace } from './server-place.ts';
import { serverUser, userOfData } from './server-user.ts';
import { oneStarter } from './start-lock.ts';

/** A running embedded PostgreSQL. */
export interface EmbeddedServer {
  url: string; // postgresql://flotilla:...@127.0.0.1:port/postgres
  pid: number;
  adopted: boolean; // it was running already: another program's, or left over by one that was killed
  /** Whether its process runs; false also for one that has died and was not collected, or whose number is another's now. */
  isRunning(): boolean;
  /** Stops it the fast way, within 10 s: sessions end, everything acknowledged is on the disk. */
  stop(): Promise<void>;
  /** Stops it unless another program has a session on it. */
  stopUnlessUsed(): Promise<void>;
}

/** What may stand in for this machine's own. */
export interface EmbeddedOptions {
  packageFolder?: string; // where the binaries' package lies
  findPort?: () => Promise<number>;
  isGivenUp?: () => boolean; // nobody waits for the start any more
}

/** How long a session that was ended by its program may go on being listed by the server. */
const endingMs = 2_000;

/** How long a server that is to be stopped may take to say who uses it. */
const answerMs = 2_000;

/** How long a server may take to recover from its log before the start gives up. */
const patienceMs = 600_000;

/**
 * Starts the PostgreSQL of the instance at `home`, or adopts it when it still runs.
 *
 * It listens on loopback only, on a free port below the ephemeral range, in a process group of its own, so that Ctrl-C
 * reaches this program first.
 *
 * Fails: with one sentence naming DATABASE_URL where it cannot run at all; with one sentence when its password or its
 * data cannot be used, and when it was given up before the server answered
 */
export async function startEmbeddedServer(home: string, options: EmbeddedOptions = {}): Promise<EmbeddedServer> {
  const user = serverUser();
  const packaged = options.packageFolder ?? packageFolder();
  mkdirSync(home, { recursive: true });
  const place = serverPlace(realpathSync(home), user);
  return oneStarter(place, async () => {
    const folder = join(place, 'data');
    const owner = userOfData(folder, user);
    const binaries = findBinaries(place, owner, packaged);
    const cluster = openCluster(binaries, folder, join(home, 'database-password'), owner);
    const isGivenUp = options.isGivenUp ?? (() => false);
    let failure: unknown = null;
    for (let attempt = 1; attempt <= 10; attempt++) {
      const left = livingServer(folder);
      if (left !== null) {
        const isAlive = (): boolean => isServerOf(left.pid, folder) && !isGivenUp();
        if (await reach(cluster, left.port, isAlive)) return running(cluster, left.pid, left.port, true);
        if (isGivenUp()) throw givenUp();
        continue;
      }
      clearStaleLock(folder);
      const port = await (options.findPort ?? freePort)();
      const log = openLog(join(place, 'postgres.log'));
      const child = spawn(join(binaries, 'bin', 'postgres'), ['-D', folder, '-p', String(port)], {
        ...as(owner),
        cwd: folder,
        detached: true,
        stdio: ['ignore', log, log],
      });
      closeSync(log);
      child.unref();
      let hasEnded = false;
      child.once('exit', () => (hasEnded = true));
      child.once('error', (error) => {
        failure = error;
        hasEnded = true;
      });
      const server = running(cluster, child.pid ?? 0, port, false);
      if (await reach(cluster, port, () => !hasEnded && !isGivenUp())) return server;
      if (isGivenUp()) {
        await server.stop();
        throw givenUp();
      }
      // The port was taken in between, or processes of a server that was killed are still going: try again.
      await sleep(300 * attempt);
    }
    throw new Error(`The embedded database did not start; see ${join(place, 'postgres.log')}`, { cause: failure });
  });
}

function givenUp(): Error {
  return new Error('The start was stopped before the embedded database answered.');
}

/** Opens the server's log for writing; a long one is put aside. It stays this program's: the server only gets the handle. */
function openLog(path: string): number {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 10_000_000) renameSync(path, `${path}.1`);
  return openSync(path, 'a', 0o600);
}

/**
 * Waits until the cluster's own server answers at the port; false when it ends before.
 *
 * Fails: when the server is the cluster's own and refuses its password
 */
async function reach(cluster: Cluster, port: number, isAlive: () => boolean): Promise<boolean> {
  for (const start = Date.now(); isAlive(); await sleep(20)) {
    const client = new Client({ ...connection(cluster, port), connectionTimeoutMillis: 2_000 });
    client.on('error', () => {}); // reported by the call in flight
    try {
      await client.connect();
      const answer = await client.query<{ data_directory: string }>('show data_directory');
      if (answer.rows[0]?.data_directory === cluster.folder) return true;
    } catch (error) {
      // Everything but a wrong password means: not ready yet.
      if ((error as { code?: string }).code === '28P01') await refuseOwnServer(cluster, port);
    } finally {
      await client.end().catch(() => {}); // it may never have been connected
    }
    if (Date.now() - start > patienceMs)
      throw new Error(`The embedded database in ${cluster.folder} is still recovering. Start again later.`);
  }
  return false;
}

async function refuseOwnServer(cluster: Cluster, port: number): Promise<void> {
  const server = livingServer(cluster.folder);
  if (server?.port !== port) return; // somebody else's server answered
  await running(cluster, server.pid, port, true).stop();
  throw new Error(`The embedded database refuses the password in ${cluster.passwordFile}. Put the right file back.`);
}

function connection(cluster: Cluster, port: number): ClientConfig {
  return { host: '127.0.0.1', port, user: 'flotilla', password: cluster.password, database: 'postgres', ssl: false };
}

function running(cluster: Cluster, pid: number, port: number, adopted: boolean): EmbeddedServer {
  const isAlive = (): boolean => isServerOf(pid, cluster.folder);
  const endsWithin = async (ms: number): Promise<boolean> => {
    for (const start = Date.now(); isAlive(); await sleep(20)) if (Date.now() - start > ms) return false;
    return true;
  };
  const stop = async (): Promise<void> => {
    for (const [signal, ms] of [
      ['SIGINT', 7_000],
      ['SIGQUIT', 1_000], // it recovers from its log at the next start
      ['SIGKILL', 1_000], // the same, for one that is frozen: its sessions see that it is gone
    ] as const) {
      if (!isAlive()) return;
      try {
        process.kill(pid, signal);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
      if (await endsWithin(ms)) return;
    }
  };
  return {
    url: `postgresql://flotilla:${cluster.password}@127.0.0.1:${port}/postgres`,
    pid,
    adopted,
    isRunning: isAlive,
    stop,
    async stopUnlessUsed() {
      for (const start = Date.now(); await hasOtherSessions(connection(cluster, port)); await sleep(50))
        if (Date.now() - start > endingMs) return;
      await stop();
    },
  };
}

/** Whether others use the server, as when it is too full to say so; one that is dead or frozen is of use to nobody. */
async function hasOtherSessions(config: ClientConfig): Promise<boolean> {
  const client = new Client({ ...config, connectionTimeoutMillis: answerMs, query_timeout: answerMs });
  client.on('error', () => {}); // reported by the call in flight
  try {
    await client.connect();
    const { rows } = await client.query(
      `select 1 from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() limit 1`,
    );
    return rows.length > 0;
  } catch (error) {
    return (error as { code?: string }).code === '53300'; // too many connections
  } finally {
    await client.end().catch(() => {}); // it may never have been connected
  }
}
