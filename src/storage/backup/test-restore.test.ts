import { statfs } from 'node:fs/promises';
import { constants, getPriority } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import { embeddedDatabase } from '../../../test/support/embedded-database.ts';
import { openDatabase } from '../database.ts';
import { superuser } from '../embedded/access-rules.ts';
import { embeddedData } from '../embedded/server-place.ts';
import { backup } from './backup.ts';
import { NoRoom, refuseWithoutRoom, testRestore } from './test-restore.ts';

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

test.each([
  ['for a copy', async () => expect(await testRestore(url, file)).toBeNull()],
  ['for a backup and its test', () => refuseWithoutRoom(url, home, null)],
])('the room %s is looked for where the database lies: the copy of a killed try is gone, and none is made yet', async (_what, check) => {
  const asSuperuser = new URL(url);
  asSuperuser.username = superuser;
  const admin = openDatabase(asSuperuser.href, { connections: 1 });
  await sql`create database flotilla_restore_test`.execute(admin);
  await admin.destroy();
  expect(await copies()).toHaveLength(1);
  const asked: unknown[] = [];
  const { promises } = await import('node:fs');
  vi.mocked(statfs).mockImplementation((async (path: string) => {
    asked.push([path, await copies()]);
    return promises.statfs(path);
  }) as never);
  await check();
  expect(asked).toEqual([[embeddedData(home), []]]);
  expect(await copies()).toEqual([]);
});

test('the restore of a copy gives way to all others: those who trade write to the same disk', async () => {
  const { promises } = await import('node:fs');
  vi.mocked(statfs).mockImplementation(promises.statfs);
  const seen = new Map<number, number>(); // how each session stood when it was last seen
  const tested = { isOver: false };
  const result = testRestore(url, file).finally(() => (tested.isOver = true));
  while (!tested.isOver) {
    const { rows } = await sql<{ pid: number }>`select pid from pg_stat_activity where application_name = 'flotilla restore'`.execute(db);
    for (const { pid } of rows) if (priorityOf(pid) !== null) seen.set(pid, priorityOf(pid) ?? 0);
  }
  expect([await result, [...seen.values()]]).toEqual([null, [constants.priority.PRIORITY_LOW]]);
});

/** The priority of a process; null when it has ended. */
function priorityOf(pid: number): number | null {
  try {
    return getPriority(pid);
  } catch {
    return null;
  }
}

/** Disks with so many bytes free, by a folder that lies there. */
const withFree = (free: Record<string, number>): void =>
  void vi.mocked(statfs).mockImplementation((async (path: string) => ({ bavail: free[path] ?? -1, bsize: 1 })) as never);

test('a disk with less room than two copies is refused with a sentence, and nothing of a copy stays', async () => {
  withFree({ [embeddedData(home) ?? '']: 4_096_000 });
  const refused = await testRestore(url, file).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(NoRoom);
  expect(String(refused)).toMatch(/There is no room for a second copy of the database in .*: that takes [\d,]+ MB, and 4 MB are free\.$/u);
  expect(await copies()).toEqual([]);
});

test('a copy left over that cannot be dropped does not hide that the disk is full', async () => {
  const asSuperuser = new URL(url);
  asSuperuser.username = superuser;
  const admin = openDatabase(asSuperuser.href, { connections: 1 });
  await sql`create database flotilla_restore_test is_template true`.execute(admin); // as good as any other reason
  try {
    withFree({ [embeddedData(home) ?? '']: 4_096_000 });
    await expect(refuseWithoutRoom(url, home, null)).rejects.toThrow(/^There is no room for a backup and its test in /u);
  } finally {
    await sql`alter database flotilla_restore_test is_template false`.execute(admin);
    await sql`drop database flotilla_restore_test`.execute(admin);
    await admin.destroy();
  }
});

describe('before a backup is made there must be room for it and twice the database', () => {
  const size = async () =>
    Number((await sql<{ size: string }>`select pg_database_size(current_database()) as size`.execute(db)).rows[0]?.size);
  const data = embeddedData(home) ?? '';

  test.each([
    ['the size that it is expected to have', 50_000_000],
    ['a fifth of the database where none is known', null],
  ])('on one disk together, with %s', async (_what, bytes) => {
    const needed = 2 * (await size()) + (bytes ?? (await size()) / 5);
    withFree({ [data]: needed });
    await refuseWithoutRoom(url, home, bytes);
    withFree({ [data]: needed - 8_192 });
    const [takes, free] = [Math.ceil(needed / 1e6), Math.floor((needed - 8_192) / 1e6)].map((each) => each.toLocaleString('en'));
    await expect(refuseWithoutRoom(url, home, bytes)).rejects.toThrow(
      `There is no room for a backup and its test in ${data}: that takes ${takes} MB, and ${free} MB are free.`,
    );
    expect(await copies()).toEqual([]);
  });

  test('on two disks for each of the two', async () => {
    const twice = 2 * (await size());
    withFree({ '/proc': 100, [data]: twice });
    await refuseWithoutRoom(url, '/proc', 100);
    await expect(refuseWithoutRoom(url, '/proc', 101)).rejects.toThrow('no room for a backup in /proc: that takes 1 MB');
    withFree({ '/proc': 100, [data]: twice - 8_192 });
    await expect(refuseWithoutRoom(url, '/proc', 100)).rejects.toThrow(`no room for the test of a backup in ${data}`);
  });
});
