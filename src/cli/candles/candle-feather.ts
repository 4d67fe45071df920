import { createRequire } from 'node:module';
import type { Timestamp } from 'apache-arrow';
import { errorText } from '#engine/ports/error-text.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import { candleColumns } from '#engine/market/candle.ts';
import { CommandError } from '../command-error.ts';

/**
 * The rows of a Feather file of candles as they stand, in freqtrade's columns: date, open, high, low, close, volume.
 * A file of funding rates alone (date, funding_rate) gives them as opens, the other columns 0.
 *
 * The packages that read it are loaded when the first such file is read.
 *
 * Fails: CommandError that names the file
 */
export async function parseCandleFeather(bytes: Uint8Array, file: string): Promise<CandleColumns> {
  const { tableFromIPC, compressionRegistry, CompressionType, TimeUnit, Type } = loadArrow();
  const { decompressFrameSync } = await import('lz4-napi');
  compressionRegistry.set(CompressionType.LZ4_FRAME, {
    decode: (data) => decompressFrameSync(Buffer.from(data.buffer, data.byteOffset, data.byteLength)),
  });
  const table = await read(() => tableFromIPC(bytes), file);
  const columns = candleColumns(table.numRows);
  const times = table.getChild('date');
  if (times === null || times.type.typeId !== Type.Timestamp) throw new CommandError(`${file}: the column "date" of times is missing.`);
  const { unit } = times.type as Timestamp;
  let row = 0;
  for (const { values, length } of times.data as readonly { values: BigInt64Array; length: number }[]) {
    const part = columns.openTime.subarray(row, row + length);
    // Old files hold nanoseconds, newer ones milliseconds.
    if (unit === TimeUnit.MILLISECOND) copyWholeNumbers(values, part);
    else if (unit === TimeUnit.SECOND) for (let i = 0; i < length; i++) part[i] = Number(values[i]!) * 1000;
    else if (unit === TimeUnit.MICROSECOND) for (let i = 0; i < length; i++) part[i] = Number(values[i]!) / 1000;
    else for (let i = 0; i < length; i++) part[i] = Number(values[i]! / 1000n) / 1000;
    row += length;
  }
  const rates = table.getChild('open') === null ? table.getChild('funding_rate') : null;
  for (const name of rates === null ? (['open', 'high', 'low', 'close', 'volume'] as const) : (['open'] as const)) {
    const column = rates ?? table.getChild(name);
    if (column === null) throw new CommandError(`${file}: the column "${name}" is missing.`);
    const isNumeric = column.type.typeId === Type.Float || (column.type.typeId === Type.Int && column.type.bitWidth <= 32);
    if (!isNumeric && column.type.typeId !== Type.Int)
      throw new CommandError(`${file}: the column "${name}" must hold numbers, and holds ${String(column.type)}.`);
    if (isNumeric && column.nullCount === 0) columns[name].set(column.toArray() as ArrayLike<number>);
    else for (let i = 0; i < table.numRows; i++) columns[name][i] = Number(column.get(i) ?? NaN);
  }
  if (times.nullCount > 0) throw new CommandError(`${file}: ${times.nullCount} rows have no date.`);
  return columns;
}

/** The package as one file: as modules, of which there are hundreds, it takes longer to load than most files to read. */
function loadArrow(): typeof import('apache-arrow') {
  return createRequire(import.meta.url)('apache-arrow/Arrow.esnext.min') as typeof import('apache-arrow');
}

/** 64-bit whole numbers as doubles, by their two halves: a big integer for each row would take most of the time. */
function copyWholeNumbers(from: BigInt64Array, to: Float64Array): void {
  const halves = new Int32Array(from.buffer, from.byteOffset, to.length * 2);
  for (let i = 0; i < to.length; i++) to[i] = halves[2 * i + 1]! * 4_294_967_296 + (halves[2 * i]! >>> 0);
}

async function read<Result>(task: () => Result | Promise<Result>, file: string): Promise<Result> {
  try {
    return await task();
  } catch (error) {
    throw new CommandError(`${file} cannot be read as a Feather file (${errorText(error)}).`);
  }
}
