import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';

/**
 * The password of the embedded database, made when there is none yet.
 *
 * It is written aside and linked into place: a start cut short never leaves half a password, and of two starters at
 * once both get the first one's.
 *
 * Fails: with one sentence when the file cannot be read
 */
export function makePassword(file: string): string {
  const aside = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    const opened = openSync(aside, 'wx', 0o600);
    writeSync(opened, `${randomBytes(24).toString('base64url')}\n`);
    fsyncSync(opened);
    closeSync(opened);
    linkSync(aside, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
  return readPassword(file, null);
}

/**
 * The password of the embedded database whose data lies in `folder`; null: there is no data yet.
 *
 * Fails: with one sentence when the file is missing, empty or cannot be read
 */
export function readPassword(file: string, folder: string | null): string {
  const orStartAnew = folder === null ? '' : `, or move ${folder} away to start anew with an empty database`;
  try {
    const password = readFileSync(file, 'utf8').trim();
    if (password !== '') return password;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== 'ENOENT')
      throw new Error(`The password of the embedded database, ${file}, cannot be read by this user (${code}).`, { cause });
    throw new Error(`The password of the embedded database, ${file}, is missing. Put the file back${orStartAnew}.`, { cause });
  }
  throw new Error(`The password of the embedded database, ${file}, is empty. Put the file back${orStartAnew}.`);
}
