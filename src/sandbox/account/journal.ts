import { closeSync, existsSync, fsyncSync, ftruncateSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

/** One change of the books: a row of a table under its key, or null for one that is removed. */
export type Change = [table: string, key: string, row: object | null];

/**
 * The books of the sandbox on disk: a snapshot and a journal of what has changed since. A line is one transaction with its
 * checksum; it is on the disk before `append` returns. A line that a crash has cut off at the end is dropped: nobody has had an
 * answer about it.
 */
export class Journal {
  readonly #folder: string;
  readonly #file: number;
  readonly #mostBytes: number;
  #bytes = 0;

  /** Fails: Error when the folder cannot be written, or a line before the last one is broken */
  constructor(folder: string, load: (change: Change) => void, mostBytes = 8_000_000) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#folder = folder;
    this.#mostBytes = mostBytes;
    const [snapshot, journal] = [join(folder, 'snapshot'), join(folder, 'journal')];
    if (existsSync(snapshot)) readLines(snapshot, load);
    if (existsSync(journal)) this.#bytes = readLines(journal, load);
    this.#file = openSync(journal, existsSync(journal) ? 'r+' : 'w+', 0o600);
    ftruncateSync(this.#file, this.#bytes);
    fsyncSync(this.#file);
    syncFolder(folder);
  }

  /** Writes a transaction. It returns when the disk has it. */
  append(changes: readonly Change[]): void {
    const line = lineOf(changes);
    writeAll(this.#file, line, this.#bytes);
    fsyncSync(this.#file);
    this.#bytes += line.length;
  }

  /** Whether it has grown so long that a snapshot is due. */
  get isLong(): boolean {
    return this.#bytes > this.#mostBytes;
  }

  /** Writes everything into a new snapshot and begins the journal again. A crash in between loads both, which is the same. */
  snapshot(rows: Iterable<Change>): void {
    const path = join(this.#folder, 'snapshot');
    const file = openSync(`${path}.new`, 'w', 0o600);
    let at = 0;
    for (const row of rows) at += writeAll(file, lineOf([row]), at);
    fsyncSync(file);
    closeSync(file);
    renameSync(`${path}.new`, path);
    syncFolder(this.#folder);
    ftruncateSync(this.#file, 0);
    fsyncSync(this.#file);
    this.#bytes = 0;
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** Reads the lines of a file and returns how many of its bytes are whole. */
function readLines(path: string, load: (change: Change) => void): number {
  const bytes = readFileSync(path);
  let at = 0;
  while (at < bytes.length) {
    const end = bytes.indexOf(10, at);
    const changes = end < 0 ? null : changesOf(bytes.subarray(at, end).toString('utf8'));
    if (changes === null) {
      if (end < 0 || end === bytes.length - 1) return at;
      throw new Error(`The books of the sandbox are broken: ${path}, byte ${at}.`);
    }
    for (const change of changes) load(change);
    at = end + 1;
  }
  return at;
}

function lineOf(changes: readonly Change[]): Buffer {
  // A whole number of units travels as '#123': no text of the wire begins like this.
  const text = JSON.stringify(changes, (_key, value: unknown) => (typeof value === 'bigint' ? `#${value}` : value));
  return Buffer.from(`${checksum(text)} ${text}\n`);
}

function changesOf(line: string): Change[] | null {
  const text = line.slice(9);
  if (line.slice(0, 9) !== `${checksum(text)} `) return null;
  const revive = (_key: string, value: unknown) => (typeof value === 'string' && value.startsWith('#') ? BigInt(value.slice(1)) : value);
  return JSON.parse(text, revive) as Change[];
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}

function writeAll(file: number, bytes: Buffer, position: number): number {
  let written = 0;
  while (written < bytes.length) written += writeSync(file, bytes, written, bytes.length - written, position + written);
  return written;
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  fsyncSync(handle);
  closeSync(handle);
}
