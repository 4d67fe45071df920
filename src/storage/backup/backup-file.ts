import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { link, open, rm, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress } from 'node:zlib';

import type { BackupContents } from './backup-contents.ts';
import { BackupFrames } from './backup-frames.ts';

/** What the head of a backup says, readable without unpacking. */
export interface BackupHeader {
  format: 1;
  madeAt: string; // ISO time
  migrations: string[]; // the schema, by the names of its migrations
  postgres: string; // version of the server it was made on
  contents: BackupContents; // what a restore must give back
}

const magic = 'FLOTILLA BACKUP\n';
const hashLength = 32;

/**
 * Writes a backup: one line that names it, one line with the header, the frames compressed with zstd, and at the end a
 * SHA-256 of everything before. It is written aside and linked into place when it is whole and on the disk.
 *
 * A frame is its length (4 bytes, little endian) and its bytes.
 *
 * Fails: when the file is there already; nothing is left behind then or after any other failure
 */
export async function writeBackupFile(file: string, header: BackupHeader, frames: AsyncIterable<Buffer>): Promise<void> {
  if ((await stat(file).catch(() => null)) !== null)
    throw new Error(`${file} is there already. Name a new file; backups are never overwritten.`);
  const aside = `${file}.${process.pid}.part`;
  const hash = createHash('sha256');
  try {
    const out = createWriteStream(aside, { flags: 'wx', mode: 0o600, flush: true });
    await once(out, 'open');
    const head = Buffer.from(`${magic}${JSON.stringify(header)}\n`);
    hash.update(head);
    out.write(head);
    const hashed = new Transform({
      transform(chunk: Buffer, _, done) {
        hash.update(chunk);
        done(null, chunk);
      },
      flush: (done) => done(null, hash.digest()),
    });
    await pipeline(Readable.from(framed(frames), { objectMode: false }), createZstdCompress(), hashed, out);
    await link(aside, file);
    const folder = await open(dirname(file), 'r');
    await folder.sync(); // the name is on the disk as well
    await folder.close();
  } finally {
    await rm(aside, { force: true });
  }
}

async function* framed(frames: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const frame of frames) {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(frame.length);
    yield Buffer.concat([length, frame]);
  }
}

/** A backup that was found whole. */
export interface BackupFile {
  header: BackupHeader;
  frames: BackupFrames;
}

/**
 * Opens a backup after reading it once from end to end.
 *
 * Fails: with one sentence when it is not there, not a backup, of a later format, damaged or cut short
 */
export async function openBackupFile(file: string): Promise<BackupFile> {
  const name = basename(file);
  const found = await stat(file).catch(() => null);
  if (found === null || !found.isFile()) throw new Error(`There is no backup ${file}.`);
  const head = await readHead(file);
  if (head.subarray(0, magic.length).toString() !== magic) throw new Error(`${name} is not a backup of Flotilla.`);
  const bodyStart = head.indexOf('\n', magic.length) + 1;
  const damaged = `The backup ${name} is damaged or was cut short. Nothing was restored; use another one.`;
  if (bodyStart === 0 || found.size < bodyStart + hashLength || !(await isWhole(file, found.size))) throw new Error(damaged);
  const header = readHeader(head.subarray(magic.length, bodyStart), damaged);
  if (header.format !== 1) throw new Error(`The backup ${name} has format ${String(header.format)}; this version of Flotilla reads 1.`);
  return { header, frames: new BackupFrames(file, bodyStart, found.size - hashLength) };
}

/** The first part of the file; the header is far shorter. */
async function readHead(file: string): Promise<Buffer> {
  const handle = await open(file, 'r');
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(65_536), 0, 65_536, 0);
  await handle.close();
  return buffer.subarray(0, bytesRead);
}

function readHeader(line: Buffer, damaged: string): BackupHeader {
  try {
    return JSON.parse(line.toString()) as BackupHeader;
  } catch (cause) {
    throw new Error(damaged, { cause });
  }
}

async function isWhole(file: string, size: number): Promise<boolean> {
  const hash = createHash('sha256');
  let last = Buffer.alloc(0);
  let read = 0;
  for await (const part of createReadStream(file) as AsyncIterable<Buffer>) {
    const body = part.subarray(0, Math.max(0, size - hashLength - read));
    hash.update(body);
    last = Buffer.concat([last, part.subarray(body.length)]);
    read += part.length;
  }
  return last.equals(hash.digest());
}
