import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { embeddedDatabase } from '../../test/support/embedded-database.ts';
import { patienceMs } from '../../test/support/patience.ts';
import { prepareCluster } from '../../test/support/prepared-cluster.ts';
import { hasLiveRunner, renewLease } from '#storage/bots/runners.ts';
import type { BackupSchedule } from '#storage/installation/facts.ts';
import { backupScheduleFact, readFact, writeFact } from '#storage/installation/facts.ts';
import { openDatabase } from '#storage/database.ts';
import { startEmbeddedServer } from '#storage/embedded/embedded-server.ts';
import { freePort } from '#storage/embedded/free-port.ts';
import { runningServerUrl } from '#storage/embedded/running-server.ts';
import { storeFault } from '#storage/installation/store-fault.ts';
import { withEmbeddedServer } from '#storage/embedded/with-server.ts';
import { migrations, schemaState } from '#storage/migrate.ts';

const { home, db, url } = await embeddedDatabase();
const main = join(import.meta.dirname, '../main.ts');
const memory = '/dev/shm'; // on Linux
const schedule = () => readFact<BackupSchedule>(db, backupScheduleFact);

/** Starts everything in a folder; whether the page is built does not matter for what is seen here. */
async function start(databaseUrl: string, folder: string, stderr: 'ignore' | 'pipe'): Promise<ChildProcess> {
  const env = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    FLOTILLA_HOME: folder,
    PORT: String(await freePort()),
    DEMO: 'off',
    SANDBOX_URL: '',
  };
  const words = ['--disable-warning=ExperimentalWarning', main, 'serve'];
  return spawn(process.execPath, words, { env, stdio: ['ignore', 'ignore', stderr] });
}

/** Starts everything until `isSeen`, and ends it. */
async function startUntil(isSeen: () => Promise<boolean>, databaseUrl: string, folder = home): Promise<void> {
  const child = await start(databaseUrl, folder, 'ignore');
  const ended = once(child, 'exit');
  try {
    await expect.poll(isSeen).toBe(true);
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

/** A start that fails; what it says. */
async function failedStart(databaseUrl: string, folder = home): Promise<string> {
  const child = await start(databaseUrl, folder, 'pipe');
  onTestFinished(() => void child.kill('SIGTERM')); // one that did not fail
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  const closed = once(child, 'close');
  await expect.poll(() => child.exitCode, { timeout: 2 * patienceMs }).toBe(1); // it waits itself for a runner to end
  await closed;
  return said.trim();
}

test('an instance notes that it makes the backups of its own database, and that it makes none of another', async () => {
  const before = { since: '2026-03-01T00:00:00.000Z', startedAt: '2026-03-01T00:00:00.000Z' };
  await writeFact(db, backupScheduleFact, before);
  await startUntil(async () => (await schedule())?.startedAt !== before.startedAt, '');
  expect(await schedule()).toEqual({ since: before.since, startedAt: expect.any(String) });
  await startUntil(async () => (await schedule()) === null, url);
});

test('a stop ends the database after the processes that use it, and so does end it; one in memory is known as such', async () => {
  const own = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), 'flotilla-stopped-'));
  onTestFinished(async () => {
    if (runningServerUrl(own) !== null) await (await startEmbeddedServer(own)).stop();
    rmSync(own, { recursive: true, force: true });
  });
  chmodSync(own, 0o755);
  await prepareCluster(own);
  const hasRunner = async (): Promise<boolean> => {
    const address = runningServerUrl(own);
    if (address === null) return false;
    const at = openDatabase(address, { connections: 1, onError: () => {} });
    try {
      if (!(await hasLiveRunner(at).catch(() => false))) return false; // it may not answer yet
      if (existsSync(memory)) expect(await storeFault(at)).toContain(`The database lies in memory (${own}`);
      return true;
    } finally {
      await at.destroy();
    }
  };
  await startUntil(hasRunner, '', own);
  expect(runningServerUrl(own)).toBeNull();
  expect(readFileSync(join(own, 'database-folder'), 'utf8')).toBe(`${join(own, 'postgres', 'data')}\n${own}\n`);
});

test('a home whose database is gone gets no empty one in its place, also where a command has made one meanwhile', async () => {
  const own = mkdtempSync(join(tmpdir(), 'flotilla-lost-'));
  onTestFinished(() => rmSync(own, { recursive: true, force: true }));
  chmodSync(own, 0o755);
  mkdirSync(join(own, 'logs'));
  writeFileSync(join(own, 'logs', 'web.log'), 'of a database that is gone');
  const refusal = new RegExp(`^The database of ${own} is not there\\. `, 'u');
  expect(await failedStart('', own)).toMatch(refusal);
  expect(existsSync(join(own, 'postgres'))).toBe(false);
  await withEmbeddedServer(own, async () => undefined);
  expect(await failedStart('', own)).toMatch(refusal);
  expect(existsSync(join(own, 'database-folder'))).toBe(false);
  const isOurs = await withEmbeddedServer(own, async (address) => {
    const at = openDatabase(address, { connections: 1 });
    const state = await schemaState(at);
    await at.destroy();
    return state.isOurs;
  });
  expect(isOurs).toBe(false); // nor was that one filled
});

test('a start that would change the tables changes nothing when no backup can be made before', async () => {
  const last = Object.keys(migrations).at(-1);
  const backups = join(home, 'backups');
  writeFileSync(backups, 'in their place');
  onTestFinished(() => rmSync(backups));
  // In one session, so that the database is still in use when the start has failed, and continues.
  await db.connection().execute(async (session) => {
    await sql`delete from kysely_migration where name = ${last}`.execute(session);
    expect(await failedStart('')).toMatch(/^The database was not brought up to date, because no backup could be made before: /u);
    expect((await sql`select name from kysely_migration where name = ${last}`.execute(session)).rows).toEqual([]);
  });
});

test('a start that would change the tables refuses while a runner is at work on them', async () => {
  await sql`delete from kysely_migration where name = ${Object.keys(migrations).at(-1)}`.execute(db);
  await renewLease(db, { id: randomUUID(), host: 'elsewhere 7', exchanges: [] }, 600_000, true);
  expect(await failedStart(url)).toMatch(/^A runner is at work on this database, .+ Stop Flotilla everywhere/u);
});
