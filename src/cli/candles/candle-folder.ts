import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { fillGaps } from '#engine/market/fill-gaps.ts';
import { errorText } from '#engine/ports/error-text.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import type { MarketType } from '#engine/market/instrument.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import { buildTimeframe } from './build-timeframe.ts';
import { parseCandleCsv } from './candle-csv.ts';
import { parseCandleFeather } from './candle-feather.ts';
import { CommandError } from '../command-error.ts';
import { tidyCandles } from './tidy-candles.ts';
import { timeframes } from '../timeframe-name.ts';

/** What a file of a pair holds. */
export type SeriesKind = 'spot' | 'futures' | 'mark' | 'funding_rate';

/** Candles of a pair, and what a person should know about where they came from. */
export interface LoadedCandles {
  candles: CandleColumns; // sorted, each time once; gaps may be there
  notes: string[];
}

/** Which series is wanted. */
export interface SeriesWish {
  folder: string;
  symbol: string;
  timeframe: Timeframe;
  kind: SeriesKind;
}

/** The endings of candle files, the one that is taken first being first. */
export const candleFileEndings = ['.feather', '.csv.gz', '.csv'] as const;

/** The name of a candle file without its ending, as freqtrade names it: `futures/BTC_USDT_USDT-5m-futures`. */
export function candleFileName({ symbol, timeframe, kind }: Omit<SeriesWish, 'folder'>): string {
  const pair = symbol.replaceAll(/[/ .@$+:]/gu, '_');
  return kind === 'spot' ? `${pair}-${timeframe}` : join('futures', `${pair}-${timeframe}-${kind}`);
}

/** The kind of file that holds the candles of a market. */
export function candleKind(marketType: MarketType): SeriesKind {
  return marketType === 'futures' ? 'futures' : 'spot';
}

/** The candles of a pair, as `findCandles` finds them. Fails: CommandError that names the file, or the files looked for */
export async function loadCandles(wish: SeriesWish): Promise<LoadedCandles> {
  const found = await findCandles(wish);
  if (found !== null) return found;
  throw new CommandError(
    `${wish.symbol}: there are no candles in ${wish.folder}: neither ${candleFileName(wish)}${candleFileEndings.join(', ')} nor a smaller timeframe to build them from.`,
  );
}

/**
 * The candles of a pair out of a folder of files; null where there are none. Where the timeframe has no file it is built from the largest
 * smaller one that divides it and has one; only whole candles are.
 *
 * Fails: CommandError that names the file
 */
export async function findCandles(wish: SeriesWish): Promise<LoadedCandles | null> {
  const own = await readSeries(wish);
  if (own !== null) return own;
  const largeMs = timeframeLengths[wish.timeframe];
  const smaller = timeframes.filter((name) => timeframeLengths[name] < largeMs && largeMs % timeframeLengths[name] === 0).reverse();
  for (const timeframe of smaller) {
    const found = await readSeries({ ...wish, timeframe });
    if (found === null) continue;
    const smallMs = timeframeLengths[timeframe];
    const whole = wish.kind === 'funding_rate' ? found.candles : fillGaps(found.candles, smallMs);
    const candles = buildTimeframe(whole, smallMs, largeMs);
    if (candles.openTime.length === 0)
      throw new CommandError(`${wish.symbol}: the ${timeframe} candles do not make up one whole ${wish.timeframe} candle.`);
    return { candles, notes: [...found.notes, `${wish.symbol}: the ${wish.timeframe} candles are built from ${timeframe}.`] };
  }
  return null;
}

/** The candles of one file; null when there is none. Fails: CommandError that names the file */
export async function readSeries(wish: SeriesWish): Promise<LoadedCandles | null> {
  const files = candleFiles(wish);
  const [file] = files;
  if (file === undefined) return null;
  const rows = await readRows(file);
  if (rows.openTime.length === 0) throw new CommandError(`${file} holds no candles.`);
  const rowName = file.endsWith('.feather') ? (row: number) => `row ${row + 1}` : (row: number) => `line ${row + 2}`;
  const { candles, notes } =
    wish.kind === 'funding_rate' ? { candles: rows, notes: [] } : tidyCandles(rows, timeframeLengths[wish.timeframe], file, rowName);
  const others = files.slice(1).map((other) => `${other} is ignored: ${file} exists too.`);
  return { candles, notes: [...others, ...notes] };
}

/** The rows of a candle file of any ending, as they stand. Fails: CommandError that names the file */
export async function readRows(file: string): Promise<CandleColumns> {
  const bytes = readBytes(file);
  return file.endsWith('.feather') ? await parseCandleFeather(bytes, file) : parseCandleCsv(bytes, file);
}

/** The pairs a folder has candles of: those of spot, then those of futures, each by name. */
export function pairsInFolder(folder: string): string[] {
  const futures = join(folder, 'futures');
  const names = [...readdirSync(folder), ...(existsSync(futures) ? readdirSync(futures) : [])];
  const pairs = names.flatMap((name) => {
    const [, spot] = /^([^_-]+_[^_-]+)-\d+[mhd]\.(?:feather|csv|csv\.gz)$/u.exec(name) ?? [];
    const [, perpetual] = /^([^_-]+_[^_-]+_[^_-]+)-\d+[mhd]-futures\.(?:feather|csv|csv\.gz)$/u.exec(name) ?? [];
    return spot !== undefined ? [spot.replace('_', '/')] : perpetual !== undefined ? [perpetual.replace('_', '/').replace('_', ':')] : [];
  });
  return [...new Set(pairs)].sort((a, b) => Number(a.includes(':')) - Number(b.includes(':')) || (a < b ? -1 : 1));
}

/** Refuses a folder that is not there. Fails: CommandError */
export function requireFolder(folder: string): void {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) throw new CommandError(`The folder ${folder} does not exist.`);
}

/** The files there are for a series, the one to take first. Files of futures may also lie in the folder itself. */
function candleFiles(wish: SeriesWish): string[] {
  const name = candleFileName(wish);
  const names = wish.kind === 'spot' ? [name] : [name, name.slice('futures/'.length)];
  return names.flatMap((name) => candleFileEndings.map((ending) => join(wish.folder, name + ending))).filter((file) => existsSync(file));
}

function readBytes(file: string): Uint8Array {
  try {
    const bytes = readFileSync(file);
    return file.endsWith('.gz') ? gunzipSync(bytes) : bytes;
  } catch (error) {
    throw new CommandError(`${file} cannot be read (${errorText(error)}).`);
  }
}
