import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { freePort } from '#storage/embedded/free-port.ts';
import { afterAll, expect, test } from 'vitest';
import { holdInstance, makeHome } from './instance.ts';

const home = mkdtempSync(join(tmpdir(), 'flotilla-instance-'));
afterAll(() => rmSync(home, { recursive: true }));
const holder = `const { holdInstance } = await import(${JSON.stringify(join(import.meta.dirname, 'instance.ts'))});
  try { holdInstance(process.argv[1]); console.log('held'); setInterval(() => {}, 1000); } catch (error) { console.log(error.message); }`;
const refusal = `Flotilla is running already with the instance folder ${home}. Stop it first, or set FLOTILLA_HOME to another folder.`;
const start = async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', holder, home], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  return { child, said: line.trim() };
};

test('a folder is held by one process, and free as soon as that is killed or releases it', async () => {
  const first = await start();
  expect(first.said).toBe('held');
  expect(() => holdInstance(home)).toThrow(refusal);
  expect((await start()).said).toBe(refusal);
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  const held = holdInstance(home);
  expect(readdirSync(home)).toEqual(['instance.lock']);
  expect((await start()).said).toBe(refusal);
  held.release();
  holdInstance(home).release();
  expect(readdirSync(home)).toEqual(['instance.lock']);
  expect(statSync(join(home, 'instance.lock')).mode & 0o777).toBe(0o600); // whoever could open it could lock it
});

test('of six that start at once exactly one holds the folder', async () => {
  const starts = await Promise.all(Array.from({ length: 6 }, start));
  expect(starts.map(({ said }) => said).toSorted()).toEqual([...Array.from({ length: 5 }, () => refusal), 'held']);
  for (const { child } of starts) child.kill('SIGKILL');
});

test.each(['/proc/nope', '/proc/nope/deeper', '/etc/hostname/flotilla'])('%s as the instance folder is refused at once', (path) => {
  expect(() => makeHome(path)).toThrow(`The instance folder ${path} cannot be written to. Set FLOTILLA_HOME to a folder that can.`);
});

test.each([
  ['serve', []],
  ['serve', ['--role', 'web']],
  ['serve', ['--role', 'runner']],
  ['backup', ['/tmp/never-written.backup']],
])('the command %s %j says so too', (command, words) => {
  const { status, stderr } = spawnSync(process.execPath, ['src/main.ts', command, ...words], {
    cwd: join(import.meta.dirname, '../..'),
    env: {
      ...process.env,
      FLOTILLA_HOME: '/proc/nope',
      PORT: '3955',
      DATABASE_URL: command === 'backup' ? '' : 'postgresql://nobody@127.0.0.1:9/none',
      NODE_OPTIONS: '--disable-warning=ExperimentalWarning',
    },
    encoding: 'utf8',
    timeout: 300_000,
  });
  expect([status, stderr.trim()]).toEqual([
    1,
    'The instance folder /proc/nope cannot be written to. Set FLOTILLA_HOME to a folder that can.',
  ]);
});

test('folders that are missing are made', () => {
  makeHome(join(home, 'a', 'b'));
  expect(statSync(join(home, 'a', 'b')).isDirectory()).toBe(true);
});

/** Runs the whole product with a folder and a port; it must refuse before it starts anything. */
function serveIn(folder: string, port: number) {
  const { status, stderr } = spawnSync(process.execPath, ['src/main.ts', 'serve'], {
    cwd: join(import.meta.dirname, '../..'),
    env: { ...process.env, FLOTILLA_HOME: folder, PORT: String(port), DEMO: 'off', NODE_OPTIONS: '--disable-warning=ExperimentalWarning' },
    encoding: 'utf8',
    timeout: 300_000,
  });
  return [status, stderr.trim()];
}

test('a second supervisor on the same folder refuses, and leaves the first one its folder', async () => {
  const held = holdInstance(home);
  const before = readdirSync(home);
  expect(serveIn(home, await freePort())).toEqual([1, refusal]);
  expect(readdirSync(home)).toEqual(before);
  expect((await start()).said).toBe(refusal);
  held.release();
});

test('a port that is taken is refused before the folder is', async () => {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const folder = join(home, 'untouched');
  expect(serveIn(folder, port)).toEqual([1, `Port ${port} is in use, perhaps by Flotilla itself. Set PORT to another one.`]);
  expect(readdirSync(folder)).toEqual([]);
  server.close();
});
