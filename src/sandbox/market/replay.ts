import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { minuteMs } from '#engine/market/durations.ts';
import { errorText } from '#engine/ports/error-text.ts';
import { LeastRecent } from './least-recent.ts';
import type { Pair } from './listings.ts';
import { dayMinutes, type DayOfMinutes, emptyDay, type MinuteSource, pathBetween, ticksPerMinute } from './minutes.ts';

/** A candle file that stands for the prices of one pair. */
export interface ReplayOptions {
  market: 'spot' | 'futures';
  base: string; // 'BTC'
  quote: string; // 'USDT'
  file: string; // path of a .csv or .csv.gz with the columns timestamp,open,high,low,close,volume
  loop: boolean; // whether it repeats without end in both directions; otherwise there is nothing before and after it
  playFrom?: number; // ms, time of the file that is played when the sandbox starts; without it the file keeps its own time
}

interface FileCandles {
  times: number[];
  rows: (readonly [open: number, high: number, low: number, close: number, volume: number])[];
  decimals: number;
  amountDecimals: number;
}

/**
 * Reads a candle file and makes a pair of it whose prices are those of the file. Candles of more than a minute are
 * cut into minutes that add up to them exactly.
 *
 * Fails: Error that names file and line when the file is not valid
 */
export function replayFile(options: ReplayOptions, startTime: number): { pair: Pair; source: MinuteSource } {
  const candles = readCandleFile(options.file);
  const name = `${options.base}${options.quote}`;
  const average = candles.rows[0]![3];
  const pair: Pair = {
    id: name,
    market: options.market,
    asset: {
      name: options.base,
      price: average,
      beta: 1,
      dailyMove: 0.02,
      decimals: candles.decimals,
      amountDecimals: candles.amountDecimals,
      dailyVolume: 100_000_000,
    },
    base: options.base,
    quote: options.quote,
    decimals: candles.decimals,
    amountDecimals: candles.amountDecimals,
    minNotional: 5,
    listedAt: 0,
    share: 1,
  };
  const shift = options.playFrom === undefined ? 0 : startTime - options.playFrom;
  return { pair, source: new ReplayMinutes(candles, Math.floor(shift / minuteMs), options.loop) };
}

class ReplayMinutes implements MinuteSource {
  readonly #candles: FileCandles;
  readonly #shift: number; // minutes that market time is ahead of file time
  readonly #loop: boolean;
  readonly #first: number; // minutes since the epoch, of the file
  readonly #length: number; // minutes in the file
  readonly #span: number; // minutes in one candle
  readonly #rowOfMinute = new Map<number, number>();
  readonly #days = new LeastRecent<number, DayOfMinutes>(24);

  constructor(candles: FileCandles, shift: number, loop: boolean) {
    this.#candles = candles;
    this.#shift = shift;
    this.#loop = loop;
    this.#span = candleLength(candles.times) / minuteMs;
    this.#first = candles.times[0]! / minuteMs;
    this.#length = candles.times.at(-1)! / minuteMs + this.#span - this.#first;
    candles.times.forEach((time, row) => this.#rowOfMinute.set(time / minuteMs, row));
  }

  day(day: number): DayOfMinutes {
    return this.#days.get(day, () => this.#computeDay(day));
  }

  #computeDay(day: number): DayOfMinutes {
    const result = emptyDay();
    for (let i = 0; i < dayMinutes; i++) {
      const place = this.#place(day * dayMinutes + i);
      if (place === null) continue;
      const path = this.#rowPath(place.row);
      const inside = path.subarray(place.part * ticksPerMinute, (place.part + 1) * ticksPerMinute);
      result.open[i] = inside[0]!;
      result.high[i] = Math.max(...inside);
      result.low[i] = Math.min(...inside);
      result.close[i] = inside.at(-1)!;
      result.volume[i] = this.#partVolume(place.row, place.part);
    }
    return result;
  }

  pathInside(minute: number): Float64Array | null {
    const place = this.#place(minute);
    if (place === null) return null;
    return this.#rowPath(place.row).slice(place.part * ticksPerMinute, (place.part + 1) * ticksPerMinute);
  }

  #place(minute: number): { row: number; part: number } | null {
    let offset = minute - this.#shift - this.#first;
    if (this.#loop) offset = ((offset % this.#length) + this.#length) % this.#length;
    else if (offset < 0) return null; // before the file
    const part = offset % this.#span;
    const row = this.#rowOfMinute.get(this.#first + offset - part);
    return row === undefined ? null : { row, part };
  }

  #lastRow = -1;
  #lastPath: Float64Array = new Float64Array(0);

  #rowPath(row: number): Float64Array {
    if (row !== this.#lastRow) {
      const scale = 10 ** this.#candles.decimals;
      const [open, high, low, close] = this.#candles.rows[row]!.map((price) => Math.round(price * scale)) as [
        number,
        number,
        number,
        number,
      ];
      this.#lastPath = pathBetween(open, high, low, close, this.#span * ticksPerMinute, { seed: 0, key: 1, minute: row });
      this.#lastRow = row;
    }
    return this.#lastPath;
  }

  #partVolume(row: number, part: number): number {
    const volume = Math.round(this.#candles.rows[row]![4] * 10 ** this.#candles.amountDecimals);
    return Math.floor((volume * (part + 1)) / this.#span) - Math.floor((volume * part) / this.#span);
  }
}

function readCandleFile(file: string): FileCandles {
  const lines = readLines(file);
  const header = 'timestamp,open,high,low,close,volume';
  if (lines[0] !== header) throw new Error(`The candle file ${file} must begin with the line "${header}".`);
  const result: FileCandles = { times: [], rows: [], decimals: 0, amountDecimals: 0 };
  lines.forEach((line, i) => {
    if (i === 0 || line === '') return;
    const cells = line.split(',');
    const [time, open, high, low, close, volume] = cells.map(Number) as [number, number, number, number, number, number];
    const fault = rowFault(cells, result.times.at(-1), [time, open, high, low, close, volume]);
    if (fault !== null) throw new Error(`The candle file ${file} is broken in line ${i + 1}: ${fault}.`);
    result.times.push(time);
    result.rows.push([open, high, low, close, volume]);
    for (const cell of cells.slice(1, 5)) result.decimals = Math.max(result.decimals, decimalsOf(cell));
    result.amountDecimals = Math.max(result.amountDecimals, decimalsOf(cells[5]!));
  });
  if (result.times.length < 2) throw new Error(`The candle file ${file} holds fewer than two candles.`);
  const length = candleLength(result.times);
  const stray = result.times.findIndex((time) => (time - result.times[0]!) % length !== 0);
  if (stray >= 0)
    throw new Error(
      `The candle file ${file} is broken in line ${stray + 2}: the time does not fit candles of ${length / minuteMs} minutes.`,
    );
  return result;
}

function readLines(file: string): string[] {
  try {
    const bytes = readFileSync(file);
    return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8').split(/\r?\n/);
  } catch (error) {
    throw new Error(`The candle file ${file} cannot be read: ${errorText(error)}.`, { cause: error });
  }
}

function rowFault(
  cells: string[],
  timeBefore: number | undefined,
  values: [number, number, number, number, number, number],
): string | null {
  const [time, open, high, low, close, volume] = values;
  if (cells.length !== 6) return `6 columns were expected, ${cells.length} are there`;
  if (cells.some((cell) => cell.trim() === '') || values.some((value) => !Number.isFinite(value))) return 'a column is not a number';
  if (time % minuteMs !== 0) return `the time ${time} is not a whole minute`;
  if (timeBefore !== undefined && time <= timeBefore) return 'the time is not later than that of the line before';
  if (Math.min(open, high, low, close) <= 0) return 'a price is not above 0';
  if (high < Math.max(open, close) || low > Math.min(open, close)) return 'high and low do not contain open and close';
  if (volume < 0) return 'the volume is below 0';
  return null;
}

function candleLength(times: readonly number[]): number {
  let shortest = Infinity;
  for (let i = 1; i < times.length; i++) shortest = Math.min(shortest, times[i]! - times[i - 1]!);
  return shortest;
}

function decimalsOf(cell: string): number {
  const [number = '', exponent = '0'] = cell.toLowerCase().split('e');
  const digits = number.split('.')[1]?.replace(/0+$/, '') ?? '';
  return Math.max(0, digits.length - Number(exponent));
}
