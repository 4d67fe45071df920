import { hourMs } from '#engine/market/durations.ts';
import { errorText } from '#engine/ports/error-text.ts';
import { backup } from '#storage/backup/backup.ts';
import { openDatabase } from '#storage/database.ts';
import { inTransaction } from '#storage/in-transaction.ts';
import type { BackupTest, PassedBackup } from '#storage/installation/facts.ts';
import { backupTestFact, passedBackupFact, readFact, writeFact } from '#storage/installation/facts.ts';
import { failedBackupText, failureOf } from '#storage/backup/backup-state.ts';
import { NoRoom, refuseWithoutRoom, testRestore } from '#storage/backup/test-restore.ts';
import { schemaState } from '#storage/migrate.ts';
import { lowerSession } from '#strategy-process/session-niceness.ts';
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import type { Config } from './config.ts';
import { joinInstance } from './join-instance.ts';

const everyMs = 6 * hourMs;

/** Backups of ours by the first word of their name, and how many are kept. */
const kept = { scheduled: 14, untested: 3, 'before-upgrade': 3 } as const;
type Kind = keyof typeof kept | 'daily'; // versions before made one a day

/**
 * Makes a backup in `folder` when the newest that has passed its test is six hours old, restores it into a database aside, and counts it
 * as one when that has given everything back. Only those push out earlier ones: the last fourteen are kept, and of those that have not
 * passed since the last three; one where the disk is full. Where there is no room for it and its test none is made. How it went is noted. Backups
 * by hand in the same folder are left alone. Gives null when none was due.
 *
 * Fails: when how it went cannot be noted
 */
export async function backUpWhenDue(databaseUrl: string, folder: string, now: Date): Promise<BackupTest | null> {
  const passed = await withFacts(databaseUrl, (db) => readFact<PassedBackup>(db, passedBackupFact));
  const untested = nameOf('untested', now);
  const made = await tryWhenDue(databaseUrl, { folder, untested, passed, now }).catch((error: unknown) => failed(error, null));
  if (made === null) return null;
  const { file, fault } = made;
  const lacksRoom = made.fault !== null && made.isOfRoom;
  const test: BackupTest = { testedAt: now.toISOString(), file, fault, ...(lacksRoom ? { isOfRoom: true } : {}) };
  await withFacts(databaseUrl, (db) =>
    inTransaction(db, async (trx) => {
      await writeFact(trx, backupTestFact, test);
      if (made.fault === null)
        await writeFact(trx, passedBackupFact, { file: made.file, madeAt: made.madeAt, bytes: made.bytes } satisfies PassedBackup);
    }),
  );
  if (lacksRoom) removeOld(folder, now, 1);
  else if (file !== null) removeOld(folder, now, fault === null ? 0 : kept.untested);
  return test;
}

/** How a try went; without a file where none was made. */
type Made = { fault: string; file: string | null; isOfRoom: boolean } | { fault: null; file: string; madeAt: string; bytes: number };

function failed(error: unknown, file: string | null): Made {
  return { fault: errorText(error), file, isOfRoom: isOfRoom(error) };
}

/** Codes of a disk that was filled on the way: of the system for the backup's file, of PostgreSQL for its own. */
const fullDiskCodes: readonly unknown[] = ['ENOSPC', '53100'];

/** Whether it failed for want of room, which was missed before it was begun or on the way. */
function isOfRoom(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error instanceof NoRoom || ('code' in error && fullDiskCodes.includes(error.code)) || isOfRoom(error.cause);
}

/** Makes a backup and restores it as a test; what it is, or what is wrong with it. Null when the newest that has passed is young enough. */
async function tryWhenDue(
  databaseUrl: string,
  { folder, untested, passed, now }: { folder: string; untested: string; passed: PassedBackup | null; now: Date },
): Promise<Made | null> {
  makeFolder(folder);
  removeUnfinished(folder);
  const newest = filesOf(folder, 'scheduled').find(({ name }) => name === passed?.file);
  const age = newest === undefined ? Infinity : now.getTime() - newest.time;
  if (age >= 0 && age < everyMs) return null; // one from the future is of a clock that was wrong
  await refuseWithoutRoom(databaseUrl, folder, expectedBytes(folder, passed, newest?.time ?? -Infinity));
  const path = join(folder, untested);
  const { madeAt, bytes } = await backup(databaseUrl, path, { givesWay: true });
  try {
    const fault = await testRestore(databaseUrl, path);
    if (fault !== null) return { fault, file: untested, isOfRoom: false };
  } catch (error) {
    return failed(error, untested);
  }
  const file = nameOf('scheduled', now);
  renameSync(path, join(folder, file));
  return { fault: null, file, madeAt, bytes };
}

/** What the next backup takes: as much as the largest of the newest that has passed and those since that have not. Null: there is none. */
function expectedBytes(folder: string, passed: PassedBackup | null, passedTime: number): number | null {
  const since = filesOf(folder, 'untested').filter(({ time }) => time > passedTime);
  const untested = since.map(({ name }) => statSync(join(folder, name)).size);
  const most = Math.max(passed?.bytes ?? 0, ...untested);
  return most === 0 ? null : most;
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
    makeFolder(folder);
    removeUnfinished(folder);
    const file = join(folder, nameOf('before-upgrade', now));
    await backup(databaseUrl, file);
    removeOld(folder, now);
    return file;
  } catch (cause) {
    throw new Error(`The database was not brought up to date, because no backup could be made before: ${errorText(cause)}`, { cause });
  }
}

/** What a supervised process does once an hour: asks what is due, and lets everything else on this machine come first. */
export async function scheduledBackupCommand(config: Config, say: (line: string) => void): Promise<void> {
  process.on('disconnect', () => process.exit(1)); // whoever started this is gone, and the database may go with it
  setPriority(constants.priority.PRIORITY_LOW);
  lowerSession(constants.priority.PRIORITY_LOW);
  const { databaseUrl, home } = joinInstance(config);
  const test = await backUpWhenDue(databaseUrl ?? '', join(home, 'backups'), new Date());
  const failure = test === null ? null : failureOf(test);
  if (failure !== null) say(failedBackupText(failure));
}

/** Has every hour done what is due, the first time after ten minutes: a start has other work. Gives the way to end that. */
export function keepBackups(backUp: () => Promise<unknown>, say: (line: string) => void): () => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  let isEnded = false;
  const round = async (): Promise<unknown> => (isEnded ? null : backUp()); // one that has waited for hours must not begin with the stop
  const next = (): void => {
    last = last.then(round).catch((error: unknown) => say(`The backup was not made: ${errorText(error)} The next hour tries again.`));
  };
  const first = setTimeout(next, hourMs / 6);
  const timer = setInterval(next, hourMs);
  return async () => {
    isEnded = true;
    clearTimeout(first);
    clearInterval(timer);
    await last;
  };
}

function makeFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/** What a backup of ours leaves that was killed while it was written: an instance makes one at a time. */
function removeUnfinished(folder: string): void {
  for (const name of readdirSync(folder)) if (/^(?:untested|before-upgrade)-.*\.part$/u.test(name)) rmSync(join(folder, name));
}

/** What has not passed is of use until a later one has: so many of those are kept. */
function removeOld(folder: string, now: Date, mostUntested: number = kept.untested): void {
  // Before the old ones goes what is from the future, since a clock was wrong: it must not push out what is made now.
  const ageOf = ({ time }: { time: number }): number => (time > now.getTime() ? Infinity : now.getTime() - time);
  const beyond = (most: number, ...kinds: Kind[]) =>
    kinds
      .flatMap((kind) => filesOf(folder, kind))
      .toSorted((a, b) => ageOf(a) - ageOf(b))
      .slice(most);
  const old = [
    ...beyond(kept.scheduled, 'daily', 'scheduled'), // what versions before have left goes as the new ones come
    ...beyond(mostUntested, 'untested'),
    ...beyond(kept['before-upgrade'], 'before-upgrade'),
  ];
  for (const { name } of old) rmSync(join(folder, name));
}

function nameOf(kind: Kind, now: Date): string {
  return `${kind}-${now.toISOString().replaceAll(':', '-').slice(0, 19)}.flotilla`;
}

/** The backups of a kind in a folder with the times in their names ('scheduled-2026-11-22T08-15-00.flotilla'). */
function filesOf(folder: string, kind: Kind): { name: string; time: number }[] {
  return readdirSync(folder).flatMap((name) => {
    const [, found, day, time = ''] =
      /^(scheduled|untested|before-upgrade|daily)-(\d{4}-\d\d-\d\d)T(\d\d-\d\d-\d\d)\.flotilla$/u.exec(name) ?? [];
    return found === kind ? [{ name, time: Date.parse(`${day}T${time.replaceAll('-', ':')}Z`) }] : [];
  });
}

async function withFacts<T>(databaseUrl: string, work: (db: ReturnType<typeof openDatabase>) => Promise<T>): Promise<T> {
  const db = openDatabase(databaseUrl, { connections: 1, onError: () => {} });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}
