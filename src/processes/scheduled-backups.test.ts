import { dayMs, hourMs } from '#engine/market/durations.ts';
import type { BackupTest } from '#storage/installation/facts.ts';
import { backupTestFact, lastBackupFact, readFact } from '#storage/installation/facts.ts';
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { embeddedDatabase } from '../../test/support/embedded-database.ts';
import { addTestBot } from '../../test/support/test-bot.ts';
import { backUpBeforeUpgrade, backUpWhenDue, testBackupWhenDue } from './scheduled-backups.ts';

const { home, db, url } = await embeddedDatabase();

const start = Date.UTC(2026, 2, 1, 3);
const name = (kind: string, ms: number) => `${kind}-${new Date(ms).toISOString().slice(0, 19).replaceAll(':', '-')}.flotilla`;

test('a backup is made every six hours, the last fourteen are kept, and what lies there besides is left alone', async () => {
  const folder = join(home, 'backups');
  const due = (ms: number) => backUpWhenDue(url, folder, new Date(start + ms));
  expect(await due(0)).toBe(join(folder, 'scheduled-2026-03-01T03-00-00.flotilla'));
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(await readFact<{ bytes: number }>(db, lastBackupFact)).toMatchObject({ madeAt: expect.any(String), bytes: expect.any(Number) });
  expect(await due(6 * hourMs - 1)).toBeNull();
  writeFileSync(join(folder, 'mine.flotilla'), 'by hand');
  writeFileSync(join(folder, 'scheduled-notes.txt'), 'not a backup');
  writeFileSync(join(folder, name('daily', start - dayMs)), 'of an earlier version');
  for (let round = 1; round <= 14; round++) expect(await due(round * 6 * hourMs)).not.toBeNull();
  const files = readdirSync(folder);
  expect(files).toHaveLength(16);
  expect(files).toEqual(expect.arrayContaining(['mine.flotilla', 'scheduled-notes.txt', name('scheduled', start + 84 * hourMs)]));
  expect(files).not.toContain(name('scheduled', start));
  expect(files).not.toContain(name('daily', start - dayMs));
});

test('one that fails leaves the earlier ones', async () => {
  const folder = join(home, 'other');
  const now = Date.UTC(2026, 4, 1);
  await backUpWhenDue(url, folder, new Date(now));
  await expect(backUpWhenDue('postgres://127.0.0.1:1/none', folder, new Date(now + 2 * dayMs))).rejects.toThrow();
  expect(readdirSync(folder)).toEqual([name('scheduled', now)]);
});

test('a backup is made before the tables change, and only then; when it cannot be made they must not change', async () => {
  const folder = join(home, 'upgrades');
  const upgrade = (ms: number, to = folder) => backUpBeforeUpgrade(url, to, new Date(start + ms));
  expect(await upgrade(0)).toBeNull();
  const { rows } = await sql<{
    name: string;
    timestamp: string;
  }>`delete from kysely_migration where name = '0019-report-mails' returning *`.execute(db);
  try {
    for (let i = 0; i < 4; i++) expect(await upgrade(i * hourMs)).toBe(join(folder, name('before-upgrade', start + i * hourMs)));
    expect(readdirSync(folder).toSorted()).toEqual([1, 2, 3].map((i) => name('before-upgrade', start + i * hourMs)));
    writeFileSync(join(home, 'file'), '');
    await expect(upgrade(0, join(home, 'file'))).rejects.toThrow(
      /^The database was not brought up to date, because no backup could be made before: /u,
    );
  } finally {
    await sql`insert into kysely_migration (name, timestamp) values (${rows[0]?.name}, ${rows[0]?.timestamp})`.execute(db);
  }
});

describe('the test of a backup', () => {
  const folder = () => join(home, 'tested');
  const backUp = (ms: number) => backUpWhenDue(url, folder(), new Date(start + ms));
  const check = (ms: number) => testBackupWhenDue(url, folder(), new Date(start + ms));
  const databases = async (): Promise<string[]> =>
    (await sql<{ name: string }>`select datname as name from pg_database where not datistemplate`.execute(db)).rows.map(
      ({ name: found }) => found,
    );

  test('restores it once a week into a database aside, finds everything, and drops that again', async () => {
    expect(await check(0)).toBeNull(); // there is none
    await addTestBot(db, { strategy: 'BuyAndHold' });
    await sql`insert into trades (id, bot_id, symbol, direction, mode, status, opened_at, closed_at, amount, stake, leverage, profit)
      select gen_random_uuid(), id, 'BTC/USDT', 'long', 'paper', 'closed', now(), now(), 1, 5, 1, n / 3.0 from bots, generate_series(1, 500) n`.execute(
      db,
    );
    await backUp(0);
    await sql`delete from trades`.execute(db); // the running database is another by now: the backup is compared with itself
    expect(await check(0)).toEqual({ testedAt: new Date(start).toISOString(), file: name('scheduled', start), fault: null });
    expect(await readFact<BackupTest>(db, backupTestFact)).toMatchObject({ fault: null });
    expect(await databases()).toEqual(['postgres']);
    await backUp(6 * dayMs);
    expect(await check(7 * dayMs - 1)).toBeNull();
    expect(await check(7 * dayMs)).toMatchObject({ file: name('scheduled', start + 6 * dayMs), fault: null });
  });

  test('finds one that is damaged, that lacks rows, and whose money is another; it is tried again with the next backup', async () => {
    const file = await backUp(20 * dayMs);
    const whole = readFileSync(file ?? '');
    const damaged = Buffer.from(whole);
    damaged[damaged.length - 100] = (damaged.at(-100) ?? 0) ^ 1;
    writeFileSync(file ?? '', damaged);
    expect(await check(20 * dayMs)).toMatchObject({ fault: expect.stringContaining('is damaged or was cut short') });
    expect(await check(20 * dayMs + hourMs)).toBeNull();

    // The head says more than what was restored: as if rows had been lost on the way.
    for (const [day, change, fault] of [
      [21, (text: string) => text.replace(/"users":(\d)/u, '"users":9'), 'users has 1 rows instead of 9, and 0 other tables differ.'],
      [
        22,
        (text: string) => text.replace(/"closedProfit":"[^"]*"/u, '"closedProfit":"7"'),
        'The profits of closed trades add up to 0 instead of 7.',
      ],
    ] as const) {
      const next = (await backUp(day * dayMs)) ?? '';
      const bytes = readFileSync(next);
      const headEnd = bytes.indexOf(10, 16) + 1;
      const body = Buffer.concat([Buffer.from(change(bytes.subarray(0, headEnd).toString())), bytes.subarray(headEnd, -32)]);
      writeFileSync(next, Buffer.concat([body, createHash('sha256').update(body).digest()]));
      expect(await check(day * dayMs)).toMatchObject({ fault });
    }
    await backUp(23 * dayMs);
    expect(await check(23 * dayMs)).toMatchObject({ fault: null });
    expect(await databases()).toEqual(['postgres']);
  });
});
