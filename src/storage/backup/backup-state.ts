import { hourMs } from '#engine/market/durations.ts';
import type { Database } from '../database.ts';
import type { BackupSchedule, BackupTest, PassedBackup } from '../installation/facts.ts';
import { backupScheduleFact, backupTestFact, passedBackupFact, readFact, removeFact, writeFact } from '../installation/facts.ts';

/** When a backup is older, the next one was left out, and the first round after a start was given time. */
export const staleBackupMs = 13 * hourMs;

/** How long after a start the first backup may take: before it nothing can be newer. */
const firstBackupMs = hourMs;

/** A backup that does not count. */
export interface FailedBackup {
  file: string | null; // null: none was made
  fault: string;
  isOfRoom: boolean; // the disk is too full for it, or for its test
}

/** What became of a backup that does not count, as a sentence. */
export function failedBackupText({ file, fault, isOfRoom }: FailedBackup): string {
  if (file === null) return `No backup was made: ${fault}`;
  return `The backup ${file} ${isOfRoom ? 'was not tested' : 'did not pass its test'}, so it does not count: ${fault}`;
}

/** What to do where a backup does not count because the disk is full. */
export const roomAdvice = 'Make room on that disk.';

/** What is wrong with the backups of a database. */
export interface BackupFault {
  test: FailedBackup | null; // the last that was tried; null: none was noted that failed, and yet none has passed lately
  passed: PassedBackup | null; // the newest
}

/** Notes at a start whether this instance makes the backups of its database. */
export async function noteBackupSchedule(db: Database, isScheduled: boolean, now: Date): Promise<void> {
  if (!isScheduled) return removeFact(db, backupScheduleFact);
  const before = await readFact<BackupSchedule>(db, backupScheduleFact);
  const startedAt = now.toISOString();
  await writeFact(db, backupScheduleFact, { since: before?.since ?? startedAt, startedAt } satisfies BackupSchedule);
}

/** What is wrong with a try; null when it went well. */
export function failureOf({ file, fault, isOfRoom = false }: BackupTest): FailedBackup | null {
  return fault === null ? null : { file, fault, isOfRoom };
}

/**
 * What is wrong with the backups: the last that was tried has failed its test, or, where they are made on a schedule, none has passed for 13
 * hours. Nothing is noted of one that hangs, is killed, or is never begun. A backup from the future is none of now: a clock was wrong.
 */
export async function backupFault(db: Database, now: Date): Promise<BackupFault | null> {
  const [test, passed, schedule] = await Promise.all([
    readFact<BackupTest>(db, backupTestFact),
    readFact<PassedBackup>(db, passedBackupFact),
    readFact<BackupSchedule>(db, backupScheduleFact),
  ]);
  const failed = test === null ? null : failureOf(test);
  if (failed !== null) return { test: failed, passed };
  if (schedule === null) return null;
  const isFresh = (time: string, ms: number): boolean => {
    const age = now.getTime() - Date.parse(time);
    return age >= 0 && age <= ms;
  };
  if (isFresh(schedule.since, staleBackupMs) || isFresh(schedule.startedAt, firstBackupMs)) return null;
  return passed !== null && isFresh(passed.madeAt, staleBackupMs) ? null : { test: null, passed };
}
