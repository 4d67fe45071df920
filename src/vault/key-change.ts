import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { keyFingerprint, readKey } from './master-key.ts';

/**
 * The change of a key file in two moves, so that it can end at any moment: the next key lies beside the file before the
 * database knows it, and takes the file's place afterwards. Who starts in between finishes the second move.
 */
const nextOf = (path: string): string => `${path}.next`;

/** Writes a new key beside a key file and gives it. One that was written before and never came into use is replaced. */
export function writeNextKey(path: string): Buffer {
  rmSync(nextOf(path), { force: true });
  const key = randomBytes(32);
  const file = openSync(nextOf(path), 'wx', 0o600);
  writeSync(file, `${key.toString('base64')}\n`);
  fsyncSync(file);
  closeSync(file);
  syncFolder(path);
  return key;
}

/**
 * Puts the next key into its place when it is the one that the database knows by `fingerprint`; the key of before is kept
 * beside it, because older backups need it. Whether that was done.
 */
export function adoptNextKey(path: string, fingerprint: string): boolean {
  if (!hasNextKey(path, fingerprint)) return false;
  if (existsSync(path)) renameSync(path, formerKeyPath(path));
  renameSync(nextOf(path), path);
  syncFolder(path);
  return true;
}

/** Whether the key that the database knows by `fingerprint` lies beside the key file and has not taken its place yet. */
export function hasNextKey(path: string, fingerprint: string): boolean {
  return existsSync(nextOf(path)) && keyFingerprint(readKey(nextOf(path))) === fingerprint;
}

/** Where the key that a file held is kept when another takes its place. */
function formerKeyPath(path: string): string {
  return `${path}.before-${keyFingerprint(readKey(path)).slice(0, 8)}`;
}

function syncFolder(path: string): void {
  const folder = openSync(dirname(path), 'r');
  fsyncSync(folder);
  closeSync(folder);
}
