import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { durabilityFault, openDatabase } from '../database.ts';
import type { EmbeddedServer } from './embedded-server.ts';
import { startEmbeddedServer } from './embedded-server.ts';
import { freePort } from './free-port.ts';

/** Starts the server of a home in a program of its own, says so, and stays. */
const program = `
  const { startEmbeddedServer } = await import(${JSON.stringify(join(import.meta.dirname, 'embedded-server.ts'))});
  const { pid, adopted, url } = await startEmbeddedServer(process.argv[1]);
  console.log(JSON.stringify({ pid, adopted, url }));
  setInterval(() => {}, 1000);
`;

let home = '';
let opened: EmbeddedServer[] = [];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'flotilla-embedded-'));
  chmodSync(home, 0o755); // the database's user must get in, else the data goes elsewhere
  opened = [];
});

afterEach(async () => {
  for (const server of opened) await server.stop();
  rmSync(home, { recursive: true, force: true });
});

async function start(options: Parameters<typeof startEmbeddedServer>[1] = {}): Promise<EmbeddedServer> {
  const server = await startEmbeddedServer(home, options);
  opened.push(server);
  return server;
}

/** Runs the program above until it has said its line; it lives in a process group of its own, as a shell's job does. */
async function startProgram() {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, home], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  return { child, ...(JSON.parse(line) as { pid: number; adopted: boolean; url: string }) };
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client(url);
  client.on('error', () => {}); // reported by the call in flight
  try {
    await client.connect();
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end().catch(() => {}); // it may never have been connected
  }
}

const dataFolder = (): string => join(home, 'postgres', 'data');
const lockFile = (): string => join(dataFolder(), 'postmaster.pid');

function isAlive(pid: number): boolean {
  try {
    return !/\) Z /u.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Kills a server as a power cut would, and waits for its end. */
async function kill(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL');
  while (isAlive(pid)) await sleep(10);
}

test('a server starts, keeps its data over a stop, and stops within 10 s with a session open', async () => {
  const first = await start();
  expect(first.adopted).toBe(false);
  await query(first.url, 'create table kept as select 42 as answer');
  const session = new Client(first.url);
  session.on('error', () => {}); // it is ended by the stop
  await session.connect();
  const asleep = session.query('select pg_sleep(60)').catch(() => null);
  const before = Date.now();
  await first.stop();
  expect(Date.now() - before).toBeLessThan(10_000);
  expect(isAlive(first.pid)).toBe(false);
  await asleep;
  const second = await start();
  expect(second.adopted).toBe(false);
  expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
});

test('password file and data folder are for their owner alone, and the password is asked for', async () => {
  const { url } = await start();
  expect(statSync(join(home, 'database-password')).mode & 0o777).toBe(0o600);
  expect(statSync(dataFolder()).mode & 0o777).toBe(0o700);
  expect(statSync(join(home, 'postgres', 'postgres.log')).mode & 0o777).toBe(0o600);
  const wrong = new URL(url);
  wrong.password = 'wrong';
  await expect(query(wrong.href, 'select 1')).rejects.toThrow('password authentication failed');
});

test('durability settings are on, and the server listens on loopback only', async () => {
  const { url } = await start();
  const db = openDatabase(url, { connections: 1 });
  expect(await durabilityFault(db)).toBeNull();
  await db.destroy();
  const rows = await query(
    url,
    `select name, setting from pg_settings where name in
       ('fsync', 'full_page_writes', 'synchronous_commit', 'listen_addresses', 'unix_socket_directories', 'server_encoding') order by name`,
  );
  expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    server_encoding: 'UTF8',
  });
});

test('the server of a program that was killed is adopted by the next start', async () => {
  const killed = await startProgram();
  await query(killed.url, 'create table kept as select 7 as answer');
  process.kill(killed.child.pid ?? 0, 'SIGKILL');
  await once(killed.child, 'exit');
  const next = await start();
  expect(next).toMatchObject({ adopted: true, pid: killed.pid, url: killed.url });
  expect(await query(next.url, 'select answer from kept')).toEqual([{ answer: 7 }]);
});

test('four programs that start at once end up on one server', async () => {
  const programs = await Promise.all([startProgram(), startProgram(), startProgram(), startProgram()]);
  for (const { child } of programs) child.kill('SIGKILL');
  opened.push(await startEmbeddedServer(home));
  expect(new Set(programs.map(({ pid }) => pid)).size).toBe(1);
  expect(programs.filter(({ adopted }) => !adopted)).toHaveLength(1);
});

test('Ctrl-C for the group of the program does not reach the server', async () => {
  const { child, pid, url } = await startProgram();
  process.kill(-(child.pid ?? 0), 'SIGINT');
  await once(child, 'exit');
  await sleep(300);
  expect(isAlive(pid)).toBe(true);
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
  expect((await start()).adopted).toBe(true);
});

test('a server is left alone while another program has a session on it, and stopped after', async () => {
  const server = await start();
  const session = new Client(server.url);
  session.on('error', () => {}); // it is ended by the stop
  await session.connect();
  await server.stopUnlessUsed();
  expect(isAlive(server.pid)).toBe(true);
  // A session that is just ending is none that uses it.
  const stopping = server.stopUnlessUsed();
  await sleep(300);
  await session.end();
  await stopping;
  expect(isAlive(server.pid)).toBe(false);
});

test('a server that is dead already is stopped without a word', async () => {
  const server = await start();
  await kill(server.pid);
  await server.stopUnlessUsed();
});

test('a server that is frozen is stopped, and loses nothing', async () => {
  const server = await start();
  await query(server.url, 'create table kept as select 1 as n');
  process.kill(server.pid, 'SIGSTOP');
  const startedAt = Date.now();
  await server.stopUnlessUsed();
  expect(isAlive(server.pid)).toBe(false);
  expect(Date.now() - startedAt).toBeLessThan(15_000);
  expect(await query((await start()).url, 'select n from kept')).toEqual([{ n: 1 }]);
});

test('a server that is full of sessions is in use', async () => {
  const server = await start();
  const sessions = Array.from({ length: 100 }, () => new Client(server.url));
  for (const session of sessions) session.on('error', () => {}); // it is ended by the stop
  await Promise.all(sessions.map((session) => session.connect()));
  await server.stopUnlessUsed();
  expect(isAlive(server.pid)).toBe(true);
  expect(await sessions[0]?.query('select 1 as one')).toMatchObject({ rows: [{ one: 1 }] });
});

test('a start that is given up leaves no server behind, and the next one works', async () => {
  await expect(start({ isGivenUp: () => true })).rejects.toThrow('The start was stopped before the embedded database answered.');
  expect(existsSync(lockFile())).toBe(false);
  expect(await query((await start()).url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('a lock file that names a dead process does not hold up the start', async () => {
  const first = await start();
  await kill(first.pid);
  expect(readFileSync(lockFile(), 'utf8')).toContain(`${first.pid}\n`);
  const second = await start();
  expect(second.adopted).toBe(false);
  expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('a lock file that names another living process does not hold up the start, and that process lives on', async () => {
  const first = await start();
  await kill(first.pid);
  const { uid, gid } = statSync(dataFolder());
  const bystander = spawn('sleep', ['60'], process.getuid?.() === 0 ? { uid, gid } : {}); // PostgreSQL heeds processes of its own user
  await once(bystander, 'spawn');
  writeFileSync(lockFile(), readFileSync(lockFile(), 'utf8').replace(/^\d+/u, String(bystander.pid)));
  const second = await start();
  expect(second.adopted).toBe(false);
  expect(isAlive(bystander.pid ?? 0)).toBe(true);
  bystander.kill();
});

test('a lock file that was cut short does not hold up the start', async () => {
  await (await start()).stop();
  writeFileSync(lockFile(), '');
  expect((await start()).adopted).toBe(false);
});

test('sessions of a killed server that still write hold up the next start until they are gone', async () => {
  const first = await start();
  const session = new Client(first.url);
  session.on('error', () => {}); // its process is killed below
  await session.connect();
  const [row] = (await session.query<{ pid: number }>('select pg_backend_pid() as pid')).rows;
  const writer = row?.pid ?? 0;
  process.kill(writer, 'SIGSTOP'); // as if it were deep in a write: it cannot see that its server is dead
  try {
    await kill(first.pid);
    const next = startEmbeddedServer(home);
    await sleep(2_000);
    expect(existsSync(lockFile()) && isAlive(Number(readFileSync(lockFile(), 'utf8').split('\n')[0]))).toBe(false);
    process.kill(writer, 'SIGKILL');
    const second = await next;
    opened.push(second);
    expect(second.adopted).toBe(false);
  } finally {
    if (isAlive(writer)) process.kill(writer, 'SIGKILL');
  }
});

test('a port that was taken meanwhile is replaced', async () => {
  const taken = await freePort();
  const other = createServer((socket) => socket.end('no database here'));
  await new Promise<void>((resolve) => other.listen(taken, '127.0.0.1', resolve));
  const asked: number[] = [];
  const server = await start({
    async findPort() {
      asked.push(asked.length === 0 ? taken : await freePort());
      return asked.at(-1) ?? 0;
    },
  });
  expect(asked).toHaveLength(2);
  expect(server.url).toContain(`:${asked[1]}/`);
  other.close();
});

test('a missing, empty or wrong password file is one clear sentence, and the right one works again', async () => {
  const file = join(home, 'database-password');
  await (await start()).stop();
  const right = readFileSync(file, 'utf8');
  rmSync(file);
  await expect(startEmbeddedServer(home)).rejects.toThrow(`${file}, is missing. Put the file back, or move ${dataFolder()} away`);
  writeFileSync(file, '\n');
  await expect(startEmbeddedServer(home)).rejects.toThrow(`${file}, is empty. Put the file back`);
  writeFileSync(file, 'wrong\n');
  const before = Date.now();
  await expect(startEmbeddedServer(home)).rejects.toThrow(`refuses the password in ${file}`);
  expect(Date.now() - before).toBeLessThan(10_000);
  writeFileSync(file, right);
  expect((await start()).adopted).toBe(false);
});

test('data of another PostgreSQL is named with the way out', async () => {
  await (await start()).stop();
  writeFileSync(join(dataFolder(), 'PG_VERSION'), '17\n');
  await expect(startEmbeddedServer(home)).rejects.toThrow(
    `The data in ${dataFolder()} is PostgreSQL 17's, this version brings 18. Make a backup`,
  );
});
