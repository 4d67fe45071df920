import { noteBackupSchedule } from '#storage/backup/backup-state.ts';
import { checkServerVersion, openDatabase } from '#storage/database.ts';
import { noteData, refuseLostData } from '#storage/embedded/lost-data.ts';
import { embeddedData } from '#storage/embedded/server-place.ts';
import { schemaState } from '#storage/migrate.ts';
import { noteVolatileStore } from '#storage/installation/store-fault.ts';
import { freePort } from '#storage/embedded/free-port.ts';
import { join } from 'node:path';
import { runBackups } from './backup-rounds.ts';
import { bringUpToDate, untilNoRunner } from './bring-up-to-date.ts';
import { pageAddress } from './page-address.ts';
import type { SupervisedProcess } from './child-process.ts';
import { runToEnd, supervise } from './child-process.ts';
import type { Config } from './config.ts';
import { startDatabase } from './database.ts';
import { holdInstance } from './instance.ts';
import { portFault } from './listening-port.ts';
import { shareInstance, sharedInstance } from './join-instance.ts';
import { startOnDemand } from './on-demand.ts';
import { prepare } from './prepare.ts';
import { backUpBeforeUpgrade } from './scheduled-backups.ts';
import { readServiceAccount } from './service-account-file.ts';

/** What the processes find in their environment, besides what this process found in its own. */
export interface ProcessEnvironment extends Record<string, string> {
  DATABASE_URL: string;
  SANDBOX_URL: string;
}

interface Stoppable {
  stop(): Promise<void>;
}

/**
 * Runs the whole product on this machine: database, sandbox, runner and web, each in its own process, until a stop is
 * requested. Web, runner and worker are stopped first, then sandbox and database, which they use.
 *
 * Fails: with one sentence on what the person can change
 */
export async function serve(config: Config, root: string, say: (line: string) => void): Promise<void> {
  readServiceAccount(config.googleAccountFile); // a wrong file is reported before anything is started; the web process uses it
  await refuseTakenPort(config.host, config.port);
  const instance = holdInstance(config.home);
  const main = join(root, 'src', 'main.ts');
  const services: Stoppable[] = []; // sandbox and database, which the others use
  const processes: SupervisedProcess[] = [];
  const stopAll = async (): Promise<void> => {
    // Side by side, so that one that does not answer costs the time of one; and whatever happens, all of them.
    for (const some of [processes, services])
      for (const end of await Promise.allSettled(some.map((each) => each.stop())))
        if (end.status === 'rejected') say(`Something could not be stopped: ${String(end.reason)}`);
  };
  const sandboxPort = await sandboxPortOf(config.home);
  const sandboxUrl = `http://127.0.0.1:${sandboxPort}`;
  const stopRequested = untilStopRequested();
  let isStopping = false;
  void stopRequested.then(() => (isStopping = true));
  const context = { say, isStopping: () => isStopping };

  try {
    const startSandbox = (): SupervisedProcess =>
      supervise({
        name: 'sandbox',
        args: [join(root, 'src', 'sandbox', 'main.ts'), '--port', String(sandboxPort), '--folder', join(config.home, 'sandbox')],
        environment: {},
        readyFrom: 'first line',
        ...context,
      });
    const sandbox = await startOnDemand(sandboxPort, startSandbox, (line) => isStopping || say(line));
    services.push(sandbox);
    shareInstance(config.home, { sandboxUrl });
    if (config.databaseUrl === null && embeddedData(config.home) === null) refuseLostData(config.home);
    const server = config.databaseUrl === null ? await startDatabase(config.home, context) : null;
    if (server !== null) services.push(server);
    const backups = join(config.home, 'backups');
    const databaseUrl = server?.url ?? config.databaseUrl ?? '';
    const environment: ProcessEnvironment = {
      DATABASE_URL: databaseUrl,
      SANDBOX_URL: sandboxUrl,
      FLOTILLA_HOME: config.home,
    };
    const db = openDatabase(databaseUrl, { connections: 4, onError: () => {} });
    try {
      await reach(() => checkServerVersion(db), config.databaseUrl);
      // A command that came before this start has made one that is empty; a restore fills it.
      if (server !== null && !(await schemaState(db)).isOurs) refuseLostData(config.home);
      await untilNoRunner(db);
      // Of a database that is not ours its operator makes backups.
      if (server !== null) await backUpBeforeUpgrade(databaseUrl, backups, new Date());
      await bringUpToDate(databaseUrl);
      await noteBackupSchedule(db, server !== null, new Date());
      const data = server === null ? null : embeddedData(config.home);
      if (data !== null) await noteVolatileStore(db, data);
      const lines = await prepare(db, config, async () => {
        await sandbox.start();
        return demonstrate(main, environment, stopRequested);
      });
      if (server !== null) noteData(config.home);

      for (const [i, role] of (['web', 'runner', 'backtests'] as const).entries()) {
        const metricsPort = { METRICS_PORT: String(config.metricsPort === 0 ? 0 : config.metricsPort + i) };
        const args = [main, 'serve', '--role', role];
        processes.push(supervise({ name: role, args, environment: { ...environment, ...metricsPort }, readyFrom: 'message', ...context }));
      }
      await Promise.race([Promise.all(processes.map((each) => each.ready)), stopRequested]);
      if (!isStopping) say(`Open ${pageAddress(config)}`);
      for (const line of lines) say(line); // passwords are shown nowhere else, so they are printed in any case
    } finally {
      await db.destroy();
    }
    const stopBackups =
      server === null ? null : runBackups([main, 'scheduled-backup'], environment, stopRequested, (line) => isStopping || say(line));
    await stopRequested;
    say('Stopping ...');
    await stopBackups?.();
  } finally {
    await stopAll();
    instance.release();
  }
}

/** The one of the last start, so that a process that has joined finds the sandbox again; another when somebody has it now. */
async function sandboxPortOf(home: string): Promise<number> {
  const last = Number(new URL(sharedInstance(home)?.sandboxUrl ?? 'http://127.0.0.1').port);
  return last > 0 && (await portFault('127.0.0.1', last)) === null ? last : freePort();
}

/** Makes the demonstration in its own process and gives the lines to print. */
async function demonstrate(main: string, environment: ProcessEnvironment, stopRequested: Promise<void>): Promise<string[]> {
  const lines = await runToEnd([main, 'demonstrate'], environment, stopRequested);
  return Array.isArray(lines) ? lines.map(String) : [];
}

/** Checks before anything is started, so that a taken port costs nothing. */
async function refuseTakenPort(host: string, port: number): Promise<void> {
  const fault = await portFault(host, port);
  if (fault !== null) throw new Error(fault.sentence);
}

async function reach(work: () => Promise<void>, databaseUrl: string | null): Promise<void> {
  try {
    await work();
  } catch (cause) {
    if (databaseUrl === null || (cause instanceof Error && cause.message.startsWith('PostgreSQL'))) throw cause;
    const { hostname, port, pathname } = new URL(databaseUrl);
    const why = cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : String(cause);
    throw new Error(`The database at ${hostname}:${port || 5432}${pathname} cannot be used: ${why}. Check DATABASE_URL.`, { cause });
  }
}

function untilStopRequested(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
    process.on('disconnect', () => resolve()); // whoever started this is gone
  });
}
