import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { patienceMs } from '../../../test/support/patience.ts';
import { prepareCluster } from '../../../test/support/prepared-cluster.ts';
import { durabilityFault, openDatabase } from '../database.ts';
import { openJobs } from '../backtests/jobs.ts';
import { migrate } from '../migrate.ts';
import { findBinaries } from './binaries.ts';
import type { EmbeddedServer } from './embedded-server.ts';
import { startEmbeddedServer } from './embedded-server.ts';
import { freePort } from './free-port.ts';
import { serverUser } from './server-user.ts';

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

type Options = Parameters<typeof startEmbeddedServer>[1];

/** Starts the server, on a database that is there already unless a test has made another one. */
async function start(options: Options = {}): Promise<EmbeddedServer> {
  if (!existsSync(dataFolder())) await prepareCluster(home);
  return startFirst(options);
}

/** Starts the server with nothing prepared: the first time it makes the database. */
async function startFirst(options: Options = {}): Promise<EmbeddedServer> {
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

test('a server starts, keeps its data over a stop, and stops with a session open', async () => {
  const first = await startFirst();
  expect(first.adopted).toBe(false);
  await query(first.url, 'create table kept as select 42 as answer');
  const session = new Client(first.url);
  session.on('error', () => {}); // it is ended by the stop
  await session.connect();
  const asleep = session.query('select pg_sleep(100000)').then(
    () => 'slept',
    () => 'ended',
  );
  const kill = vi.spyOn(process, 'kill');
  onTestFinished(() => kill.mockRestore());
  await first.stop();
  expect(kill.mock.calls.find(([, signal]) => signal !== 0)).toEqual([first.pid, 'SIGINT']); // it asks the sessions to end, and waits for none
  await expect.poll(() => isAlive(first.pid)).toBe(false);
  expect(await asleep).toBe('ended');
  const second = await start();
  expect(second.adopted).toBe(false);
  expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
});

test('no other user of the machine can reach the server or take its place, and no password is asked for', async () => {
  const { url, pid } = await start();
  const sockets = new URL(url).searchParams.get('host') ?? '';
  expect(statSync(dataFolder()).mode & 0o777).toBe(0o700);
  expect(statSync(sockets)).toMatchObject({ uid: statSync(dataFolder()).uid });
  expect(statSync(sockets).mode & 0o777).toBe(0o700);
  expect(statSync(join(home, 'postgres', 'postgres.log')).mode & 0o777).toBe(0o600);
  expect(existsSync(join(home, 'database-password'))).toBe(false);
  // Of the ports of this machine the server has none.
  const own = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
  const inodes = new Set(own.flatMap((target) => /^socket:\[(\d+)\]$/u.exec(target)?.[1] ?? []));
  expect(inodes.size).toBeGreaterThan(0);
  for (const table of ['tcp', 'tcp6'])
    for (const line of readFileSync(`/proc/net/${table}`, 'utf8').split('\n').slice(1))
      expect(inodes.has(line.trim().split(/\s+/u)[9] ?? '')).toBe(false);
});

test.skipIf(process.getuid?.() !== 0)('a process of another user gets nothing from the server and cannot stand in for it', async () => {
  const { url, pid } = await start();
  const stranger = (program: string): string =>
    spawnSync(process.execPath, ['--input-type=module', '-e', program, url], { uid: 65_534, gid: 65_534, encoding: 'utf8' }).stdout.trim();
  const pg = JSON.stringify(createRequire(import.meta.url).resolve('pg'));
  const connect = `const { createRequire } = await import('node:module'); const { Client } = createRequire(${JSON.stringify(import.meta.url)})(${pg});
    const client = new Client(process.argv[1]); try { await client.connect(); console.log('connected'); await client.end(); } catch (error) { console.log(error.code); }`;
  const sockets = new URL(url).searchParams.get('host') ?? '';
  const listen = `const { createServer } = await import('node:net'); const server = createServer();
    server.once('error', (error) => console.log(error.code)); server.listen(${JSON.stringify(join(sockets, '.s.PGSQL.5432'))}, () => { console.log('listening'); server.close(); });`;
  expect(stranger(connect)).toBe('EACCES');
  expect(stranger(listen)).toBe('EACCES');
  await kill(pid); // as when the database was down and somebody took its port
  expect(stranger(listen)).toBe('EACCES');
});

test('the product works as a role without rights beyond its own database', async () => {
  const { url } = await start();
  expect(new URL(url).username).toBe('flotilla_app');
  expect(
    await query(
      url,
      'select rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls from pg_roles where rolname = current_user',
    ),
  ).toEqual([{ rolsuper: false, rolcreaterole: false, rolcreatedb: false, rolreplication: false, rolbypassrls: false }]);
  for (const text of [
    `copy (select 1) to program 'id'`,
    `select pg_read_file('postgresql.conf')`,
    'create role other superuser',
    `alter system set fsync = off`,
  ])
    await expect(query(url, text)).rejects.toThrow(/permission denied/u);
  await query(url, 'create schema own create table own.kept (n int)');
});

test('a home whose path is too long for a socket has its socket in a short folder of its own', async () => {
  const deep = join(home, 'x'.repeat(120));
  mkdirSync(deep);
  chmodSync(deep, 0o755);
  const server = await startEmbeddedServer(deep);
  opened.push(server);
  const sockets = new URL(server.url).searchParams.get('host') ?? '';
  expect(Buffer.byteLength(join(sockets, '.s.PGSQL.5432'))).toBeLessThan(108);
  expect(statSync(sockets).mode & 0o777).toBe(0o700);
  expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  await server.stop();
  rmSync(sockets, { recursive: true });
  // Somebody else was there first, with a folder or with a link.
  if (process.getuid?.() === 0) {
    mkdirSync(sockets);
    chownSync(sockets, 65_534, 65_534);
    await expect(startEmbeddedServer(deep)).rejects.toThrow(
      `The folder ${sockets}, meant for the database's socket, belongs to somebody else.`,
    );
    rmSync(sockets, { recursive: true });
  }
  symlinkSync(home, sockets);
  await expect(startEmbeddedServer(deep)).rejects.toThrow('belongs to somebody else');
  rmSync(sockets);
});

/** Makes a home as the versions before the socket did: a superuser with a password, a port, and everything owned by the superuser. */
async function makeEarlierHome(): Promise<{ pid: number; stop: () => Promise<void> }> {
  const user = serverUser();
  const own = user.uid === null || user.gid === null ? {} : { uid: user.uid, gid: user.gid };
  const place = join(home, 'postgres');
  mkdirSync(place, { mode: 0o755 });
  if (own.uid !== undefined) chownSync(place, own.uid, own.gid);
  writeFileSync(join(home, 'database-password'), 'earlier\n', { mode: 0o600 });
  const password = join(place, 'pw');
  writeFileSync(password, 'earlier', { mode: 0o644 });
  const bin = join(findBinaries(place, user), 'bin');
  execFileSync(
    join(bin, 'initdb'),
    ['-D', dataFolder(), '-U', 'flotilla', '--pwfile', password, '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C'],
    { ...own, cwd: place, stdio: 'ignore' },
  );
  writeFileSync(join(dataFolder(), 'postgresql.conf'), `listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\n`, { flag: 'a' });
  const port = await freePort();
  const child = spawn(join(bin, 'postgres'), ['-D', dataFolder(), '-p', String(port)], {
    ...own,
    cwd: place,
    stdio: 'ignore',
    detached: true,
  });
  const db = openDatabase(`postgresql://flotilla:earlier@127.0.0.1:${port}/postgres`, { connections: 1 });
  await expect.poll(async () => sql`select 1`.execute(db).then(Boolean, () => false)).toBe(true);
  await migrate(db);
  const jobs = await openJobs(db, `postgresql://flotilla:earlier@127.0.0.1:${port}/postgres`, { isWorker: false, onError: () => {} });
  await jobs.close();
  await sql`insert into facts (key, value) values ('kept', '42')`.execute(db);
  await db.destroy();
  return {
    pid: child.pid ?? 0,
    async stop() {
      child.kill('SIGINT');
      await once(child, 'exit');
    },
  };
}

test.each([true, false])(
  'a home of an earlier version is changed over with everything in it; its server still runs: %s',
  async (stillRuns) => {
    const earlier = await makeEarlierHome();
    if (!stillRuns) await earlier.stop();
    const server = await start();
    await expect.poll(() => isAlive(earlier.pid)).toBe(false);
    expect(server.adopted).toBe(false);
    expect(existsSync(join(home, 'database-password'))).toBe(false);
    const db = openDatabase(server.url, { connections: 1 });
    try {
      expect((await sql`select value from facts where key = 'kept'`.execute(db)).rows).toEqual([{ value: 42 }]);
      await migrate(db);
      const jobs = await openJobs(db, server.url, { isWorker: true, onError: () => {} });
      await jobs.close();
      // A later version's migrations change what this one made: everything must be the product's own.
      await sql`alter table users add column later int`.execute(db);
      const { rows } = await sql`
      select relname as name from pg_class c join pg_namespace n on n.oid = relnamespace
        where nspname in ('public', 'pgboss') and relkind <> 't' and pg_get_userbyid(relowner) <> 'flotilla_app'
      union all select proname from pg_proc p join pg_namespace n on n.oid = pronamespace where nspname in ('public', 'pgboss') and pg_get_userbyid(proowner) <> 'flotilla_app'
      union all select typname from pg_type t join pg_namespace n on n.oid = typnamespace where nspname in ('public', 'pgboss') and pg_get_userbyid(typowner) <> 'flotilla_app'`.execute(
        db,
      );
      expect(rows).toEqual([]);
    } finally {
      await db.destroy();
    }
    await server.stop();
    expect((await start()).adopted).toBe(false);
  },
);

test('durability settings are on, and the server listens on no port', async () => {
  const { url } = await startFirst();
  const db = openDatabase(url, { connections: 1 });
  expect(await durabilityFault(db)).toBeNull();
  await db.destroy();
  const rows = await query(
    url,
    `select name, setting from pg_settings where name in
       ('fsync', 'full_page_writes', 'synchronous_commit', 'listen_addresses', 'server_encoding') order by name`,
  );
  expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
    listen_addresses: '',
    server_encoding: 'UTF8',
  });
});

test('the server of a program that was killed is adopted by the next start', async () => {
  await prepareCluster(home);
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
  await prepareCluster(home);
  const { child, pid, url } = await startProgram();
  process.kill(-(child.pid ?? 0), 'SIGINT');
  await once(child, 'exit');
  await sleep(300);
  expect(isAlive(pid)).toBe(true);
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
  expect((await start()).adopted).toBe(true);
});

test('a server is left alone while another program has a session on it, and stopped after', async () => {
  const server = await start({ times: { answerMs: patienceMs } });
  const session = new Client(server.url);
  session.on('error', () => {}); // it is ended by the stop
  await session.connect();
  await server.stopUnlessUsed();
  expect(isAlive(server.pid)).toBe(true);
  // A session that is just ending is none that uses it.
  const patient = await start({ times: { answerMs: patienceMs, endingMs: patienceMs } });
  expect(patient.pid).toBe(server.pid);
  const stopping = patient.stopUnlessUsed();
  await sleep(300);
  await session.end();
  await stopping;
  await expect.poll(() => isAlive(server.pid)).toBe(false); // a killed process leaves the table of processes a moment after its memory
});

test('a server that still works on a statement of a program that was killed is stopped, as nobody waits for it', async () => {
  const server = await start({ times: { answerMs: patienceMs, endingMs: patienceMs } });
  const program = `
    const { createRequire } = await import('node:module');
    const { Client } = createRequire(${JSON.stringify(import.meta.url)})('pg');
    const client = new Client(process.argv[1]);
    await client.connect();
    await client.query('select pg_sleep(100000)');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, server.url], { stdio: 'ignore' });
  const asleep = async () =>
    query(server.url, `select query from pg_stat_activity where query like '%pg\\_sleep(100000)' and state = 'active'`);
  await expect.poll(asleep).toHaveLength(1);
  child.kill('SIGKILL');
  await server.stopUnlessUsed();
  await expect.poll(() => isAlive(server.pid)).toBe(false); // a killed process leaves the table of processes a moment after its memory
});

test('a server that is dead already is stopped without a word, and the next start has what it held', async () => {
  const server = await start();
  await query(server.url, 'create table before_death as select 1 as n');
  await kill(server.pid);
  expect(await server.stopUnlessUsed()).toBeUndefined();
  expect(server.isRunning()).toBe(false);
  const next = await start();
  expect(next.adopted).toBe(false);
  expect(await query(next.url, 'select n from before_death')).toEqual([{ n: 1 }]);
  await next.stop();
});

test('a server that is frozen is stopped, and loses nothing', async () => {
  const server = await start();
  await query(server.url, 'create table kept as select 1 as n');
  process.kill(server.pid, 'SIGSTOP');
  await server.stopUnlessUsed();
  await expect.poll(() => isAlive(server.pid)).toBe(false); // a killed process leaves the table of processes a moment after its memory
  expect(await query((await start()).url, 'select n from kept')).toEqual([{ n: 1 }]);
});

test('a server that is full of sessions is in use', async () => {
  const server = await start({ times: { answerMs: patienceMs } });
  const sessions = Array.from({ length: 97 }, () => new Client(server.url));
  for (const session of sessions) session.on('error', () => {}); // it is ended by the stop
  await Promise.all(sessions.map((session) => session.connect()));
  await server.stopUnlessUsed();
  expect(isAlive(server.pid)).toBe(true);
  expect(await sessions[0]?.query('select 1 as one')).toMatchObject({ rows: [{ one: 1 }] });
});

test('a start that is given up leaves no server behind, and the next one works', async () => {
  await expect(startFirst({ isGivenUp: () => true })).rejects.toThrow('The start was stopped before the embedded database answered.');
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

test('data of another PostgreSQL is named with the way out', async () => {
  await (await start()).stop();
  writeFileSync(join(dataFolder(), 'PG_VERSION'), '17\n');
  await expect(startEmbeddedServer(home)).rejects.toThrow(
    `The data in ${dataFolder()} is PostgreSQL 17's, this version brings 18. Make a backup`,
  );
});
