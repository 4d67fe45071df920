import { dayMs, hourMs } from '#engine/market/durations.ts';
import { errorText } from '#engine/ports/error-text.ts';
import { backup } from '#storage/backup/backup.ts';
import { openDatabase } from '#storage/database.ts';
import type { BackupTest } from '#storage/installation/facts.ts';
import { backupTestFact, lastBackupFact, readFact, writeFact } from '#storage/installation/facts.ts';
import { testRestore } from '#storage/backup/test-restore.ts';
import { schemaState } from '#storage/migrate.ts';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';

const everyMs = 6 * hourMs;
const testEveryMs = 7 * dayMs;

/** Backups of ours by the first word of their name, and how many are kept. Versions before made one a day. */
const kept = { scheduled: 14, 'before-upgrade': 3, daily: 14 } as const;
type Kind = keyof typeof kept;

/**
 * Makes a backup in `folder` when the newest scheduled one is six hours old, keeps the last fourteen, and notes when it was made.
 * Backups by hand in the same folder are left alone. Gives the file, or null when none was due.
 *
 * Fails: as `backup` does; the earlier ones stay
 */
export async function backUpWhenDue(databaseUrl: string, folder: string, now: Date): Promise<string | null> {
  const newest = [...filesOf(folder, 'scheduled'), ...filesOf(folder, 'daily')]
    .map(({ time }) => time)
    .sort((a, b) => a - b)
    .at(-1);
  if (newest !== undefined && now.getTime() - newest < everyMs) return null;
  return makeBackup(databaseUrl, folder, 'scheduled', now);
}

/**
 * Makes a backup when this version is about to change the tables of the database, null when it is not.
 *
 * Fails: with one sentence; the database must not be changed then
 */
export async function backUpBeforeUpgrade(databaseUrl: string, folder: string, now: Date): Promise<string | null> {
  const db = openDatabase(databaseUrl, { connections: 1, onError: () => {} });
  try {
    const { isOurs, missing, newer } = await schemaState(db);
    if (!isOurs || missing.length === 0 || newer.length > 0) return null;
  } finally {
    await db.destroy();
  }
  try {
    return await makeBackup(databaseUrl, folder, 'before-upgrade', now);
  } catch (cause) {
    throw new Error(`The database was not brought up to date, because no backup could be made before: ${errorText(cause)}`, { cause });
  }
}

async function makeBackup(databaseUrl: string, folder: string, kind: Kind, now: Date): Promise<string> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${kind}-${now.toISOString().replaceAll(':', '-').slice(0, 19)}.flotilla`);
  const { madeAt, bytes } = await backup(databaseUrl, file);
  await withFacts(databaseUrl, (db) => writeFact(db, lastBackupFact, { madeAt, bytes }));
  // What versions before have left goes as the new ones come.
  const scheduled = [...filesOf(folder, 'daily'), ...filesOf(folder, 'scheduled')].sort((a, b) => a.time - b.time);
  const old = [...scheduled.slice(0, -kept.scheduled), ...filesOf(folder, 'before-upgrade').slice(0, -kept['before-upgrade'])];
  for (const { name } of old) rmSync(join(folder, name));
  return file;
}

/**
 * Restores the newest scheduled backup into a database aside once a week, and notes how that went. One that failed is tried again with
 * the next backup. Gives what was found, or null when no test was due.
 */
export async function testBackupWhenDue(databaseUrl: string, folder: string, now: Date): Promise<BackupTest | null> {
  const newest = filesOf(folder, 'scheduled').at(-1)?.name;
  if (newest === undefined) return null;
  const last = await withFacts(databaseUrl, (db) => readFact<BackupTest>(db, backupTestFact));
  if (last !== null && (last.fault === null ? now.getTime() - Date.parse(last.testedAt) < testEveryMs : last.file === newest)) return null;
  const fault = await testRestore(databaseUrl, join(folder, newest)).catch((error: unknown) => errorText(error));
  const result: BackupTest = { testedAt: now.toISOString(), file: basename(newest), fault };
  await withFacts(databaseUrl, (db) => writeFact(db, backupTestFact, result));
  return result;
}

/** Asks every hour what is due, the first time after ten minutes: a start has other work. Gives the way to end that. */
export function keepBackups(databaseUrl: string, folder: string, say: (line: string) => void): () => Promise<void> {
  let round: Promise<unknown> = Promise.resolve();
  const ask = async (): Promise<void> => {
    await backUpWhenDue(databaseUrl, folder, new Date());
    const test = await testBackupWhenDue(databaseUrl, folder, new Date());
    if (test !== null && test.fault !== null) say(`The backup ${test.file} could not be restored as a test: ${test.fault}`);
  };
  const next = (): void => {
    round = round.then(ask).catch((error: unknown) => say(`The backup was not made: ${errorText(error)} The next hour tries again.`));
  };
  const first = setTimeout(next, hourMs / 6);
  const timer = setInterval(next, hourMs);
  return async () => {
    clearTimeout(first);
    clearInterval(timer);
    await round;
  };
}

/** The backups of a kind in a folder with the times in their names ('scheduled-2026-11-22T08-15-00.flotilla'), the oldest first. */
function filesOf(folder: string, kind: Kind): { name: string; time: number }[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return readdirSync(folder)
    .flatMap((name) => {
      const [, found, day, time = ''] = /^(scheduled|before-upgrade|daily)-(\d{4}-\d\d-\d\d)T(\d\d-\d\d-\d\d)\.flotilla$/u.exec(name) ?? [];
      return found === kind ? [{ name, time: Date.parse(`${day}T${time.replaceAll('-', ':')}Z`) }] : [];
    })
    .sort((a, b) => a.time - b.time);
}

async function withFacts<T>(databaseUrl: string, work: (db: ReturnType<typeof openDatabase>) => Promise<T>): Promise<T> {
  const db = openDatabase(databaseUrl, { connections: 1, onError: () => {} });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}
