import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { keyFrom } from './seal.ts';

/** Where the installation's own secret comes from: a file, else a text in the environment, else the instance folder. */
export interface KeySource {
  home: string;
  file: string | null;
  text: string | null; // 32 bytes in base64
}

/** Where the key of an instance folder is. */
export function masterKeyPath(home: string): string {
  return join(home, 'keys', 'master.key');
}

/**
 * The installation's own secret, 32 bytes. In the instance folder it is made when it is not there yet, provided `mayMake`;
 * null when it is not there and must not be made.
 *
 * Fails: with one sentence when others can read the file, or it is not a key, or the named file is not there
 */
export function openMasterKey({ home, file, text }: KeySource, mayMake: boolean): Buffer | null {
  if (file !== null) return readKey(file);
  if (text !== null) return decoded(text, 'MASTER_KEY is not 32 bytes in base64. Make one with: openssl rand -base64 32');
  const path = masterKeyPath(home);
  if (mayMake) makeKey(home);
  return existsSync(path) ? readKey(path) : null;
}

/** What a key is recognized by; the key cannot be calculated from it. */
export function keyFingerprint(key: Buffer): string {
  return keyFrom(key, 'fingerprint').toString('hex').slice(0, 32);
}

/** Written aside and linked into place, so that starters at once end with one key and none is ever half a key. */
function makeKey(home: string): void {
  const path = masterKeyPath(home);
  mkdirSync(join(home, 'keys'), { recursive: true, mode: 0o700 });
  const aside = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
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
}

/** The key in a file. Fails: with one sentence when it is not there, others can read it, or it holds no key */
export function readKey(path: string): Buffer {
  if (!existsSync(path)) throw new Error(`The key file ${path} is not there. Put it there, or correct MASTER_KEY_FILE.`);
  if ((statSync(path).mode & 0o077) !== 0) throw new Error(`Others can read ${path}. Make it yours alone (chmod 600) and start again.`);
  const sentence = `${path} does not hold a key. Put the right file back; without it stored secrets cannot be read.`;
  return decoded(readFileSync(path, 'utf8'), sentence);
}

function decoded(text: string, sentence: string): Buffer {
  const key = Buffer.from(text, 'base64');
  if (key.length !== 32) throw new Error(sentence);
  return key;
}
