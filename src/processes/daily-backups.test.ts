import { dayMs } from '#engine/market/durations.ts';
import { openDatabase, type Database } from '#storage/database.ts';
import { startEmbeddedServer, type EmbeddedServer } from '#storage/embedded/embedded-server.ts';
import { lastBackupFact, readFact } from '#storage/facts.ts';
import { migrate } from '#storage/migrate.ts';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { backUpWhenDue } from './daily-backups.ts';

let home = '';
let server: EmbeddedServer;
let db: Database;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'flotilla-daily-'));
  chmodSync(home, 0o755);
  server = await startEmbeddedServer(home);
  db = openDatabase(server.url, { connections: 2 });
  await migrate(db);
});
afterAll(async () => {
  await db.destroy();
  await server.stop();
  rmSync(home, { recursive: true });
});

test('a backup is made once a day, the last seven are kept, and what lies there besides is left alone', async () => {
  const folder = join(home, 'backups');
  const start = Date.UTC(2026, 2, 1, 3);
  const due = (ms: number) => backUpWhenDue(server.url, folder, new Date(start + ms));
  expect(await due(0)).toBe(join(folder, 'daily-2026-03-01T03-00-00.flotilla'));
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(await readFact<{ bytes: number }>(db, lastBackupFact)).toMatchObject({ madeAt: expect.any(String), bytes: expect.any(Number) });
  expect(await due(dayMs - 1)).toBeNull();
  writeFileSync(join(folder, 'mine.flotilla'), 'by hand');
  writeFileSync(join(folder, 'daily-notes.txt'), 'not a backup');
  for (let day = 1; day <= 8; day++) expect(await due(day * dayMs)).not.toBeNull();
  const files = readdirSync(folder).toSorted();
  expect(files).toHaveLength(9);
  expect(files).toEqual(expect.arrayContaining(['mine.flotilla', 'daily-notes.txt', 'daily-2026-03-09T03-00-00.flotilla']));
  expect(files).not.toContain('daily-2026-03-02T03-00-00.flotilla');
});

test('one that fails leaves the earlier ones', async () => {
  const folder = join(home, 'other');
  const now = Date.UTC(2026, 4, 1);
  await backUpWhenDue(server.url, folder, new Date(now));
  await expect(backUpWhenDue('postgres://127.0.0.1:1/none', folder, new Date(now + 2 * dayMs))).rejects.toThrow();
  expect(readdirSync(folder)).toEqual(['daily-2026-05-01T00-00-00.flotilla']);
});
