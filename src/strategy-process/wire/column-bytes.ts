import type { CandleColumns } from '#engine/market/candle.ts';
import type { Signals, TagColumn } from '#engine/strategy/strategy.ts';
import { keptText } from '../code/kept-text.ts';

const candleNames = ['openTime', 'open', 'high', 'low', 'close', 'volume'] as const;
const flagNames = ['enterLong', 'exitLong', 'enterShort', 'exitShort'] as const;

/** Candles as bytes: six columns of float64, one after the other. The columns may be views of larger ones. */
export function candleBytes(candles: CandleColumns): Uint8Array {
  return joined(candleNames.map((name) => candles[name]));
}

/** How many bytes so many candles are. */
export function candlesSize(count: number): number {
  return count * candleNames.length * Float64Array.BYTES_PER_ELEMENT;
}

/** The candles of bytes, in memory of their own. Fails: RangeError when the bytes are not six columns */
export function candlesOfBytes(bytes: Uint8Array): CandleColumns {
  const take = columnReader(bytes);
  const count = bytes.length / candlesSize(1);
  if (!Number.isInteger(count)) throw new RangeError('These bytes are not candles.');
  const column = (): Float64Array => new Float64Array(take(count * Float64Array.BYTES_PER_ELEMENT));
  return { openTime: column(), open: column(), high: column(), low: column(), close: column(), volume: column() };
}

/** What the JSON says of signals whose columns are the body. */
export interface SignalsHead {
  rows: number;
  tags: readonly string[];
  enterTag: 0 | 1 | 2; // bytes of a number; 0: there is no such column
  exitTag: 0 | 1 | 2;
  hasConfidence: boolean;
  indicators: readonly string[];
}

/** Signals as bytes. The columns are the flags, then the tags, the confidence and the indicators, as far as the head names them. */
export function signalBytes(signals: Signals): { head: SignalsHead; body: Uint8Array } {
  const { enterTag, exitTag, confidence, tags } = signals;
  const indicators = Object.keys(signals.indicators);
  const width = (column: TagColumn | null): 0 | 1 | 2 => (column === null ? 0 : column.BYTES_PER_ELEMENT === 1 ? 1 : 2);
  const columns = [...flagNames.map((name) => signals[name]), enterTag, exitTag, confidence, ...Object.values(signals.indicators)];
  return {
    head: {
      rows: signals.enterLong.length,
      tags,
      enterTag: width(enterTag),
      exitTag: width(exitTag),
      hasConfidence: confidence !== null,
      indicators,
    },
    body: joined(columns.filter((column) => column !== null)),
  };
}

/** The signals of a head and a body. Fails: RangeError when the body is too short for the head */
export function signalsOfBytes({ rows, tags, enterTag, exitTag, hasConfidence, indicators }: SignalsHead, body: Uint8Array): Signals {
  const take = columnReader(body);
  const flags = (): Uint8Array => new Uint8Array(take(rows));
  const numbers = (): Float64Array => new Float64Array(take(rows * Float64Array.BYTES_PER_ELEMENT));
  const tagColumn = (width: 0 | 1 | 2): TagColumn | null =>
    width === 0 ? null : width === 1 ? new Uint8Array(take(rows)) : new Uint16Array(take(rows * 2));
  return {
    enterLong: flags(),
    exitLong: flags(),
    enterShort: flags(),
    exitShort: flags(),
    tags: keptText(tags),
    enterTag: tagColumn(enterTag),
    exitTag: tagColumn(exitTag),
    confidence: hasConfidence ? numbers() : null,
    indicators: Object.fromEntries(indicators.map((name) => [name, numbers()])),
  };
}

function joined(columns: readonly (Float64Array | Uint8Array | Uint16Array)[]): Uint8Array {
  return Buffer.concat(columns.map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength)));
}

/** Takes the next bytes, as memory of their own: numbers of eight bytes must begin where memory does. */
function columnReader(bytes: Uint8Array): (length: number) => ArrayBuffer {
  let at = 0;
  return (length) => {
    if (at + length > bytes.length) throw new RangeError('There are fewer columns than were announced.');
    const part = bytes.slice(at, at + length);
    at += length;
    return part.buffer.slice(part.byteOffset, part.byteOffset + length);
  };
}
