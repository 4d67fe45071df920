import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { startEmbeddedServer } from '#storage/embedded/embedded-server.ts';
import { secondPort as port } from './address.ts';
import { startProduct } from './product.ts';

let home = '';

test.beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'flotilla-starts-'));
  chmodSync(home, 0o755);
});
test.afterAll(() => rmSync(home, { recursive: true, force: true }));

test('OP-15 an admin from the configuration; a second start; a start after everything was killed', async ({ request }) => {
  const environment = { ADMIN_EMAIL: 'boss@example.com', ADMIN_PASSWORD: 'a password of mine' };
  const first = await startProduct({ home, port, environment, signIns: 1 });
  expect(first.lines.join('\n')).toContain('Sign in: boss@example.com with the password of ADMIN_PASSWORD (admin)');
  const login = { email: environment.ADMIN_EMAIL, password: environment.ADMIN_PASSWORD };
  const answer = await request.post(`${first.url}/api/auth/login`, { data: login });
  expect(await answer.json()).toMatchObject({ status: 'Login successful', role: 'admin' });
  expect(await (await request.get(`${first.url}/api/bots`)).json()).toEqual([]);

  const taken = startProduct({ home, port, environment });
  await expect(taken).rejects.toThrow(`Port ${port} is in use, perhaps by Flotilla itself. Set PORT to another one.`);

  // kill -9 of the whole family, but for the database, which outlives it and is adopted.
  if (first.process.pid !== undefined) process.kill(-first.process.pid, 'SIGKILL');
  const second = await startProduct({ home, port, environment });
  expect(second.lines.join('\n')).not.toContain('Sign in:');
  expect((await (await request.get(`${second.url}/api/auth/me`)).json()) as unknown).toMatchObject({ email: 'boss@example.com' });

  // kill -9 of the database under the running product: it comes back, and nobody has to sign in again.
  const server = await startEmbeddedServer(home);
  expect(server.adopted).toBe(true);
  process.kill(server.pid, 'SIGKILL');
  await expect.poll(() => second.lines.join('\n')).toContain('The database ended; it is started again.');
  await expect.poll(async () => (await request.get(`${second.url}/api/auth/me`)).status()).toBe(200);
  await second.stop();
  // A mail of a sign-in may still be reported between; nothing that failed is.
  const lines = second.lines.filter((line) => line !== '');
  const after = lines.slice(lines.indexOf('Stopping ...') + 1);
  expect(lines).toContain('Stopping ...');
  expect(after.filter((line) => !line.startsWith('Mail for boss@example.com'))).toEqual([]);
});

test('SIGTERM that is sent to npm alone ends the whole product cleanly', async () => {
  const product = await startProduct({ home, port });
  const server = await startEmbeddedServer(home);
  expect(server.adopted).toBe(true);
  if (product.process.pid !== undefined) process.kill(product.process.pid, 'SIGTERM');
  await expect.poll(() => server.isRunning()).toBe(false); // stopped last, when everything else has ended
  await expect.poll(() => groupOf(product.process.pid ?? 0)).toEqual([]);
  expect(product.lines.filter((line) => line !== '').at(-1)).toBe('Stopping ...');
});

/** The processes of a group that have not ended. */
function groupOf(pid: number): string[] {
  const listed = spawnSync('ps', ['-eo', 'pgid=,stat=,args='], { encoding: 'utf8' }).stdout.split('\n');
  return listed.filter((line) => line.trim().startsWith(`${pid} `) && !/^\s*\d+ Z/u.test(line));
}

test('a product continues, and starts its parts again, when nobody reads what it says any more', async ({ request }) => {
  const product = await startProduct({ home, port });
  product.process.stdout?.destroy();
  product.process.stderr?.destroy();
  const lockFile = join(home, 'postgres', 'data', 'postmaster.pid');
  const lock = (): string => (existsSync(lockFile) ? (readFileSync(lockFile, 'utf8').split('\n')[0] ?? '') : ''); // there is none while a server starts
  await expect.poll(lock).not.toBe('');
  const before = lock();
  process.kill(Number(before), 'SIGKILL'); // the product reports it
  await expect.poll(() => ['', before].includes(lock())).toBe(false);
  const status = async (): Promise<unknown> => (await request.get(`${product.url}/api/system/status`)).json();
  await expect.poll(status).toMatchObject({ status: 'ok' });
  await product.stop();
});

for (const [name, environment, sentence] of [
  ['a wrong setting', { PORT: 'http' }, 'PORT must be a number from 1 to 65535'],
  [
    'a database that is not there',
    { DATABASE_URL: 'postgresql://nobody@127.0.0.1:9/none' },
    'The database at 127.0.0.1:9/none cannot be used',
  ],
  [
    'an instance folder that cannot be',
    { FLOTILLA_HOME: '/etc/hostname/flotilla' },
    'The instance folder /etc/hostname/flotilla cannot be written to. Set FLOTILLA_HOME',
  ],
] as const) {
  test(`${name} is reported in one sentence`, async () => {
    const failed = startProduct({ home, port, environment });
    await expect(failed).rejects.toThrow(sentence);
    await failed.catch((error: unknown) => expect(String(error)).not.toMatch(/ {4}at /u));
  });
}

test('a port that somebody else has is reported before anything is started', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
  await expect(startProduct({ home, port })).rejects.toThrow(`Port ${port} is in use`);
  await new Promise((resolve) => other.close(resolve));
});
