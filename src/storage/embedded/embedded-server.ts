import { spawn } from 'node:child_process';
import { closeSync, openSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientConfig } from 'pg';
import { Client } from 'pg';
import { superuser, writeAccessRules } from './access-rules.ts';
import { findBinaries, packageFolder } from './binaries.ts';
import { as, openCluster } from './cluster.ts';
import { clearStaleLock, isServerOf, livingServer } from './lock-file.ts';
import { makeFolder } from './make-folder.ts';
import { makeProductRole } from './product-role.ts';
import { serverUrl } from './running-server.ts';
import { serverPlace } from './server-place.ts';
import { serverUser, userOfData } from './server-user.ts';
import { socketFolder, socketIn, socketPort } from './socket-folder.ts';
import { oneStarter } from './start-lock.ts';

/** A running embedded PostgreSQL. */
export interface EmbeddedServer {
  url: string; // of the role that the product works as, e.g. postgresql://flotilla_app@localhost:5432/postgres?host=/srv/home/postgres/socket
  pid: number;
  adopted: boolean; // it was running already: another program's, or left over by one that was killed
  /** Whether its process runs; false also for one that has died and was not collected, or whose number is another's now. */
  isRunning(): boolean;
  /** Whether it answers a new session, or refuses one, within a few seconds; a frozen one does not. */
  answers(): Promise<boolean>;
  /** Stops it the fast way, within 10 s: sessions end, everything acknowledged is on the disk. */
  stop(): Promise<void>;
  /** Stops it unless another program has a session on it. */
  stopUnlessUsed(): Promise<void>;
}

/** What may stand in for this machine's own. */
export interface EmbeddedOptions {
  packageFolder?: string; // where the binaries' package lies
  isGivenUp?: () => boolean; // nobody waits for the start any more
  times?: Partial<StopTimes>; // the product's where not given
}

/** How long a server that is to be stopped, or is asked whether it answers, is waited for, in ms. */
interface StopTimes {
  endingMs: number; // a session that was ended by its program may still be listed by the server for so long
  answerMs: number; // a server may take so long to say who uses it
}

const stopTimes: StopTimes = { endingMs: 3_000, answerMs: 2_000 };

/** How long a server may take to recover from its log before the start gives up. */
const patienceMs = 600_000;

/** Where a server runs: its data, and the folder of its socket. */
interface Place {
  data: string;
  sockets: string;
}

/**
 * Starts the PostgreSQL of the instance at `home`, or adopts it when it still runs.
 *
 * It listens on no port, only on a socket in a folder that is open to its user alone, and runs in a process group of its
 * own, so that Ctrl-C reaches this program first. A home of an earlier version, whose server listened on a port and asked
 * for a password, is changed over here.
 *
 * Fails: with one sentence naming DATABASE_URL where it cannot run at all; with one sentence when its data cannot be
 * used, and when it was given up before the server answered
 */
export async function startEmbeddedServer(home: string, options: EmbeddedOptions = {}): Promise<EmbeddedServer> {
  const user = serverUser();
  const packaged = options.packageFolder ?? packageFolder();
  makeHomeFolder(home);
  const place = serverPlace(realpathSync(home), user);
  return oneStarter(place, async () => {
    const data = join(place, 'data');
    const owner = userOfData(data, user);
    const binaries = findBinaries(place, owner, packaged);
    openCluster(binaries, data, owner);
    const sockets = socketFolder(place, owner);
    const isGivenUp = options.isGivenUp ?? (() => false);
    const times = { ...stopTimes, ...options.times };
    let failure: unknown = null;
    for (let attempt = 1; attempt <= 10; attempt++) {
      const left = livingServer(data);
      if (left !== null && left.socketFolder === null) {
        await running({ data, sockets }, left.pid, true, times).stop(); // an earlier version's: it is started again without a port
        continue;
      }
      if (left !== null) {
        const at = { data, sockets: left.socketFolder ?? sockets };
        if (await reach(at, () => isServerOf(left.pid, data) && !isGivenUp())) return running(at, left.pid, true, times);
        if (isGivenUp()) throw givenUp();
        continue;
      }
      clearStaleLock(data);
      for (const file of [socketIn(sockets), `${socketIn(sockets)}.lock`]) rmSync(file, { force: true }); // nobody's, then
      writeAccessRules(data, owner);
      const log = openLog(join(place, 'postgres.log'));
      const child = spawn(join(binaries, 'bin', 'postgres'), ['-D', data, ...listening(sockets)], {
        ...as(owner),
        cwd: data,
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
      const server = running({ data, sockets }, child.pid ?? 0, false, times);
      if (await reach({ data, sockets }, () => !hasEnded && !isGivenUp())) {
        // One that a killed program had just begun may have answered in its place: that one is adopted, or nobody would stop it.
        if (livingServer(data)?.pid !== child.pid) continue;
        rmSync(join(home, 'database-password'), { force: true }); // an earlier version's: it opens nothing any more
        return server;
      }
      if (isGivenUp()) {
        await server.stop();
        throw givenUp();
      }
      // Processes of a server that was killed are still going: try again.
      await sleep(300 * attempt);
    }
    throw new Error(`The embedded database did not start; see ${join(place, 'postgres.log')}`, { cause: failure });
  });
}

/** Fails: with one sentence when the folder cannot be had */
function makeHomeFolder(home: string): void {
  try {
    makeFolder(home);
  } catch (cause) {
    throw new Error(`The instance folder ${home} cannot be written to. Set FLOTILLA_HOME to a folder that can.`, { cause });
  }
}

/** On the command line, so that it holds whatever the settings of an earlier version say. */
function listening(sockets: string): string[] {
  const settings = {
    listen_addresses: '',
    unix_socket_directories: `"${sockets}"`,
    unix_socket_permissions: '0700',
    port: String(socketPort),
    client_connection_check_interval: '1s', // a statement of a program that was killed ends: else it keeps the server from being stopped
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
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
 * Waits until the server answers on its socket and makes the product's role there; false when it ends before.
 *
 * Fails: when the server does not know the user of this program
 */
async function reach({ data, sockets }: Place, isAlive: () => boolean): Promise<boolean> {
  for (const start = Date.now(); isAlive(); await sleep(20)) {
    const client = new Client({ ...connection(sockets), connectionTimeoutMillis: 2_000 });
    client.on('error', () => {}); // reported by the call in flight
    try {
      await client.connect();
      const answer = await client.query<{ data_directory: string }>('show data_directory');
      if (answer.rows[0]?.data_directory === data) {
        await makeProductRole(client);
        return true;
      }
    } catch (cause) {
      // Everything but a stranger's call means: not ready yet.
      if ((cause as { code?: string }).code === '28000')
        throw new Error(`The embedded database in ${data} was started by another user. Start as that user or as root.`, { cause });
    } finally {
      await client.end().catch(() => {}); // it may never have been connected
    }
    if (Date.now() - start > patienceMs) throw new Error(`The embedded database in ${data} is still recovering. Start again later.`);
  }
  return false;
}

function connection(sockets: string): ClientConfig {
  return { host: sockets, port: socketPort, user: superuser, database: 'postgres', ssl: false };
}

function running({ data, sockets }: Place, pid: number, adopted: boolean, { endingMs, answerMs }: StopTimes): EmbeddedServer {
  const isAlive = (): boolean => isServerOf(pid, data);
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
    url: serverUrl(sockets),
    pid,
    adopted,
    isRunning: isAlive,
    answers: async () => (await ask(sockets, 'select 1', answerMs)) !== 'silence',
    stop,
    async stopUnlessUsed() {
      for (const start = Date.now(); await hasOtherSessions(sockets, answerMs); await sleep(50)) if (Date.now() - start > endingMs) return;
      await stop();
    },
  };
}

/** Whether others use the server; one that is dead or frozen is of use to nobody. */
async function hasOtherSessions(sockets: string, answerMs: number): Promise<boolean> {
  const others = `select 1 from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() limit 1`;
  return (await ask(sockets, others, answerMs)) === 'rows';
}

/** Asks in a session of its own what a question comes to; a server with no room for the session is full of others' (rows). */
async function ask(sockets: string, question: string, answerMs: number): Promise<'rows' | 'none' | 'refused' | 'silence'> {
  const client = new Client({ ...connection(sockets), connectionTimeoutMillis: answerMs, query_timeout: answerMs });
  client.on('error', () => {}); // reported by the call in flight
  try {
    await client.connect();
    return (await client.query(question)).rows.length > 0 ? 'rows' : 'none';
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === '53300') return 'rows';
    return code !== undefined && /^[0-9A-Z]{5}$/u.test(code) ? 'refused' : 'silence'; // the server's own codes have five characters
  } finally {
    await client.end().catch(() => {}); // it may never have been connected
  }
}
