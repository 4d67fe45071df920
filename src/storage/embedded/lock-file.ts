import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A server that runs on a data folder. */
export interface LivingServer {
  pid: number;
  socketFolder: string | null; // null: it listens on a port, as those of earlier versions do
}

/** The server that runs on the data folder now, by its lock file; null when none does. */
export function livingServer(folder: string): LivingServer | null {
  const lines = readLock(folder);
  if (lines === null) return null;
  const pid = Number(lines[0]);
  // Written line by line while the server starts; the fourth and fifth come together.
  if (lines.length < 6 || !isServerOf(pid, folder)) return null;
  return { pid, socketFolder: lines[4] === undefined || lines[4] === '' ? null : lines[4] };
}

/** Whether the process is a PostgreSQL that runs, not a zombie, on the data folder. */
export function isServerOf(pid: number, folder: string): boolean {
  if (!isProcess(pid)) return false;
  const blank = process.platform === 'linux' ? '\0' : ' '; // between words; elsewhere there may be some in them, too
  return commandOf(pid).includes(['postgres', '-D', folder, '-'].join(blank)); // that of a zombie is empty
}

/**
 * Makes a lock file that nobody holds one that PostgreSQL clears away itself.
 *
 * PostgreSQL refuses to start while the process named in it lives: a zombie, or another program that was given the
 * same number. The file is not removed, so that everything else that PostgreSQL checks by it stays checked, above all
 * that no process of the dead server still writes. Only the number is replaced, by one that no process has.
 */
export function clearStaleLock(folder: string): void {
  const lines = readLock(folder);
  const pid = Number(lines?.[0]);
  if (lines === null || isServerOf(pid, folder)) return;
  if (!Number.isInteger(pid) || pid <= 0) rmSync(lockOf(folder), { force: true }); // cut short; it protects nothing
  else if (isProcess(pid)) writeFileSync(lockOf(folder), [noProcess, ...lines.slice(1)].join('\n'));
}

const noProcess = 2 ** 31 - 1; // beyond every system's largest process id

const lockOf = (folder: string): string => join(folder, 'postmaster.pid');

function readLock(folder: string): string[] | null {
  try {
    return readFileSync(lockOf(folder), 'utf8').split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function isProcess(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function commandOf(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).trim(); // -ww: however long it is
  } catch {
    return ''; // it has ended meanwhile
  }
}
