import type { CandleColumns } from '#engine/market/candle.ts';
import { candleColumns } from '#engine/market/candle.ts';
import { CommandError } from '../command-error.ts';

/** The first line of a candle file. */
export const csvHeader = 'timestamp,open,high,low,close,volume';

/** The first line of a file of funding rates in the reference's newer form; the older one is that of candles. */
const rateHeader = 'timestamp,funding_rate';

/**
 * The rows of a CSV file of candles as they stand: neither sorted nor checked for what prices they hold. A file of funding
 * rates alone gives them as opens, the other columns 0.
 *
 * A timestamp is in ms, in seconds, microseconds or nanoseconds, or a date with a time (UTC unless it says otherwise). Row `i` is line `i + 2`.
 *
 * Fails: CommandError that names file and line, for a wrong header, a row with other fields than the header, and a field that is not a number
 */
export function parseCandleCsv(bytes: Uint8Array, file: string): CandleColumns {
  const text = new Cursor(bytes);
  const header = text
    .line()
    .trim()
    .toLowerCase()
    .replace(/^date,/u, 'timestamp,');
  const hasRates = header === rateHeader;
  if (header !== csvHeader && !hasRates)
    throw new CommandError(`${file}, line 1: the header must be "${csvHeader}", and is "${header.slice(0, 80)}".`);
  const shape = `it must have ${hasRates ? 'two fields, separated by a comma' : 'six fields, separated by commas'}`;
  const columns = candleColumns(countRows(bytes, text.at));
  const { openTime, open, high, low, close, volume } = columns;
  const rest = hasRates ? [open] : [open, high, low, close, volume];
  for (let row = 0; row < openTime.length; row++) {
    openTime[row] = timeOf(text, file, row + 2);
    for (let i = 0; i < rest.length; i++) {
      if (!text.endsField(',')) throw broken(file, row + 2, shape);
      rest[i]![row] = text.number();
      if (Number.isNaN(rest[i]![row]) && !text.saidNan) throw broken(file, row + 2, `"${text.field()}" is not a number`);
    }
    if (!text.endsLine()) throw broken(file, row + 2, shape);
  }
  return columns;
}

function broken(file: string, line: number, reason: string): CommandError {
  return new CommandError(`${file}, line ${line}: ${reason}.`);
}

const [comma, point, minus, newline, carriage] = [44, 46, 45, 10, 13];

/** Rows that hold something; blank lines at the end are none. */
function countRows(bytes: Uint8Array, from: number): number {
  let end = bytes.length;
  while (end > from && (bytes[end - 1] === newline || bytes[end - 1] === carriage)) end--;
  let count = end > from ? 1 : 0;
  for (let i = bytes.indexOf(newline, from); i !== -1 && i < end; i = bytes.indexOf(newline, i + 1)) count++;
  return count;
}

/** What a time that is a number counts in, in ms: seconds, ms, microseconds or nanoseconds, of which any lies after the year 5000 in the one before. */
function msOfUnit(time: number): number {
  const size = Math.abs(time);
  if (size < 1e11) return 1000;
  if (size < 1e14) return 1;
  return size < 1e17 ? 1e-3 : 1e-6;
}

function timeOf(text: Cursor, file: string, line: number): number {
  const start = text.at;
  const value = text.number();
  if (!Number.isNaN(value) && text.isAtEndOfField()) return Math.round(value * msOfUnit(value));
  text.at = start;
  const words = text.field();
  // Without a zone the time is UTC, as everything here is.
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/iu.test(words);
  const looksLikeTime = /^\d{4}-\d\d-\d\d/u.test(words);
  const time = looksLikeTime
    ? Date.parse(hasZone ? words.replace(' ', 'T') : `${words.replace(' ', 'T')}${words.length > 10 ? 'Z' : ''}`)
    : NaN;
  if (Number.isNaN(time)) throw broken(file, line, `"${words}" is not a time`);
  text.at = start + words.length;
  return time;
}

/** Reads bytes field by field; twenty times as fast as splitting text. */
class Cursor {
  readonly #bytes: Uint8Array;
  at = 0;
  saidNan = false; // whether the last number was written as one that is none: that is judged with the other prices

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  line(): string {
    const end = this.#bytes.indexOf(newline);
    const stop = end === -1 ? this.#bytes.length : end;
    this.at = Math.min(stop + 1, this.#bytes.length);
    return new TextDecoder().decode(this.#bytes.subarray(0, stop));
  }

  /** The number here; NaN when there is none. The cursor then stands behind it. */
  number(): number {
    const bytes = this.#bytes;
    const start = this.at;
    let at = start;
    const isNegative = bytes[at] === minus;
    if (isNegative) at++;
    let digits = 0;
    let significant = 0;
    let decimals = -1;
    for (; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (byte === point && decimals < 0) decimals = 0;
      else if (byte >= 48 && byte <= 57) {
        digits = digits * 10 + (byte - 48);
        significant++;
        if (decimals >= 0) decimals++;
      } else break;
    }
    this.at = at;
    this.saidNan = false;
    const isPlain = at >= bytes.length || bytes[at] === comma || bytes[at] === newline || bytes[at] === carriage;
    // Up to 15 digits over a power of ten up to 22 is one correctly rounded division; the rest is left to the language.
    if (isPlain && significant > 0 && significant <= 15 && decimals <= 22) {
      const value = decimals > 0 ? digits / powers[decimals]! : digits;
      return isNegative ? -value : value;
    }
    this.at = start;
    const words = this.field().trim();
    this.saidNan = /^(?:nan|null|none)?$/iu.test(words);
    const value = this.saidNan || words === '' ? NaN : Number(words);
    if (!Number.isNaN(value) || this.saidNan) this.at = start + this.field().length;
    return value;
  }

  /** The words from here to the end of the field; the cursor stays. */
  field(): string {
    let end = this.at;
    while (end < this.#bytes.length && this.#bytes[end] !== comma && this.#bytes[end] !== newline && this.#bytes[end] !== carriage) end++;
    return new TextDecoder().decode(this.#bytes.subarray(this.at, end));
  }

  isAtEndOfField(): boolean {
    const byte = this.#bytes[this.at];
    return byte === undefined || byte === comma || byte === newline || byte === carriage;
  }

  /** Steps over a separator, if there is one here. */
  endsField(separator: ','): boolean {
    if (this.#bytes[this.at] !== separator.charCodeAt(0)) return false;
    this.at++;
    return true;
  }

  /** Steps over the end of a line or of the file, if it is here. */
  endsLine(): boolean {
    if (this.#bytes[this.at] === carriage) this.at++;
    if (this.at >= this.#bytes.length) return true;
    if (this.#bytes[this.at] !== newline) return false;
    this.at++;
    return true;
  }
}

const powers = Array.from({ length: 23 }, (_, i) => Number(`1e${i}`));
