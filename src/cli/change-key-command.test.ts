import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readConfig } from '#processes/config.ts';
import { holdInstance } from '#processes/instance.ts';
import { installationKey } from '#processes/installation-key.ts';
import { openDatabase } from '#storage/database.ts';
import { masterKeyPath } from '#vault/master-key.ts';
import { prepareCluster } from '../../test/support/prepared-cluster.ts';
import { withDatabase } from './backup-command.ts';
import { changeKeyCommand } from './change-key-command.ts';

const home = mkdtempSync(join(tmpdir(), 'flotilla-change-key-command-'));
chmodSync(home, 0o755); // the database's user must get in
afterAll(() => rmSync(home, { recursive: true, force: true }));

test('the key is changed while nobody runs the product, and nobody starts it meanwhile', async () => {
  await prepareCluster(home);
  const config = readConfig({ FLOTILLA_HOME: home }, '/');
  await withDatabase(config, async (url) => {
    const db = openDatabase(url, { connections: 1 });
    await installationKey(db, config);
    await db.destroy();
  });
  const key = (): string => readFileSync(masterKeyPath(home), 'utf8');
  const before = key();

  const product = holdInstance(home);
  await expect(changeKeyCommand(config, () => {})).rejects.toThrow('Flotilla is running already');
  expect(key()).toBe(before);
  product.release();

  const starts: unknown[] = [];
  const start = (): void => {
    try {
      holdInstance(home).release();
      starts.push('started');
    } catch {
      starts.push('refused');
    }
  };
  await changeKeyCommand(config, start);
  expect(starts).toEqual(['refused', 'refused', 'refused']);
  expect(key()).not.toBe(before);
  start();
  expect(starts.at(-1)).toBe('started');
});
