import { sessionNiceness } from '#strategy-process/session-niceness.ts';
import { startEmbeddedServer } from '#storage/embedded/embedded-server.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { constants, getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { prepareCluster } from '../../test/support/prepared-cluster.ts';

const root = join(import.meta.dirname, '../..');

/** A worker as the supervisor starts it; `reach` gives the address under which it finds the database. */
async function startWorker(reach: (url: string, home: string) => Promise<string> = async (url) => url) {
  const home = mkdtempSync(join(tmpdir(), 'flotilla-worker-'));
  chmodSync(home, 0o755); // the database's user must get in
  await prepareCluster(home);
  const server = await startEmbeddedServer(home);
  const databaseUrl = await reach(server.url, home);
  const worker = spawn(process.execPath, ['src/main.ts', 'serve', '--role', 'backtests'], {
    cwd: root,
    env: {
      ...process.env,
      BACKTEST_NICENESS: '',
      DATABASE_URL: databaseUrl,
      FLOTILLA_HOME: home,
      NODE_OPTIONS: '--disable-warning=ExperimentalWarning',
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    detached: true,
  });
  onTestFinished(async () => {
    worker.kill('SIGKILL');
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  });
  await expect.poll(async () => (await Promise.race([once(worker, 'message'), once(worker, 'exit')]))[0]).toMatchObject({ ready: true });
  return worker;
}

test('a worker whose connections take seconds, as on a busy machine, begins all the same', async () => {
  let late = 0;
  await startWorker(async (url, home) => {
    const socket = decodeURIComponent(/host=([^&]+)/u.exec(url)?.[1] ?? '');
    const slow = createServer((client) => {
      late += 1;
      client.on('error', () => undefined);
      setTimeout(
        () => client.pipe(connect(join(socket, '.s.PGSQL.5432')).on('error', () => undefined)).pipe(client),
        late === 1 ? 6_000 : 0,
      );
    });
    await new Promise<void>((resolve) => slow.listen(join(home, '.s.PGSQL.5432'), resolve));
    onTestFinished(() => void slow.close());
    return url.replace(encodeURIComponent(socket), encodeURIComponent(home)).replace(socket, home);
  });
  expect(late).toBeGreaterThan(0);
});

test('a worker runs below the priority of pages and bots, and so do its threads', async () => {
  const worker = await startWorker();
  expect(getPriority(worker.pid)).toBe(constants.priority.PRIORITY_LOW);
  if (process.platform === 'linux') {
    const low = nicenessOf(worker.pid ?? 0).filter((nice) => nice === constants.priority.PRIORITY_LOW);
    expect(low.length).toBeGreaterThan(1); // its main thread, and those begun since
    if (sessionNiceness('self') !== null) expect(sessionNiceness(worker.pid ?? 0)).toBe(constants.priority.PRIORITY_LOW);
  }
  worker.kill('SIGTERM');
  expect(await once(worker, 'exit')).toEqual([0, null]);
});

test('a worker deletes candles on its disk beyond 4 GiB', async () => {
  const folder = { path: '' };
  await startWorker(async (url, home) => {
    folder.path = join(home, 'cache', 'candles');
    mkdirSync(folder.path, { recursive: true });
    for (const name of ['kept.candles', 'large.candles']) writeFileSync(join(folder.path, name), '');
    truncateSync(join(folder.path, 'large.candles'), 5 * 2 ** 30); // takes no room: it has a size alone
    utimesSync(join(folder.path, 'large.candles'), 1, 1);
    return url;
  });
  await expect.poll(() => readdirSync(folder.path)).toEqual(['kept.candles']);
});

/** The niceness of each thread of a process; one that is begun inherits that of the thread that begins it. */
function nicenessOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).map((thread) => {
    const [, afterName = ''] = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8').split(') ');
    return Number(afterName.split(' ')[16]);
  });
}
