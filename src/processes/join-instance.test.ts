import { sql } from 'kysely';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { embeddedDatabase } from '../../test/support/embedded-database.ts';
import { readConfig } from './config.ts';
import { joinInstance, shareInstance, sharedInstance } from './join-instance.ts';

const { home, db, url } = await embeddedDatabase();
const main = join(import.meta.dirname, '../main.ts');
const environment = (folder: string) => ({ ...process.env, DATABASE_URL: '', SANDBOX_URL: '', FLOTILLA_HOME: folder });
const words = ['--disable-warning=ExperimentalWarning', main, 'serve', '--role', 'runner'];

test('a runner that is started with the folder of an instance joins it: its database and its sandbox', async () => {
  shareInstance(home, { sandboxUrl: 'http://127.0.0.1:7' });
  expect(statSync(join(home, 'instance.json')).mode & 0o777).toBe(0o600);
  expect(joinInstance(readConfig({ FLOTILLA_HOME: home }, home))).toMatchObject({ databaseUrl: url, sandboxUrl: 'http://127.0.0.1:7' });
  const runners = async () => (await sql<{ host: string }>`select host from runners where expires_at > now()`.execute(db)).rows;
  const child = spawn(process.execPath, words, { env: environment(home), stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  await once(child, 'message'); // it is ready
  expect(await runners()).toEqual([{ host: expect.stringContaining(`${home} ${child.pid}`) }]);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect(await runners()).toEqual([]);
});

test('what the environment names comes first', () => {
  const given = { FLOTILLA_HOME: home, DATABASE_URL: 'postgresql://other/one', SANDBOX_URL: 'http://127.0.0.1:8' };
  expect(joinInstance(readConfig(given, home))).toMatchObject({ databaseUrl: 'postgresql://other/one', sandboxUrl: 'http://127.0.0.1:8' });
});

test('without an instance there it is refused with a sentence, and nothing is started', () => {
  const empty = mkdtempSync(join(tmpdir(), 'flotilla-empty-'));
  const done = spawnSync(process.execPath, words, { env: environment(empty), encoding: 'utf8' });
  expect(done.status).toBe(1);
  expect(done.stderr.trim()).toBe(
    `No instance of Flotilla runs with the folder ${empty}, and DATABASE_URL names no database. Start it there first, or set FLOTILLA_HOME to its folder.`,
  );
  expect(sharedInstance(empty)).toBeNull();
  writeFileSync(join(empty, 'instance.json'), '{"sandboxUrl": "ftp://x"');
  expect(sharedInstance(empty)).toBeNull();
  rmSync(empty, { recursive: true });
});
