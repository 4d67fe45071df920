import { dayMs, hourMs } from '#engine/market/durations.ts';
import { errorText } from '#engine/ports/error-text.ts';
import { backup } from '#storage/backup.ts';
import { openDatabase } from '#storage/database.ts';
import { lastBackupFact, writeFact } from '#storage/facts.ts';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const kept = 7;
const prefix = 'daily-';
const suffix = '.flotilla';

/**
 * Makes a backup in `folder` when the newest one is a day old, keeps the last seven, and notes when it was made. Backups by hand
 * in the same folder are left alone. Gives the file, or null when none was due.
 *
 * Fails: as `backup` does; the earlier ones stay
 */
export async function backUpWhenDue(databaseUrl: string, folder: string, now: Date): Promise<string | null> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const newest = dailyFiles(folder).at(-1);
  if (newest !== undefined && now.getTime() - timeOf(newest) < dayMs) return null;
  const file = join(folder, `${prefix}${now.toISOString().replaceAll(':', '-').slice(0, 19)}${suffix}`);
  const { madeAt, bytes } = await backup(databaseUrl, file);
  const db = openDatabase(databaseUrl, { connections: 1 });
  try {
    await writeFact(db, lastBackupFact, { madeAt, bytes });
  } finally {
    await db.destroy();
  }
  for (const old of dailyFiles(folder).slice(0, -kept)) rmSync(join(folder, old));
  return file;
}

/** Asks every hour whether a backup is due, the first time after ten minutes: a start has other work. Gives the way to end that. */
export function keepDailyBackups(databaseUrl: string, folder: string, say: (line: string) => void): () => Promise<void> {
  let round: Promise<unknown> = Promise.resolve();
  const ask = (): void => {
    round = round
      .then(() => backUpWhenDue(databaseUrl, folder, new Date()))
      .catch((error: unknown) => say(`The daily backup was not made: ${errorText(error)} The next hour tries again.`));
  };
  const first = setTimeout(ask, hourMs / 6);
  const timer = setInterval(ask, hourMs);
  return async () => {
    clearTimeout(first);
    clearInterval(timer);
    await round;
  };
}

/** The daily backups of a folder, the oldest first. */
function dailyFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.startsWith(prefix) && name.endsWith(suffix) && !Number.isNaN(timeOf(name)))
    .sort();
}

/** When a daily backup was made, by its name: 'daily-2026-11-22T08-15-00.flotilla'. */
function timeOf(name: string): number {
  const [day = '', time = ''] = name.slice(prefix.length, -suffix.length).split('T');
  return Date.parse(`${day}T${time.replaceAll('-', ':')}Z`);
}
