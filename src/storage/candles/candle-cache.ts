import type { CandleColumns } from '#engine/market/candle.ts';
import { sliceColumns } from '#engine/market/candle.ts';
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { CandleSeries, ChunkInfo } from './candle-chunks.ts';
import { bytesOf, columnNames, listChunks, readChunks, withoutDamaged } from './candle-chunks.ts';
import type { TimeSpan } from './candle-months.ts';
import { candlesWithin } from './candle-months.ts';
import type { Database } from '../database.ts';

const magic = 'FLCC';
const headerLength = 12;

/**
 * The stored candles of a span in shared memory, for threads to work on side by side: from files in `folder` where
 * they are there, and leaving them there for the next time. Without a folder they come from the database alone.
 *
 * A file holds one chunk, uncompressed, and is named by its hash: it can be out of date by no means, and may be deleted
 * at any time. Shape: 4 letters, the number of candles, the CRC-32 of the columns (4 bytes each, little-endian), then
 * the six columns. Plain columns rather than Arrow: only this program reads the files, and one read puts each column
 * where it belongs without a library or a copy.
 *
 * Fails: `DamagedChunk`, whose month is removed, so that it is downloaded again; a damaged file is only replaced
 */
export async function loadCandles(db: Database, folder: string | null, series: CandleSeries, span: TimeSpan): Promise<CandleColumns> {
  if (folder !== null) await mkdir(folder, { recursive: true, mode: 0o700 }).catch(() => {}); // without a cache it only takes longer
  // A chunk may be rewritten between listing and reading: then everything is listed again.
  for (let attempt = 1; ; attempt++) {
    const chunks = await listChunks(db, series, span);
    const all = sharedColumns(chunks.reduce((sum, { candles }) => sum + candles, 0));
    const places: { chunk: ChunkInfo; columns: CandleColumns }[] = [];
    let at = 0;
    for (const chunk of chunks) {
      places.push({ chunk, columns: sliceColumns(all, at, at + chunk.candles) });
      at += chunk.candles;
    }
    const read = await Promise.all(
      places.map(async ({ chunk, columns }) => folder !== null && readCached(join(folder, fileOf(chunk)), columns)),
    );
    const missing = places.filter((_, i) => read[i] === false);
    const months = missing.map(({ chunk }) => chunk.month);
    const stored = await withoutDamaged(db, () => readChunks(db, series, months));
    const isSame = missing.every(({ chunk }, i) => stored[i]?.hash === chunk.hash);
    if (!isSame && attempt < 5) continue;
    if (!isSame) throw new Error(`The stored candles of ${series.symbol} change all the time; try again.`);
    await Promise.all(
      missing.map(async ({ chunk, columns }, i) => {
        for (const name of columnNames) columns[name].set(stored[i]?.columns[name] ?? []);
        if (folder !== null) await writeCached(join(folder, fileOf(chunk)), columns);
      }),
    );
    return candlesWithin(all, span);
  }
}

/** Deletes files that were not used for longest until the cache is at most this large. */
export async function trimCandleCache(folder: string, maxBytes: number): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const files = await Promise.all(
    names.map(async (name) => ({ path: join(folder, name), found: await stat(join(folder, name)).catch(() => null) })),
  );
  let kept = 0;
  for (const { path, found } of files.toSorted((a, b) => (b.found?.mtimeMs ?? 0) - (a.found?.mtimeMs ?? 0))) {
    kept += found?.size ?? 0;
    if (kept > maxBytes) await rm(path, { force: true });
  }
}

const fileOf = ({ hash }: ChunkInfo): string => `${hash}.candles`;

/** Reads a file into the columns; false when it is not there or not whole. */
async function readCached(path: string, columns: CandleColumns): Promise<boolean> {
  const file = await open(path, 'r').catch(() => null);
  if (file === null) return false;
  try {
    const header = Buffer.alloc(headerLength);
    const { length } = columns.openTime;
    const parts = columnNames.map((name) => bytesOf(columns[name]));
    const { bytesRead } = await file.readv([header, ...parts.filter((part) => part.length > 0)], 0);
    const isWhole =
      bytesRead === headerLength + length * 48 && header.toString('latin1', 0, 4) === magic && header.readUInt32LE(4) === length;
    if (!isWhole || header.readUInt32LE(8) !== checksum(columns)) return false;
    const now = new Date();
    await utimes(path, now, now).catch(() => {}); // only the order of deletion depends on it
    return true;
  } catch {
    return false; // the database has the same
  } finally {
    await file.close();
  }
}

/** Writes a file aside and renames it. Without fsync: a file that a power cut has spoilt fails its checksum. */
async function writeCached(path: string, columns: CandleColumns): Promise<void> {
  const aside = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    const file = await open(aside, 'wx', 0o600);
    try {
      const header = Buffer.alloc(headerLength);
      header.write(magic, 'latin1');
      header.writeUInt32LE(columns.openTime.length, 4);
      header.writeUInt32LE(checksum(columns), 8);
      for (const part of [header, ...columnNames.map((name) => bytesOf(columns[name]))]) await file.write(part);
    } finally {
      await file.close();
    }
    await rename(aside, path);
  } catch {
    await rm(aside, { force: true }).catch(() => {}); // a full disk must not hold up a backtest
  }
}

function checksum(columns: CandleColumns): number {
  return columnNames.reduce((sum, name) => crc32(bytesOf(columns[name]), sum), 0);
}

function sharedColumns(length: number): CandleColumns {
  const buffer = new SharedArrayBuffer(length * 48);
  const column = (i: number): Float64Array => new Float64Array(buffer, i * length * 8, length);
  return { openTime: column(0), open: column(1), high: column(2), low: column(3), close: column(4), volume: column(5) };
}
