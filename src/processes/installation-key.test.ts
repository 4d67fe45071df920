import { masterKeyPath } from '#vault/master-key.ts';
import { sql } from 'kysely';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { embeddedDatabase } from '../../test/support/embedded-database.ts';
import { readConfig } from './config.ts';
import { installationKey } from './installation-key.ts';

const { home: folder, db } = await embeddedDatabase();
let homes = 0;
const newHome = () => join(folder, `home-${++homes}`);
const keyOf = (home: string, env: Record<string, string> = {}) => installationKey(db, readConfig({ ...env, FLOTILLA_HOME: home }, '/'));
const refusal = 'Copy keys/master.key from the first machine (after a restore: from your safe copy) to';

beforeEach(async () => {
  await sql`delete from facts`.execute(db);
});

test('the first start makes the key, later ones use it', async () => {
  const home = newHome();
  const key = await keyOf(home);
  expect(await keyOf(home)).toEqual(key);
});

test('a missing key on a database that knows one is never made silently', async () => {
  await keyOf(newHome());
  const home = newHome();
  await expect(keyOf(home)).rejects.toThrow(`The key of this database is not there in ${masterKeyPath(home)}. ${refusal}`);
  expect(existsSync(home)).toBe(false);
});

test.skipIf(process.getuid?.() !== 0)(
  'who has deleted the home alone, where root’s database is not in it, reads what else to delete',
  async () => {
    await keyOf(newHome());
    const home = newHome();
    mkdirSync(home);
    const outside = join('/var/lib/flotilla', createHash('sha256').update(home).digest('hex').slice(0, 12));
    onTestFinished(() => rmSync(outside, { recursive: true }));
    mkdirSync(join(outside, 'data'), { recursive: true });
    await expect(keyOf(home)).rejects.toThrow(
      `enter all API keys again. If you have deleted ${home} to start over with nothing, delete ${outside}, too.`,
    );
  },
);

test('another key is refused, the right one by file or by text is taken', async () => {
  const [first, other] = [newHome(), newHome()];
  const key = await keyOf(first);
  await sql`delete from facts`.execute(db);
  await keyOf(other); // of another installation
  await expect(keyOf(first)).rejects.toThrow(`The key of this database is not the one in ${masterKeyPath(first)}. ${refusal}`);
  await expect(keyOf(newHome(), { MASTER_KEY: key.toString('base64') })).rejects.toThrow('is not the one in MASTER_KEY.');
  const right = await keyOf(newHome(), { MASTER_KEY_FILE: masterKeyPath(other) });
  expect(await keyOf(newHome(), { MASTER_KEY: right.toString('base64') })).toEqual(right);
  const moved = newHome();
  mkdirSync(join(moved, 'keys'), { recursive: true });
  copyFileSync(masterKeyPath(other), masterKeyPath(moved));
  expect(await keyOf(moved)).toEqual(right);
});

test('of eight first starts with folders of their own one makes the key, the others are refused', async () => {
  const started = await Promise.allSettled(Array.from({ length: 8 }, async () => keyOf(newHome())));
  expect(started.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('a key that is lost for good is replaced when a person says so, once, with a line in the audit log', async () => {
  await keyOf(newHome());
  const home = newHome();
  const key = await keyOf(home, { MASTER_KEY_LOST: 'yes' });
  expect(await keyOf(home)).toEqual(key);
  expect(await keyOf(home, { MASTER_KEY_LOST: 'yes' })).toEqual(key);
  const lines = await db.selectFrom('auditLog').select('action').execute();
  expect(lines).toEqual([{ action: 'replace-master-key' }]);
});
