import { dayMs, hourMs } from '#engine/market/durations.ts';
import type { BackupTest, PassedBackup } from '#storage/installation/facts.ts';
import { backupTestFact, passedBackupFact, readFact, writeFact } from '#storage/installation/facts.ts';
import { giveWay } from '#storage/embedded/give-way.ts';
import { testRestore } from '#storage/backup/test-restore.ts';
import { execFile } from 'node:child_process';
import { constants, getPriority } from 'node:os';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import fs, { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { embeddedDatabase } from '../../test/support/embedded-database.ts';
import { addTestBot } from '../../test/support/test-bot.ts';
import { backUpBeforeUpgrade, backUpWhenDue, keepBackups } from './scheduled-backups.ts';

const { home, db, url } = await embeddedDatabase();

const start = Date.UTC(2026, 2, 1, 3);
const name = (kind: string, ms: number) => `${kind}-${new Date(ms).toISOString().slice(0, 19).replaceAll(':', '-')}.flotilla`;

const databases = async (): Promise<string[]> =>
  (await sql<{ name: string }>`select datname as name from pg_database where not datistemplate`.execute(db)).rows.map(
    ({ name: found }) => found,
  );

test('a backup is made every six hours, the last fourteen are kept, and what lies there besides is left alone', async () => {
  const folder = join(home, 'backups');
  const due = (ms: number) => backUpWhenDue(url, folder, new Date(start + ms));
  expect(await due(0)).toEqual({ testedAt: new Date(start).toISOString(), file: 'scheduled-2026-03-01T03-00-00.flotilla', fault: null });
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(await readFact<PassedBackup>(db, passedBackupFact)).toEqual({
    file: 'scheduled-2026-03-01T03-00-00.flotilla',
    madeAt: expect.any(String),
    bytes: statSync(join(folder, 'scheduled-2026-03-01T03-00-00.flotilla')).size,
  });
  expect(await due(6 * hourMs - 1)).toBeNull();
  writeFileSync(join(folder, 'mine.flotilla'), 'by hand');
  writeFileSync(join(folder, 'scheduled-notes.txt'), 'not a backup');
  for (const kind of ['untested', 'before-upgrade'])
    writeFileSync(join(folder, `${name(kind, start)}.77.part`), 'of a try that was killed');
  writeFileSync(join(folder, name('daily', start - dayMs)), 'of an earlier version');
  for (let round = 1; round <= 14; round++) expect(await due(round * 6 * hourMs)).toMatchObject({ fault: null });
  const files = readdirSync(folder);
  expect(files).toHaveLength(16);
  expect(files).toEqual(expect.arrayContaining(['mine.flotilla', 'scheduled-notes.txt', name('scheduled', start + 84 * hourMs)]));
  expect(files).not.toContain(name('scheduled', start));
  expect(files).not.toContain(name('daily', start - dayMs));
});

test('a folder that lacks the newest backup, as after a restore into a new home, gets one at once', async () => {
  const folder = join(home, 'new');
  expect(await backUpWhenDue(url, folder, new Date(start + 85 * hourMs))).toMatchObject({ fault: null });
  expect(readdirSync(folder)).toEqual([name('scheduled', start + 85 * hourMs)]);
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
    mkdirSync(folder);
    writeFileSync(join(folder, `${name('before-upgrade', start)}.77.part`), 'of a start that was killed');
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

test('the process that does it makes a backup that passes, and ends', async () => {
  const own = join(home, 'own');
  const main = join(import.meta.dirname, '..', 'main.ts');
  const env = { ...process.env, FLOTILLA_HOME: own, DATABASE_URL: url };
  await promisify(execFile)(process.execPath, [main, 'scheduled-backup'], { env });
  const passed = await readFact<PassedBackup>(db, passedBackupFact);
  expect(readdirSync(join(own, 'backups'))).toEqual([passed?.file]);
});

test('the server process behind a backup gives way to all others', async () => {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  expect(getPriority(rows[0]?.pid ?? 0)).toBeLessThan(constants.priority.PRIORITY_LOW);
  await giveWay(client);
  expect(getPriority(rows[0]?.pid ?? 0)).toBe(constants.priority.PRIORITY_LOW);
  await client.end();
});

describe('the test of a backup', () => {
  const folder = () => join(home, 'tested');
  const due = (ms: number) => backUpWhenDue(url, folder(), new Date(start + ms));
  const files = () => readdirSync(folder()).toSorted();

  test('restores it into a database aside, finds everything, and drops that again', async () => {
    await addTestBot(db, { strategy: 'BuyAndHold' });
    await sql`insert into trades (id, bot_id, symbol, direction, mode, status, opened_at, closed_at, amount, stake, leverage, profit)
      select gen_random_uuid(), id, 'BTC/USDT', 'long', 'paper', 'closed', now(), now(), 1, 5, 1, n / 3.0 from bots, generate_series(1, 500) n`.execute(
      db,
    );
    expect(await due(0)).toEqual({ testedAt: new Date(start).toISOString(), file: name('scheduled', start), fault: null });
    expect(await databases()).toEqual(['postgres']);
  });

  test('one that fails is not a backup: it is named, pushes out none that has passed, and is tried again with the next round', async () => {
    // The schema of a restored database is made by the migrations: without this table the rows have no place there.
    await sql`create table zebra (n int)`.execute(db);
    const passed = await readFact<PassedBackup>(db, passedBackupFact);
    for (const hours of [6, 7, 8, 9]) {
      expect(await due(hours * hourMs)).toEqual({
        testedAt: new Date(start + hours * hourMs).toISOString(),
        file: name('untested', start + hours * hourMs),
        fault: expect.stringContaining('relation "zebra" does not exist'),
      });
    }
    expect(files()).toEqual([name('scheduled', start), ...[7, 8, 9].map((hours) => name('untested', start + hours * hourMs))]);
    expect(await readFact<PassedBackup>(db, passedBackupFact)).toEqual(passed);
    expect(await readFact<BackupTest>(db, backupTestFact)).toMatchObject({ file: name('untested', start + 9 * hourMs) });
    await sql`drop table zebra`.execute(db);
    expect(await due(10 * hourMs)).toMatchObject({ file: name('scheduled', start + 10 * hourMs), fault: null });
    expect(await readFact<BackupTest>(db, backupTestFact)).toMatchObject({ fault: null });
    expect(files()).toEqual([0, 10].map((hours) => name('scheduled', start + hours * hourMs)));
    expect(await databases()).toEqual(['postgres']);
  });

  test('compares what was restored with what the backup says it holds', async () => {
    const bytes = readFileSync(join(folder(), name('scheduled', start)));
    const headEnd = bytes.indexOf(10, 16) + 1;
    const head = bytes.subarray(0, headEnd).toString().replace('"users":1', '"users":9');
    const body = Buffer.concat([Buffer.from(head), bytes.subarray(headEnd, -32)]);
    const changed = join(home, 'changed.flotilla');
    writeFileSync(changed, Buffer.concat([body, createHash('sha256').update(body).digest()]));
    expect(await testRestore(url, changed)).toBe('users has 1 rows instead of 9, and 0 other tables differ.');
    expect(await databases()).toEqual(['postgres']);
  });

  test('one whose folder is gone is noted as well: a link that leads nowhere', async () => {
    const link = join(home, 'link');
    symlinkSync(join(home, 'not-mounted'), link);
    const noted = { testedAt: new Date(start).toISOString(), file: null, fault: expect.stringContaining('ENOENT') };
    expect(await backUpWhenDue(url, link, new Date(start))).toEqual(noted);
    expect(await readFact<BackupTest>(db, backupTestFact)).toEqual(noted);
  });

  test('one from the future is not a reason to wait, and pushes out none of now', async () => {
    const ahead = join(home, 'ahead');
    const at = (hours: number) => backUpWhenDue(url, ahead, new Date(start + hours * hourMs));
    expect(await at(1_000)).toMatchObject({ fault: null });
    for (let i = 1; i <= 14; i++) writeFileSync(join(ahead, name('scheduled', start + (1_000 + i) * hourMs)), '');
    expect(await at(0)).toMatchObject({ file: name('scheduled', start), fault: null });
    expect(readdirSync(ahead)).toHaveLength(14);
    expect(readdirSync(ahead)).toContain(name('scheduled', start));
    expect(await at(5)).toBeNull();
  });

  test('one for which there is no room is not begun: what is needed is noted, and one of those that have not passed stays at most', async () => {
    const full = join(home, 'full');
    const at = (hours: number) => backUpWhenDue(url, full, new Date(start + hours * hourMs));
    expect(await at(0)).toMatchObject({ fault: null });
    for (const hours of [1, 2]) writeFileSync(join(full, name('untested', start + hours * hourMs)), 'did not pass');
    const passed = await readFact<PassedBackup>(db, passedBackupFact);
    await writeFact(db, passedBackupFact, { ...passed, bytes: 1e18 }); // no disk has so much
    const noted = {
      testedAt: new Date(start + 6 * hourMs).toISOString(),
      file: null,
      isOfRoom: true,
      fault: expect.stringMatching(/^There is no room for a backup .*: that takes 1,000,[\d,]+ MB, and [\d,]+ MB are free\.$/u),
    };
    expect(await at(6)).toEqual(noted);
    expect(await readFact<BackupTest>(db, backupTestFact)).toEqual(noted);
    expect(readdirSync(full).toSorted()).toEqual([name('scheduled', start), name('untested', start + 2 * hourMs)]);
    expect(await databases()).toEqual(['postgres']);
    const main = join(import.meta.dirname, '..', 'main.ts');
    mkdirSync(join(home, 'crowded'));
    symlinkSync(full, join(home, 'crowded', 'backups'));
    const env = { ...process.env, FLOTILLA_HOME: join(home, 'crowded'), DATABASE_URL: url };
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [main, 'scheduled-backup'], { env });
    expect(stdout + stderr).toMatch(/No backup was made: There is no room for a backup /u);
    await writeFact(db, passedBackupFact, passed);
    expect(await at(7)).toMatchObject({ file: name('scheduled', start + 7 * hourMs), fault: null });
    expect(readdirSync(full).toSorted()).toEqual([name('scheduled', start), name('scheduled', start + 7 * hourMs)]);
  });

  test('one that fills the disk is noted as one for which there is no room, whether its file or the database says so', async () => {
    const filled = join(home, 'filled');
    const at = (hours: number) => backUpWhenDue(url, filled, new Date(start + hours * hourMs));
    mkdirSync(filled);
    for (const hours of [0, 1]) writeFileSync(join(filled, name('untested', start + hours * hourMs)), 'did not pass');
    const { createWriteStream } = fs;
    fs.createWriteStream = () => createWriteStream('/dev/full');
    syncBuiltinESMExports();
    try {
      expect(await at(2)).toMatchObject({ file: null, isOfRoom: true, fault: expect.stringMatching(/^ENOSPC/u) });
    } finally {
      fs.createWriteStream = createWriteStream;
      syncBuiltinESMExports();
    }
    expect(readdirSync(filled)).toEqual([name('untested', start + hourMs)]);
    // As PostgreSQL answers when it has no room for its own temporary files.
    await sql`create function full_disk() returns boolean language plpgsql as
      $$ begin raise exception 'could not write to file: No space left on device' using errcode = 'disk_full'; end $$`.execute(db);
    await sql`create policy full_disk on users using (full_disk())`.execute(db);
    await sql`alter table users enable row level security, force row level security`.execute(db);
    try {
      expect(await at(3)).toMatchObject({ file: null, isOfRoom: true, fault: expect.stringMatching(/No space left on device/u) });
    } finally {
      await sql`alter table users disable row level security, no force row level security`.execute(db);
      await sql`drop policy full_disk on users`.execute(db);
      await sql`drop function full_disk`.execute(db);
    }
    expect(await at(4)).toMatchObject({ fault: null });
  });

  test('those that have not passed are a measure of the next until one has', async () => {
    const grown = join(home, 'grown');
    const at = (hours: number) => backUpWhenDue(url, grown, new Date(start + hours * hourMs));
    const huge = (hours: number) => {
      const path = join(grown, name('untested', start + hours * hourMs));
      writeFileSync(path, '');
      truncateSync(path, 4e12); // more than the disk has, of which it takes nothing
    };
    mkdirSync(grown);
    huge(-1);
    expect(await at(0)).toMatchObject({ file: null, fault: expect.stringMatching(/takes 4,000,\d{3} MB/u), isOfRoom: true });
    rmSync(join(grown, name('untested', start - hourMs)));
    expect(await at(1)).toMatchObject({ fault: null });
    huge(-1);
    expect(await at(7)).toMatchObject({ fault: null });
    expect(readdirSync(grown).toSorted()).toEqual([1, 7].map((hours) => name('scheduled', start + hours * hourMs)));
    huge(8);
    expect(await at(13)).toMatchObject({ file: null, isOfRoom: true });
  });

  test('one that cannot be made is noted as well', async () => {
    const taken = join(folder(), name('untested', start + 20 * hourMs));
    writeFileSync(taken, 'in its place');
    expect(await due(20 * hourMs)).toMatchObject({ file: null, fault: expect.stringContaining('is there already') });
    rmSync(taken);
    await expect(backUpWhenDue('postgres://127.0.0.1:1/none', folder(), new Date(start + 21 * hourMs))).rejects.toThrow();
  });
});

describe('the rounds of an hour', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
  });

  /** Rounds that end when they are let, and what was said of them. */
  function kept() {
    const rounds: PromiseWithResolvers<void>[] = [];
    const said: string[] = [];
    const round = async (): Promise<void> => {
      const running = Promise.withResolvers<void>();
      rounds.push(running);
      await running.promise;
    };
    return { rounds, said, stop: keepBackups(round, (line) => void said.push(line)) };
  }

  test('one that fails is said, and the next hour tries again', async () => {
    const { rounds, said, stop } = kept();
    await vi.advanceTimersByTimeAsync(hourMs / 6);
    rounds[0]?.reject(new Error('The disk is full.'));
    await vi.advanceTimersByTimeAsync(0);
    expect(said).toEqual(['The backup was not made: The disk is full. The next hour tries again.']);
    await vi.advanceTimersByTimeAsync(hourMs);
    expect(rounds).toHaveLength(2);
    rounds[1]?.resolve();
    await stop();
    expect(said).toHaveLength(1);
  });

  test('one that takes longer than an hour is joined by no other, which begins when it has ended', async () => {
    const { rounds, stop } = kept();
    await vi.advanceTimersByTimeAsync(hourMs + 1);
    expect(rounds).toHaveLength(1);
    rounds[0]?.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(rounds).toHaveLength(2);
    rounds[1]?.resolve();
    await stop();
  });

  test('a stop waits for the one that is under way, and none begins after it', async () => {
    const { rounds, stop } = kept();
    await vi.advanceTimersByTimeAsync(hourMs / 6);
    let isStopped = false;
    const stopping = stop().then(() => (isStopped = true));
    await vi.advanceTimersByTimeAsync(2 * hourMs);
    expect([isStopped, rounds.length]).toEqual([false, 1]);
    rounds[0]?.resolve();
    await stopping;
    await vi.advanceTimersByTimeAsync(2 * hourMs);
    expect(rounds).toHaveLength(1);
  });
});
