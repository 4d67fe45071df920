import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { prepareCluster } from '../../../test/support/prepared-cluster.ts';
import { runSize } from '../../../test/support/run-size.ts';
import { startEmbeddedServer } from './embedded-server.ts';
import { livingServer } from './lock-file.ts';

const module = JSON.stringify(join(import.meta.dirname, 'embedded-server.ts'));

/** Starts the server of a home and says so. */
const starter = `
  const { startEmbeddedServer } = await import(${module});
  console.log('starting');
  await startEmbeddedServer(process.argv[1]);
  console.log('ready');
`;

/** Starts the server of a home and inserts a rising number in each of four sessions, saying each that was acknowledged. */
const inserter = `
  const { writeSync } = await import('node:fs');
  const { createRequire } = await import('node:module');
  const { Client } = createRequire(${module})('pg');
  const { startEmbeddedServer } = await import(${module});
  const { url, pid } = await startEmbeddedServer(process.argv[1]);
  writeSync(1, 'server ' + pid + '\\n');
  let next = Number(process.argv[2]);
  await Promise.all([1, 2, 3, 4].map(async () => {
    const client = new Client(url);
    client.on('error', () => {});
    await client.connect();
    await client.query('create table if not exists kept (n bigint primary key)').catch(() => {});
    for (;;) {
      const n = next++;
      await client.query('insert into kept values ($1)', [n]);
      writeSync(1, n + '\\n');
    }
  })).catch(() => process.exit(1));
`;

const { size: rounds } = runSize(6);
// A limit for what hangs. On a machine that is busy a round has taken 13 s; a test that was given up continues beside its clean-up and
// beside the next test, whose server it then finds.
const patience = { timeout: 600_000 + rounds * 60_000 };
let home = '';

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'flotilla-kills-'));
  chmodSync(home, 0o755); // the database's user must get in, else the data goes elsewhere
});

afterEach(async () => {
  // Whatever a test has left running is adopted and stopped.
  if (existsSync(join(home, 'postgres', 'data'))) await (await startEmbeddedServer(home)).stop();
  rmSync(home, { recursive: true, force: true });
});

function run(program: string, ...words: string[]): ChildProcess & { said: string } {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, home, ...words], { stdio: ['ignore', 'pipe', 'ignore'] });
  const spoken = Object.assign(child, { said: '' });
  child.stdout.setEncoding('utf8').on('data', (text: string) => (spoken.said += text));
  return spoken;
}

/** All processes below a process, itself first. */
function familyOf(pid: number): number[] {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .filter((name) => parentOf(name) === pid);
  return [pid, ...children.flatMap((child) => familyOf(Number(child)))];
}

function parentOf(name: string): number | null {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return null; // it has ended meanwhile
  }
}

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has ended meanwhile
  }
}

/** A moment later; fails when the time of the test is over, so that what waits for good ends with it. */
async function untilLater(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await sleep(1);
}

/** How long a first start takes here when nobody disturbs it, in ms. */
async function timeOfFirstStart(): Promise<number> {
  const child = run(starter);
  const ended = once(child, 'exit');
  while (!child.said.includes('starting')) await sleep(5);
  const begun = performance.now();
  while (!child.said.includes('ready')) await sleep(5);
  const wholeMs = performance.now() - begun;
  killNow(child.pid ?? 0);
  await ended;
  await (await startEmbeddedServer(home)).stop();
  await removeData();
  return wholeMs;
}

/** An initdb that continues removes files, too, and Node ends without a word at the first that is gone already. */
async function removeData(): Promise<void> {
  for (const folder = join(home, 'postgres'); existsSync(folder); await sleep(20))
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

test.skipIf(process.platform !== 'linux')(
  'a first start killed at any moment, with or without its initdb, leaves the next one working',
  patience,
  async ({ signal }) => {
    let wholeMs = await timeOfFirstStart();
    // A kill that comes too late shows nothing: the machine was busier when the time was taken, and the kill is repeated.
    for (let round = 0, cutShort = 0; cutShort < rounds; round++) {
      signal.throwIfAborted();
      const child = run(starter);
      const ended = once(child, 'exit');
      while (!child.said.includes('starting')) await untilLater(signal);
      const begun = performance.now();
      await Promise.race([sleep(((cutShort + Math.random()) / rounds) * wholeMs), ended]);
      if (!child.said.includes('ready')) cutShort++;
      else wholeMs = Math.min(wholeMs, performance.now() - begun);
      // Half of the rounds kill only the program: its initdb continues and must not disturb the next start.
      for (const pid of round % 2 === 0 ? familyOf(child.pid ?? 0) : [child.pid ?? 0]) killNow(pid);
      await ended;
      const server = await startEmbeddedServer(home);
      const client = new Client(server.url);
      await client.connect();
      await client.query('create table works (n int)');
      await client.end();
      expect(server.isRunning(), `round ${round}: the server that answers is the one that would be stopped`).toBe(true);
      await server.stop();
      expect(livingServer(join(home, 'postgres', 'data')), `round ${round}: it is stopped`).toBeNull();
      await removeData();
    }
  },
);

test.skipIf(process.platform !== 'linux')(
  'a program killed while its server begins leaves one that the next start finds, and stops when it is asked to',
  patience,
  async ({ signal }) => {
    const data = join(home, 'postgres', 'data');
    await prepareCluster(home);
    for (let round = 0; round < rounds; round++) {
      signal.throwIfAborted();
      const child = run(starter);
      const ended = once(child, 'exit');
      // A server of the last round that came late is found by this one, which then begins none.
      while (familyOf(child.pid ?? 0).length < 2 && !child.said.includes('ready')) await untilLater(signal);
      await sleep((round * 20) / rounds); // it writes its lock file, its socket, its answer
      killNow(child.pid ?? 0);
      await ended;
      const server = await startEmbeddedServer(home);
      expect(server.isRunning(), `round ${round}`).toBe(true);
      await server.stop();
      expect(livingServer(data), `round ${round}`).toBeNull();
    }
  },
);

test.skipIf(process.platform !== 'linux')(
  'kills of server and program during inserts lose nothing acknowledged',
  patience,
  async ({ signal }) => {
    const acknowledged: string[] = [];
    let kills = 0;
    await prepareCluster(home);
    for (let round = 0; round < rounds; round++) {
      signal.throwIfAborted();
      const child = run(inserter, String(round * 1_000_000));
      const ended = once(child, 'exit');
      while (child.said.split('\n').length < 50 && child.exitCode === null) await sleep(5);
      await sleep(Math.random() * 150);
      const server = Number(/^server (\d+)$/mu.exec(child.said)?.[1]);
      // By turns: everything at once, the server alone, the program alone (its server is adopted by the next round).
      if (round % 3 !== 2) for (const pid of familyOf(server)) killNow(pid);
      if (round % 3 !== 1) killNow(child.pid ?? 0);
      await ended;
      kills++;
      await sleep(20);
      acknowledged.push(...child.said.split('\n').filter((line) => /^\d+$/u.test(line)));
    }
    const { url } = await startEmbeddedServer(home);
    const client = new Client(url);
    await client.connect();
    const { rows } = await client.query<{ n: string }>('select n from kept');
    await client.end();
    const kept = new Set(rows.map(({ n }) => n));
    expect(kills).toBe(rounds);
    expect(acknowledged.length).toBeGreaterThan(rounds * 40);
    expect(acknowledged.filter((n) => !kept.has(n))).toEqual([]);
  },
);
