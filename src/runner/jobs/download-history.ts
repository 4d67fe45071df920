import type { Candle } from '#engine/market/candle.ts';
import { toColumns } from '#engine/market/candle.ts';
import { dayMs, hourMs } from '#engine/market/durations.ts';
import type { Instrument, MarketType } from '#engine/market/instrument.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import { candleOpenTime, timeframeLengths } from '#engine/market/timeframe.ts';
import type { MarketData } from '#engine/ports/market-data.ts';
import type { CandleSeries } from '#storage/candles/candle-chunks.ts';
import { missingSpans, writeCandles } from '#storage/candles/candle-chunks.ts';
import type { TimeSpan } from '#storage/candles/candle-months.ts';
import type { Database } from '#storage/database.ts';
import { missingFunding, writeFunding } from '#storage/candles/funding.ts';
import type { BacktestWork } from '#storage/backtests/jobs.ts';
import { certainUntil } from '#feeds/funding-feed.ts';
import type { Markets } from '#feeds/markets.ts';
import type { CandleDisk } from './refuse-full-disk.ts';
import { refuseFullDisk } from './refuse-full-disk.ts';

/** Candles that are fetched and stored at a time: the progress moves, and little is lost when the work is cut short. */
const candlesAtOnce = 10_000;

/** Pieces that are fetched side by side: the way to the exchange and back is used, its budget is kept in any case. */
const piecesAtOnce = 4;

/** What an exchange has not sent for so long after its time it does not have. */
const settledMs = dayMs;

/** Where history comes from and where it is kept. */
export interface HistoryDependencies {
  db: Database;
  markets: Markets;
  disk: CandleDisk;
  now: () => number;
}

/** What a run needs; the span of funding is null where there is none. */
export interface HistoryRequest {
  candles: TimeSpan;
  funding: TimeSpan | null;
}

/** A piece of the history that is fetched and kept at a time. */
interface Piece {
  size: number; // in candles that the exchange has to send
  what: 'candles' | 'funding';
  span: TimeSpan;
  fetch(): Promise<void>;
}

/**
 * Fetches what is not stored yet of the history of a run, in pieces, and reports how far it is. Returns the instrument.
 *
 * Fails: ExchangeError; `NoRoomForCandles`, before or between pieces; when the exchange does not have the symbol; when the work is cut short
 */
export async function downloadHistory(
  dependencies: HistoryDependencies,
  series: CandleSeries,
  request: HistoryRequest,
  work: BacktestWork,
): Promise<Instrument> {
  const market = await dependencies.markets.market(series.exchangeId, series.marketType as MarketType);
  const instrument = await market.instrument(series.symbol);
  if (instrument === null) throw new Error(`${series.exchangeId} does not have ${series.symbol}`);
  const missing = [
    ...(await candlePieces(dependencies, market, series, request, work)),
    ...(await fundingPieces(dependencies, market, series, request, work)),
  ];
  const total = missing.reduce((sum, { size }) => sum + size, 0);
  const days = { candles: daysOf(missing, 'candles'), funding: daysOf(missing, 'funding') };
  const done = { size: 0, candles: 0, funding: 0 };
  const fetchNext = async (): Promise<void> => {
    for (let piece = missing.shift(); piece !== undefined; piece = missing.shift()) {
      const month = new Date(piece.span.from).toISOString().slice(0, 7);
      const step = () => `Downloading ${piece.what} ${month} (${Math.round(done[piece.what])} of ${Math.round(days[piece.what])} days)`;
      await work.progress('downloading', done.size / total, step());
      await refuseFullDisk(dependencies.disk);
      await piece.fetch();
      done.size += piece.size;
      done[piece.what] += dayCount(piece.span);
      await work.progress('downloading', done.size / total, step());
    }
  };
  // The first that fails ends the others, which would fetch what nobody waits for.
  await Promise.all(
    Array.from({ length: piecesAtOnce }, () =>
      fetchNext().catch((error: unknown) => {
        missing.length = 0;
        throw error;
      }),
    ),
  );
  return instrument;
}

const dayCount = ({ from, to }: TimeSpan): number => (to - from) / dayMs;

function daysOf(missing: readonly Piece[], what: Piece['what']): number {
  return missing.reduce((sum, piece) => sum + (piece.what === what ? dayCount(piece.span) : 0), 0);
}

async function candlePieces(
  dependencies: HistoryDependencies,
  market: MarketData,
  series: CandleSeries,
  request: HistoryRequest,
  work: BacktestWork,
): Promise<Piece[]> {
  const timeframe = series.timeframe as Timeframe;
  const length = timeframeLengths[timeframe];
  return cut(await missingSpans(dependencies.db, series, request.candles), length).map(({ from, to }) => ({
    size: (to - from) / length,
    what: 'candles' as const,
    span: { from, to },
    async fetch() {
      const candles = await market.candles(series.symbol, timeframe, from, to, work.signal);
      work.signal.throwIfAborted(); // what was cut short is not kept as whole
      const known = knownUntil(timeframe, candles, to, dependencies.now());
      if (known > from) await writeCandles(dependencies.db, series, { from, to: known }, toColumns(candles));
    },
  }));
}

/**
 * Up to when an answer says what there is: after its newest candle one may be missing because it has not closed, because the exchange is
 * late, or because the machine's clock is ahead of it.
 */
function knownUntil(timeframe: Timeframe, candles: readonly Candle[], to: number, now: number): number {
  const newest = candles.at(-1);
  const received = newest === undefined ? -Infinity : newest.openTime + timeframeLengths[timeframe];
  return Math.min(to, Math.max(received, candleOpenTime(timeframe, now - settledMs)));
}

/** A payment of funding takes the mark price of its hour, so that whole hours have to be fetched. */
async function fundingPieces(
  dependencies: HistoryDependencies,
  market: MarketData,
  series: CandleSeries,
  request: HistoryRequest,
  work: BacktestWork,
): Promise<Piece[]> {
  if (request.funding === null) return [];
  return cut(await missingFunding(dependencies.db, series, request.funding), hourMs).map(({ from, to }) => ({
    size: (to - from) / hourMs,
    what: 'funding' as const,
    span: { from, to },
    async fetch() {
      const askedAt = dependencies.now();
      const events = await market.funding(series.symbol, from, to, work.signal);
      work.signal.throwIfAborted();
      // After the payment of this hour there is none until the next.
      const certain = certainUntil(askedAt, events);
      await writeFunding(dependencies.db, series, { from, to: certain % hourMs === 0 ? to : Math.min(to, certain + 1) }, events);
    },
  }));
}

/** Spans cut into those that are fetched at a time. */
function cut(spans: readonly TimeSpan[], length: number): TimeSpan[] {
  return spans.flatMap(({ from, to }) => {
    const step = candlesAtOnce * length;
    return Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => ({
      from: from + i * step,
      to: Math.min(to, from + (i + 1) * step),
    }));
  });
}
