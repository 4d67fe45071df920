import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findBinaries, packageFolder } from './binaries.ts';
import { startEmbeddedServer } from './embedded-server.ts';
import { placeOutside } from './server-place.ts';
import { serverUser } from './server-user.ts';

const isRoot = process.getuid?.() === 0;
const folder = { path: '' };

beforeEach(() => {
  folder.path = mkdtempSync(join(tmpdir(), 'flotilla-places-'));
});

afterEach(() => rmSync(folder.path, { recursive: true, force: true }));

/** Who runs the process, by the kernel. */
const userOf = (pid: number): number => statSync(`/proc/${pid}`).uid;

async function ask(url: string, question: string): Promise<string[]> {
  const client = new Client(url);
  await client.connect();
  const { rows } = await client.query<{ answer: string }>(question);
  await client.end();
  return rows.map(({ answer }) => answer);
}

const version = async (url: string): Promise<string> => (await ask(url, `select current_setting('server_version') as answer`))[0] ?? '';
const tables = (url: string) => ask(url, `select tablename as answer from pg_tables where schemaname = 'public'`);

/** Starts a server in a program run by another user, and stops it; gives what the program has said. */
function startAs(uid: number, gid: number, home: string): { said: string; failed: string } {
  const program = `
    const { startEmbeddedServer } = await import(${JSON.stringify(join(import.meta.dirname, 'embedded-server.ts'))});
    const { statSync } = await import('node:fs');
    try {
      const server = await startEmbeddedServer(process.argv[1]);
      console.log('runs as ' + statSync('/proc/' + server.pid).uid);
      await server.stop();
    } catch (error) {
      console.error(error.message);
      process.exit(1);
    }`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program, home], { uid, gid, encoding: 'utf8' });
  return { said: stdout.trim(), failed: stderr.trim() };
}

describe.skipIf(!isRoot)('as root (these need root, which this run is not, when they are skipped)', () => {
  test('the server runs as postgres or nobody, and the data folder is theirs alone, whatever the umask', async () => {
    chmodSync(folder.path, 0o755);
    const umask = process.umask(0o077);
    try {
      const home = join(folder.path, 'home');
      mkdirSync(home, { mode: 0o755 });
      chmodSync(home, 0o755);
      const server = await startEmbeddedServer(home);
      const data = join(home, 'postgres', 'data');
      expect(userOf(server.pid)).toBe(serverUser().uid);
      expect(userOf(server.pid)).not.toBe(0);
      expect(statSync(data)).toMatchObject({ uid: serverUser().uid, gid: serverUser().gid });
      expect(statSync(data).mode & 0o777).toBe(0o700);
      expect(placeOutside(home)).toBeNull();
      expect(statSync(join(home, 'postgres', 'socket'))).toMatchObject({ uid: serverUser().uid });
      expect(statSync(join(home, 'postgres', 'socket')).mode & 0o777).toBe(0o700);
      await server.stop();
    } finally {
      process.umask(umask);
    }
  });

  test('below a folder that the server user cannot enter, data and binaries lie under /var/lib/flotilla', async () => {
    const umask = process.umask(0o077);
    const home = join(folder.path, 'home'); // its parent is 0700
    const outside = join('/var/lib/flotilla', createHash('sha256').update(home).digest('hex').slice(0, 12));
    const packaged = join(folder.path, 'package');
    cpSync(packageFolder(), packaged, { recursive: true, verbatimSymlinks: true });
    try {
      const server = await startEmbeddedServer(home, { packageFolder: packaged });
      try {
        expect(readdirSync(outside).toSorted()).toEqual(['data', expect.stringMatching(/^postgres-18/u), 'postgres.log', 'socket']);
        expect(statSync(join(outside, 'data'))).toMatchObject({ uid: serverUser().uid });
        expect(await version(server.url)).toMatch(/^18/u);
        await ask(server.url, 'create table kept ()');
      } finally {
        await server.stop();
      }
      expect(placeOutside(home)).toBe(outside);
      // Also when the server's user can enter the home by now: another place would begin with an empty database.
      chmodSync(folder.path, 0o755);
      const again = await startEmbeddedServer(home, { packageFolder: packaged });
      expect(again.adopted).toBe(false);
      expect(await tables(again.url)).toEqual(['kept']);
      await again.stop();
      expect(existsSync(join(home, 'postgres'))).toBe(false);
    } finally {
      process.umask(umask);
      rmSync(outside, { recursive: true, force: true });
    }
  });

  test('a program of another user runs the server as itself, and root continues with its data as that user', async () => {
    chmodSync(folder.path, 0o755);
    const home = join(folder.path, 'home');
    mkdirSync(home);
    chownSync(home, 65_534, 65_534);
    expect(startAs(65_534, 65_534, home)).toEqual({ said: 'runs as 65534', failed: '' });
    const server = await startEmbeddedServer(home);
    expect(userOf(server.pid)).toBe(65_534);
    await server.stop();
  });

  test('data of another user, and a server that another user has started, are one sentence each', async () => {
    chmodSync(folder.path, 0o755);
    const home = join(folder.path, 'home');
    mkdirSync(home);
    const server = await startEmbeddedServer(home);
    await server.stop();
    chownSync(home, 65_534, 65_534);
    expect(startAs(65_534, 65_534, home).failed).toContain(`belongs to user ${serverUser().uid}, but this is user 65534`);
    const nobodys = join(folder.path, 'nobodys');
    mkdirSync(nobodys);
    chownSync(nobodys, 65_534, 65_534);
    startAs(65_534, 65_534, nobodys);
    const byRoot = await startEmbeddedServer(nobodys); // runs as nobody, and knows root alone
    expect(startAs(65_534, 65_534, nobodys).failed).toContain('was started by another user. Start as that user or as root.');
    await byRoot.stop();
  });

  test('a user without a name is one sentence that names DATABASE_URL', () => {
    chmodSync(folder.path, 0o755);
    const home = join(folder.path, 'home');
    mkdirSync(home);
    chownSync(home, 54_321, 54_321);
    expect(startAs(54_321, 54_321, home).failed).toBe(
      'The embedded database cannot run as user 54321, which has no name on this machine. Set DATABASE_URL to a PostgreSQL server (15 or newer) and start again.',
    );
  });
});

describe.skipIf(isRoot)('not as root (skipped: this run is root)', () => {
  test('the server runs as the user of this program', async () => {
    const server = await startEmbeddedServer(folder.path);
    expect(userOf(server.pid)).toBe(process.getuid?.());
    await server.stop();
  });

  test('an instance folder that cannot be written to is one sentence', async () => {
    chmodSync(folder.path, 0o500);
    await expect(startEmbeddedServer(folder.path)).rejects.toThrow('cannot be written to. Set FLOTILLA_HOME');
    chmodSync(folder.path, 0o700);
  });
});

test('what a killed first start has left goes away later, not while it may still be written to', async () => {
  chmodSync(folder.path, 0o755);
  const place = join(folder.path, 'postgres');
  for (const name of ['data.new-old', 'data.new-young']) mkdirSync(join(place, name), { recursive: true });
  const longAgo = new Date(Date.now() - 3_600_000);
  utimesSync(join(place, 'data.new-old'), longAgo, longAgo);
  const server = await startEmbeddedServer(folder.path);
  await server.stop();
  expect(readdirSync(place).toSorted()).toEqual(['data', 'data.new-young', 'postgres.log', 'socket']);
});

test('root runs the server as postgres, without that as nobody, without either as 65534', () => {
  const nobody = 'nobody:x:99:98::/:/sbin/nologin';
  expect(serverUser(0, `root:x:0:0::/root:/bin/sh\n${nobody}\npostgres:x:101:104::/:/bin/sh\n`)).toEqual({ uid: 101, gid: 104 });
  expect(serverUser(0, `root:x:0:0::/root:/bin/sh\n${nobody}\n`)).toEqual({ uid: 99, gid: 98 });
  expect(serverUser(0, '')).toEqual({ uid: 65_534, gid: 65_534 });
});

test('musl and platforms without a package are one sentence each that names DATABASE_URL', () => {
  expect(() => packageFolder({ platform: 'linux', arch: 'x64', isMusl: true })).toThrow(
    'There is no embedded database for musl systems such as Alpine. Set DATABASE_URL to a PostgreSQL server (15 or newer) and start again.',
  );
  expect(() => packageFolder({ platform: 'freebsd', arch: 'riscv64', isMusl: false })).toThrow(
    'There is no embedded database for freebsd on riscv64. Set DATABASE_URL to a PostgreSQL server (15 or newer) and start again.',
  );
});

test('links that the package lacks are made', () => {
  const packaged = join(folder.path, 'package');
  cpSync(packageFolder(), packaged, { recursive: true, verbatimSymlinks: true });
  const library = join(packaged, 'native', 'lib');
  const links = readdirSync(library).filter(
    (name) => statSync(join(library, name), { throwIfNoEntry: false }) !== undefined && isLink(join(library, name)),
  );
  expect(links.length).toBeGreaterThan(0);
  for (const name of links) rmSync(join(library, name));
  const binaries = findBinaries(folder.path, { uid: null, gid: null }, packaged);
  expect(dirname(binaries)).toBe(packaged);
  for (const name of links) expect(existsSync(join(library, name))).toBe(true);
});

function isLink(path: string): boolean {
  try {
    return readlinkSync(path) !== '';
  } catch {
    return false;
  }
}
