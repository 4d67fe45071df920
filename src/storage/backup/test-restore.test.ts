import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { embeddedDatabase } from '../../../test/support/embedded-database.ts';
import { openDatabase } from '../database.ts';
import { superuser } from '../embedded/access-rules.ts';
import { embeddedData } from '../embedded/server-place.ts';
import { backup } from './backup.ts';
import { testRestore } from './test-restore.ts';

// How full a disk is cannot be arranged in a test; everything else is real.
vi.mock(import('node:fs/promises'), async (original) => {
  const real = await original();
  return { ...real, statfs: vi.fn() };
});

const { home, db, url } = await embeddedDatabase();
const file = join(home, 'a.flotilla');
await backup(url, file);
const copies = async () =>
  (await sql<{ oid: number }>`select oid from pg_database where datname = 'flotilla_restore_test'`.execute(db)).rows.map(({ oid }) => oid);

test('the room for a copy is looked for where the database lies, once the copy that a killed try has left is gone', async () => {
  const asSuperuser = new URL(url);
  asSuperuser.username = superuser;
  const admin = openDatabase(asSuperuser.href, { connections: 1 });
  await sql`create database flotilla_restore_test`.execute(admin);
  await admin.destroy();
  const [leftOver] = await copies();
  const asked: unknown[] = [];
  const { promises } = await import('node:fs');
  vi.mocked(statfs).mockImplementation((async (path: string) => {
    asked.push([path, (await copies()).includes(leftOver ?? 0)]);
    return promises.statfs(path);
  }) as never);
  expect(await testRestore(url, file)).toBeNull();
  expect(asked).toEqual([[embeddedData(home), false]]);
  expect(await copies()).toEqual([]);
});

test('a disk with less room than two copies is refused with a sentence, and nothing of a copy stays', async () => {
  vi.mocked(statfs).mockImplementation((async () => ({ bavail: 1_000, bsize: 4_096 })) as never);
  await expect(testRestore(url, file)).rejects.toThrow('The disk of the database has no room for a second copy of it.');
  expect(await copies()).toEqual([]);
});
