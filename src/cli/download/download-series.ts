import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Candle, candleAt } from '#engine/market/candle.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import type { MarketData } from '#engine/ports/market-data.ts';
import { writeCandleFile } from '../candles/candle-file-writer.ts';
import { candleFileEndings, candleFileName, type SeriesKind, readSeries } from '../candles/candle-folder.ts';
import { CommandError } from '../command-error.ts';

/** Which candles are to be in the folder afterwards: `from <= openTime < to`. */
export interface DownloadWish {
  folder: string;
  symbol: string;
  timeframe: Timeframe;
  kind: SeriesKind;
  from: number;
  to: number;
}

/** Where candles come from. */
export type CandleSource = Pick<MarketData, 'candles'>;

/** What is reported while candles come in. */
export interface DownloadListener {
  onProgress(fraction: number): void;
  stop: { readonly aborted: boolean };
}

/** How much came in, and how much is there now. */
export interface DownloadEnd {
  file: string;
  fetched: number;
  total: number;
}

/** Candles asked for at once, and how often what came in is written down meanwhile. */
const pieceLength = 5000;
const writeEveryMs = 5000;

/**
 * Brings a candle file up to a wish: what it holds is not asked for again, what lies after and before it is joined on.
 *
 * However it ends, the file is whole and without a hole that the exchange does not have too.
 *
 * Fails: CommandError for a file that cannot be gone on with; ExchangeError, after what came in has been written
 */
export async function downloadSeries(market: CandleSource, wish: DownloadWish, listener: DownloadListener): Promise<DownloadEnd> {
  const { symbol, timeframe, from, to } = wish;
  const file = join(wish.folder, `${candleFileName(wish)}.csv.gz`);
  refuseOtherFile(wish, file);
  const length = timeframeLengths[timeframe];
  const there = existsSync(file) ? await readSeries(wish) : null;
  // Pieces, oldest first, and each sorted by time: joined only when they are written.
  const pieces: Candle[][] = there === null ? [] : [Array.from(there.candles.openTime, (_, i) => candleAt(there.candles, i))];
  const firstTime = pieces[0]?.[0]?.openTime ?? null;
  const nextTime = pieces[0] === undefined ? from : pieces[0].at(-1)!.openTime + length;
  let fetched = 0;
  let unwritten = 0;
  let writtenAt = performance.now();
  let pauseMs = writeEveryMs;
  const write = (): void => {
    const begun = performance.now();
    if (unwritten > 0) writeCandleFile(file, pieces.flat());
    unwritten = 0;
    writtenAt = performance.now();
    // A large file takes its time: it is written the less often, so that writing stays a small part.
    pauseMs = Math.max(writeEveryMs, 10 * (writtenAt - begun));
  };
  const span = Math.max(length, to - nextTime) + Math.max(0, (firstTime ?? from) - from);
  let done = 0;
  const take = (piece: Candle[], isOlder: boolean, ms: number): void => {
    if (piece.length > 0) pieces.splice(isOlder ? 0 : pieces.length, 0, piece);
    fetched += piece.length;
    unwritten += piece.length;
    done += ms;
    listener.onProgress(Math.min(1, done / span));
    if (performance.now() - writtenAt > pauseMs) write();
  };

  try {
    for (let at = nextTime; at < to && !listener.stop.aborted; at += pieceLength * length) {
      const end = Math.min(to, at + pieceLength * length);
      take(await market.candles(symbol, timeframe, at, end, listener.stop), false, end - at);
    }
    // What is older is fetched backwards: each piece touches what is there, wherever this ends.
    for (let end = firstTime ?? from; end > from && !listener.stop.aborted; end -= pieceLength * length) {
      const at = Math.max(from, end - pieceLength * length);
      const piece = await market.candles(symbol, timeframe, at, end, listener.stop);
      // A piece that was ended early begins well and ends before what is there: it would leave a hole.
      if (listener.stop.aborted) break;
      take(piece, true, end - at);
      if (piece.length === 0) break; // the exchange has nothing older
    }
  } finally {
    write();
  }
  return { file, fetched, total: pieces.reduce((sum, piece) => sum + piece.length, 0) };
}

/** A file of another ending would be read in place of the one that is written, or hide what it holds. */
function refuseOtherFile(wish: DownloadWish, file: string): void {
  const name = candleFileName(wish);
  const places = wish.kind === 'spot' ? [name] : [name, name.slice('futures/'.length)];
  const other = places
    .flatMap((place) => candleFileEndings.map((ending) => join(wish.folder, place + ending)))
    .find((path) => path !== file && existsSync(path));
  if (other !== undefined)
    throw new CommandError(`${other} exists already and would conflict with ${file}: move it away, or choose another folder.`);
}
