import { openDatabase } from '#storage/database.ts';
import { startEmbeddedServer } from '#storage/embedded/embedded-server.ts';
import { sql } from 'kysely';
import { Client } from 'pg';
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { prepareCluster } from '../../test/support/prepared-cluster.ts';
import { startDatabase } from './database.ts';

let home = '';

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'flotilla-database-'));
  chmodSync(home, 0o755); // the database's user must get in, else the data goes elsewhere
  await prepareCluster(home);
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

// In a container the first process may be one that collects no children: a dead server of an earlier start keeps its number.
test.skipIf(process.platform !== 'linux')('a database that dies is started again, also when its process is not collected', async () => {
  const first = await startEmbeddedServer(home);
  const [program = ''] = readFileSync(`/proc/${first.pid}/cmdline`, 'utf8').split('\0');
  await first.stop();
  const data = join(home, 'postgres', 'data');
  const { uid, gid } = statSync(data);
  const careless = spawn(
    'sh',
    ['-c', `"$0" -D "$1" -c listen_addresses= -c unix_socket_directories="$2" & exec sleep 600`, program, data, socketsOf(first.url)],
    {
      ...(process.getuid?.() === 0 ? { uid, gid } : {}),
      cwd: data,
      stdio: 'ignore',
    },
  );
  try {
    // One that is not ready yet may be taken for one that hangs, and be replaced.
    await expect.poll(() => isReady(data)).toBe(true);
    const said: string[] = [];
    const database = await startDatabase(home, { say: (line) => said.push(line), isStopping: () => false });
    const pid = lockOf(data);
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => said).toEqual(['The database ended; it is started again.']);
    expect(process.kill(pid, 0)).toBe(true); // the number is still there
    const db = openDatabase(database.url, { connections: 1 });
    await expect.poll(async () => sql`select 1`.execute(db).then(Boolean, () => false)).toBe(true);
    await db.destroy();
    await database.stop();
  } finally {
    careless.kill('SIGKILL');
  }
});

test.skipIf(process.platform !== 'linux')('a database that is frozen is stopped and started again', async () => {
  const said: string[] = [];
  const database = await startDatabase(home, {
    say: (line) => said.push(line),
    isStopping: () => false,
    checkEveryMs: 50,
    mostSilences: 1,
  });
  const data = join(home, 'postgres', 'data');
  const pid = lockOf(data);
  const db = openDatabase(database.url, { connections: 1 });
  await sql`create table kept as select 1 as n`.execute(db);
  process.kill(pid, 'SIGSTOP');
  await expect.poll(() => said).toEqual(['The database does not answer; it is stopped.', 'The database ended; it is started again.']);
  const rows = async () =>
    sql<{ n: number }>`select n from kept`.execute(db).then(
      (found) => found.rows,
      () => [],
    );
  await expect.poll(rows).toEqual([{ n: 1 }]);
  expect(lockOf(data)).not.toBe(pid);
  await db.destroy();
  await database.stop();
});

test.skipIf(process.platform !== 'linux')('a database that is slow now and then, and answers in between, is left running', async () => {
  const said: string[] = [];
  const database = await startDatabase(home, {
    say: (line) => said.push(line),
    isStopping: () => false,
    checkEveryMs: 20,
    mostSilences: 4,
  });
  const pid = lockOf(join(home, 'postgres', 'data'));
  const queries = vi.spyOn(Client.prototype, 'connect');
  onTestFinished(() => queries.mockRestore());
  /** Of a question of those who check: its client has connected, or has given up. */
  const nextAnswer = async (): Promise<'answered' | 'silent'> => {
    const before = queries.mock.results.length;
    await expect.poll(() => queries.mock.results.length).toBeGreaterThan(before);
    const connecting = Promise.resolve<unknown>(queries.mock.results[before]?.value);
    return connecting.then(
      () => 'answered',
      () => 'silent',
    );
  };
  for (let time = 1; time <= 5; time++) {
    process.kill(pid, 'SIGSTOP');
    while ((await nextAnswer()) !== 'silent');
    process.kill(pid, 'SIGCONT');
    while ((await nextAnswer()) !== 'answered');
    expect(said).toEqual([]);
  }
  expect(lockOf(join(home, 'postgres', 'data'))).toBe(pid);
  await database.stop();
});

const socketsOf = (url: string): string => new URL(url).searchParams.get('host') ?? '';

/** The process of the server that has taken the data folder; 0 when none has. */
function isReady(data: string): boolean {
  return lockOf(data) > 0 && readFileSync(join(data, 'postmaster.pid'), 'utf8').includes('ready');
}

function lockOf(data: string): number {
  try {
    return Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  } catch {
    return 0;
  }
}
