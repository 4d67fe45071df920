import { openDatabase } from '#storage/database.ts';
import { startEmbeddedServer } from '#storage/embedded/embedded-server.ts';
import { addUser } from '#storage/users/users.ts';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { prepareCluster } from '../../test/support/prepared-cluster.ts';
import { backupCommand } from './backup-command.ts';
import { readConfig } from '#processes/config.ts';
import { restoreCommand } from './restore-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'flotilla-commands-'));
chmodSync(folder, 0o755); // the database's user must get in, else the data goes elsewhere
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const config = (home: string) => readConfig({ FLOTILLA_HOME: join(folder, home) }, folder);
const isRunning = (home: string): boolean => existsSync(join(folder, home, 'postgres', 'data', 'postmaster.pid'));

test('backup and restore work on the embedded database, whether the product runs or not', async () => {
  mkdirSync(join(folder, 'old'));
  await prepareCluster(join(folder, 'old'));
  const product = await startEmbeddedServer(join(folder, 'old'));
  const db = openDatabase(product.url, { connections: 1 });
  await addUser(db, { email: 'kept@example.com', passwordHash: 'x', role: 'admin', verified: true });
  await db.destroy();

  const said: string[] = [];
  const say = (line: string): void => void said.push(line);
  await backupCommand(config('old'), join(folder, 'while-running'), say);
  expect(isRunning('old')).toBe(true);
  await expect(restoreCommand(config('old'), join(folder, 'while-running'), say)).rejects.toThrow('The database is not empty');
  expect(isRunning('old')).toBe(true);
  await product.stop();

  await backupCommand(config('old'), join(folder, 'while-stopped'), say);
  expect(isRunning('old')).toBe(false);
  await restoreCommand(config('new'), join(folder, 'while-stopped'), say);
  expect(isRunning('new')).toBe(false);
  expect(said.filter((line) => line.startsWith('Backup of'))).toHaveLength(2);
  expect(said.find((line) => line.startsWith('Restored'))).toMatch(/^Restored the backup of .*: \d+ rows\.$/u);

  const restored = await startEmbeddedServer(join(folder, 'new'));
  const again = openDatabase(restored.url, { connections: 1 });
  expect(await again.selectFrom('users').select('email').execute()).toEqual([{ email: 'kept@example.com' }]);
  expect(await again.selectFrom('auditLog').select(['action', 'target']).orderBy('id').execute()).toEqual([
    { action: 'backup', target: 'while-running' },
    { action: 'restore', target: 'while-stopped' },
  ]);
  await again.destroy();
  await restored.stop();
});

test('a command makes no empty database in a home that had one; a restore does, and fills it', async () => {
  const said: string[] = [];
  const say = (line: string): void => void said.push(line);
  await backupCommand(config('old'), join(folder, 'of-before'), say);
  const logs = join(folder, 'moved', 'logs');
  mkdirSync(logs, { recursive: true });
  writeFileSync(join(logs, 'web.log'), 'of a database that is gone');
  await expect(backupCommand(config('moved'), join(folder, 'of-nothing'), say)).rejects.toThrow(
    `The database of ${join(folder, 'moved')} is not there. Put it back, or restore a backup of it`,
  );
  expect([existsSync(join(folder, 'moved', 'postgres')), existsSync(join(folder, 'of-nothing'))]).toEqual([false, false]);
  await restoreCommand(config('moved'), join(folder, 'of-before'), say);
  await backupCommand(config('moved'), join(folder, 'of-after'), say);
  expect(existsSync(join(folder, 'of-after'))).toBe(true);
});
