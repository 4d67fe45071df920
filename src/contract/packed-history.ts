import type { FundingEvents } from '#engine/account/funding.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import type { Instrument } from '#engine/market/instrument.ts';

/** The candles of a market with what a replay needs besides: plain data and columns. */
export interface MarketHistory {
  instrument: Instrument;
  from: number; // ms; first candle of the range that was asked for: those before it are the warm-up
  to: number; // ms; its end
  candles: CandleColumns; // oldest first; may have gaps
  funding: FundingEvents | null; // of perpetuals
}

interface Head extends Pick<MarketHistory, 'from' | 'to'> {
  version: 1;
  instrument: Instrument;
  candles: number; // how many
  funding: number | null; // how many events
}

const candleNames = ['openTime', 'open', 'high', 'low', 'close', 'volume'] as const;
const fundingNames = ['time', 'rate', 'mark'] as const;

/** Infinity has no JSON; no amount of an instrument is written like this. */
const endless = 'Infinity';

/**
 * A history as one run of bytes: the length of its head (uint32, little endian), the head (JSON), zeros up to a multiple of eight, then the
 * columns one after the other (float64 in the byte order of the machine, which is little endian wherever Node and browsers run).
 */
export function packHistory({ instrument, from, to, candles, funding }: MarketHistory): Uint8Array<ArrayBuffer> {
  const head: Head = {
    version: 1,
    instrument,
    from,
    to,
    candles: candles.openTime.length,
    funding: funding === null ? null : funding.time.length,
  };
  const text = toBytes(JSON.stringify(head, (_, value: unknown) => (value === Infinity ? endless : value)));
  const columns = [...candleNames.map((name) => candles[name]), ...(funding === null ? [] : fundingNames.map((name) => funding[name]))];
  const start = roundUp(4 + text.length);
  const packed = new Uint8Array(start + columns.reduce((sum, column) => sum + column.byteLength, 0));
  new DataView(packed.buffer).setUint32(0, text.length, true);
  packed.set(text, 4);
  let at = start;
  for (const column of columns) {
    packed.set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength), at);
    at += column.byteLength;
  }
  return packed;
}

/** The history in what `packHistory` gave; its columns are views of it. Fails: RangeError for anything else */
export function unpackHistory(packed: ArrayBuffer): MarketHistory {
  const length = packed.byteLength < 4 ? -1 : new DataView(packed).getUint32(0, true);
  if (length < 0 || 4 + length > packed.byteLength) throw new RangeError('These are not the candles of a market.');
  const text = fromBytes(new Uint8Array(packed, 4, length));
  const head = JSON.parse(text, (_, value: unknown) => (value === endless ? Infinity : value)) as Head;
  let at = roundUp(4 + length);
  const wanted = at + 8 * (candleNames.length * head.candles + fundingNames.length * (head.funding ?? 0));
  if (wanted !== packed.byteLength) throw new RangeError(`The candles of a market have ${packed.byteLength} bytes, not ${wanted}.`);
  const take = (count: number): Float64Array => {
    const column = new Float64Array(packed, at, count);
    at += column.byteLength;
    return column;
  };
  const candles = Object.fromEntries(candleNames.map((name) => [name, take(head.candles)])) as unknown as CandleColumns;
  const { funding: events } = head;
  const funding =
    events === null ? null : (Object.fromEntries(fundingNames.map((name) => [name, take(events)])) as unknown as FundingEvents);
  return { instrument: head.instrument, from: head.from, to: head.to, candles, funding };
}

/** JSON in ASCII: this room has the language alone, without encoders. */
function toBytes(json: string): Uint8Array {
  const ascii = json.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return Uint8Array.from(ascii, (character) => character.charCodeAt(0));
}

function fromBytes(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

function roundUp(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}
