import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The installation's own secret, 32 bytes, in `keys/master.key` of the instance folder, made at the first start.
 *
 * It is written aside and linked into place, so that starters at once end with one key and none is ever half a key.
 *
 * Fails: with one sentence when others can read the file, or it is not a key
 */
export function openMasterKey(home: string): Buffer {
  const folder = join(home, 'keys');
  const path = join(folder, 'master.key');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const aside = join(folder, `master.key.${process.pid}.${randomBytes(4).toString('hex')}`);
  const file = openSync(aside, 'wx', 0o600);
  writeSync(file, `${randomBytes(32).toString('base64')}\n`);
  fsyncSync(file);
  closeSync(file);
  try {
    linkSync(aside, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // it is there already: that one holds
  } finally {
    rmSync(aside);
  }
  if ((statSync(path).mode & 0o077) !== 0) throw new Error(`Others can read ${path}. Make it yours alone (chmod 600) and start again.`);
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64');
  if (key.length !== 32) throw new Error(`${path} does not hold a key. Put the right file back; without it stored secrets cannot be read.`);
  return key;
}
