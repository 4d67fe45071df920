import type { CandleColumns } from '#engine/market/candle.ts';
import { candleColumns } from '#engine/market/candle.ts';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import type { RawBuilder, SqlBool } from 'kysely';
import { sql } from 'kysely';
import type { TimeSpan } from './candle-months.ts';
import { byMonth, candlesWithin, columnsFault, mergeCandles, spansMissing } from './candle-months.ts';
import type { Database } from '../database.ts';
import { inTransaction } from '../in-transaction.ts';

/** What a run of candles is of. */
export interface CandleSeries {
  exchangeId: string;
  marketType: string;
  symbol: string;
  timeframe: string;
}

/**
 * The candles of one series in one calendar month, UTC. Chunks are the one truth of candle history.
 *
 * Shape of the data: the six columns one after the other, little-endian doubles, compressed with zstd
 */
export interface ChunkInfo {
  month: string; // its first day, e.g. '2026-03-01'
  candles: number;
  hash: string; // SHA-256 of the uncompressed columns, hexadecimal
}

/** A chunk whose data is not what was written. */
export class DamagedChunk extends Error {
  readonly series: CandleSeries;
  readonly month: string;
  readonly digest: Buffer; // of the damaged data

  constructor(series: CandleSeries, month: string, data: Buffer, cause?: unknown) {
    const { symbol, timeframe, exchangeId, marketType } = series;
    super(
      `The stored ${timeframe} candles of ${symbol} (${exchangeId}, ${marketType}) of ${month.slice(0, 7)} are damaged. They are removed; run this again, and the month is downloaded again.`,
      { cause },
    );
    this.name = 'DamagedChunk';
    this.series = series;
    this.month = month;
    this.digest = createHash('sha256').update(data).digest();
  }
}

/** Months of one series that may be found damaged, one after the other, before nobody tries further: more of them are a broken disk. */
export const mostDamaged = 12;

/** A candle takes six doubles. */
const candleBytes = 48;

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/**
 * Keeps the candles received from an exchange for a span, also when there were none. They are merged with what is there,
 * theirs counts where both have one; writing the same again changes nothing. Each month is a transaction of its own.
 *
 * Fails: when a candle is not believable, out of order or outside the span (nothing is written then); `DamagedChunk`: the
 * month is removed, so that the next call writes it new
 */
export async function writeCandles(db: Database, series: CandleSeries, span: TimeSpan, columns: CandleColumns): Promise<void> {
  const fault = columnsFault(columns, span);
  if (fault !== null) throw new Error(`Candles of ${series.symbol} ${series.timeframe} are not kept: ${fault}`);
  for (const { month, span: part } of byMonth(span)) {
    const received = candlesWithin(columns, part);
    const write = async (trx: Database): Promise<void> => {
      const name = JSON.stringify([series.exchangeId, series.marketType, series.symbol, series.timeframe, month]);
      await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx);
      const [there] = await readChunks(trx, series, [month]);
      const raw = toBytes(there === undefined ? received : mergeCandles(there.columns, received));
      const hash = createHash('sha256').update(raw).digest();
      const covered = sql<string>`tstzmultirange(tstzrange(${new Date(part.from)}, ${new Date(part.to)}))`;
      const wider = sql<string>`candle_chunks.covered + ${covered}`;
      if (there?.hash === hash.toString('hex')) {
        await trx.updateTable('candleChunks').set({ covered: wider }).where(isChunk(series, month)).execute();
        return;
      }
      await trx
        .insertInto('candleChunks')
        .values({ ...series, month, covered, candles: raw.length / candleBytes, hash, data: await compress(raw) })
        .onConflict((conflict) =>
          conflict.columns(['exchangeId', 'marketType', 'symbol', 'timeframe', 'month']).doUpdateSet((row) => ({
            candles: row.ref('excluded.candles'),
            hash: row.ref('excluded.hash'),
            data: row.ref('excluded.data'),
            covered: wider,
          })),
        )
        .execute();
    };
    // Outside the transaction, which a damaged chunk undoes.
    await withoutDamaged(db, () => inTransaction(db, write));
  }
}

/** The spans that have been kept, oldest first; between them nothing was ever downloaded. */
export async function storedSpans(db: Database, series: CandleSeries): Promise<TimeSpan[]> {
  const { rows } = await sql<{ from: Date; to: Date }>`
    select lower(span) as from, upper(span) as to
    from (select unnest(range_agg(covered)) as span from candle_chunks
          where ${isOf(series)}) spans
    order by 1`.execute(db);
  return rows.map(({ from, to }) => ({ from: from.getTime(), to: to.getTime() }));
}

/** The parts of a span that are still to be downloaded, oldest first. */
export async function missingSpans(db: Database, series: CandleSeries, span: TimeSpan): Promise<TimeSpan[]> {
  return spansMissing(await storedSpans(db, series), span);
}

/** The chunks of a span without their data, oldest first. */
export async function listChunks(db: Database, series: CandleSeries, span: TimeSpan): Promise<ChunkInfo[]> {
  const months = byMonth(span).map(({ month }) => month);
  const rows = await ofSeries(db, series)
    .select(['month', 'candles', sql<string>`encode(hash, 'hex')`.as('hash')])
    .where('month', '>=', months[0] ?? '9999-01-01')
    .where('month', '<=', months.at(-1) ?? '0001-01-01')
    .orderBy('month')
    .execute();
  return rows;
}

/**
 * The columns of these months as far as they are stored, oldest first, checked against their hashes.
 *
 * Fails: `DamagedChunk`
 */
export async function readChunks(
  db: Database,
  series: CandleSeries,
  months: readonly string[],
): Promise<{ month: string; hash: string; columns: CandleColumns }[]> {
  if (months.length === 0) return [];
  const rows = await ofSeries(db, series)
    .select(['month', 'candles', 'hash', 'data'])
    .where('month', 'in', [...months])
    .orderBy('month')
    .execute();
  return Promise.all(
    rows.map(async ({ month, candles, hash, data }) => {
      const raw = await decompress(data).catch((cause: unknown) => {
        throw new DamagedChunk(series, month, data, cause);
      });
      if (raw.length !== candles * candleBytes || !createHash('sha256').update(raw).digest().equals(hash))
        throw new DamagedChunk(series, month, data);
      return { month, hash: hash.toString('hex'), columns: fromBytes(raw) };
    }),
  );
}

/** Does work on chunks; a damaged one that it meets is removed, unless somebody has put a new one in its place meanwhile. */
export async function withoutDamaged<T>(db: Database, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DamagedChunk) {
      const { series, month, digest } = error;
      await db
        .deleteFrom('candleChunks')
        .where(isChunk(series, month))
        .where(sql<SqlBool>`sha256(data) = ${digest}`)
        .execute();
    }
    throw error;
  }
}

/** The columns in the order in which they are stored. */
export const columnNames = ['openTime', 'open', 'high', 'low', 'close', 'volume'] as const satisfies (keyof CandleColumns)[];

function ofSeries(db: Database, series: CandleSeries) {
  return db.selectFrom('candleChunks').where(isOf(series));
}

function isOf({ exchangeId, marketType, symbol, timeframe }: CandleSeries): RawBuilder<SqlBool> {
  return sql<SqlBool>`exchange_id = ${exchangeId} and market_type = ${marketType} and symbol = ${symbol} and timeframe = ${timeframe}`;
}

function isChunk(series: CandleSeries, month: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${isOf(series)} and month = ${month}::date`;
}

function toBytes(columns: CandleColumns): Buffer {
  return Buffer.concat(columnNames.map((name) => bytesOf(columns[name])));
}

function fromBytes(raw: Buffer): CandleColumns {
  const columns = candleColumns(raw.length / candleBytes);
  columnNames.forEach((name, i) => bytesOf(columns[name]).set(raw.subarray((i * raw.length) / 6, ((i + 1) * raw.length) / 6)));
  return columns;
}

/** The memory of a column as bytes; every platform of ours is little-endian. */
export function bytesOf(column: Float64Array): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
}
