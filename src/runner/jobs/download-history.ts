import { toColumns } from '#engine/market/candle.ts';
import type { Instrument, MarketType } from '#engine/market/instrument.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import type { MarketData } from '#engine/ports/market-data.ts';
import type { CandleSeries } from '#storage/candle-chunks.ts';
import { missingSpans, writeCandles } from '#storage/candle-chunks.ts';
import type { TimeSpan } from '#storage/candle-months.ts';
import type { Database } from '#storage/database.ts';
import { missingFunding, writeFunding } from '#storage/funding.ts';
import type { BacktestWork } from '#storage/jobs.ts';
import { certainUntil } from '#feeds/funding-feed.ts';
import type { Markets } from '#feeds/markets.ts';

/** Candles that are fetched and stored at a time: the progress moves, and little is lost when the work is cut short. */
const candlesAtOnce = 10_000;

/** Pieces that are fetched side by side: the way to the exchange and back is used, its budget is kept in any case. */
const piecesAtOnce = 4;

const hour = 3_600_000;

/** Where history comes from and where it is kept. */
export interface HistoryParts {
  db: Database;
  markets: Markets;
  now: () => number;
}

/** What a run needs; the span of funding is null where there is none. */
export interface HistoryWish {
  candles: TimeSpan;
  funding: TimeSpan | null;
}

/** A part of the history that is fetched and kept at a time. */
interface Part {
  size: number; // in candles that the exchange has to send
  what: 'candles' | 'funding';
  span: TimeSpan;
  fetch(): Promise<void>;
}

/**
 * Fetches what is not stored yet of the history of a run, in parts, and reports how far it is. Returns the instrument.
 *
 * Fails: ExchangeError; when the exchange does not have the symbol; when the work is cut short
 */
export async function downloadHistory(
  parts: HistoryParts,
  series: CandleSeries,
  wish: HistoryWish,
  work: BacktestWork,
): Promise<Instrument> {
  const market = await parts.markets.market(series.exchangeId, series.marketType as MarketType);
  const instrument = await market.instrument(series.symbol);
  if (instrument === null) throw new Error(`${series.exchangeId} does not have ${series.symbol}`);
  const missing = [...(await candleParts(parts, market, series, wish, work)), ...(await fundingParts(parts, market, series, wish, work))];
  const total = missing.reduce((sum, { size }) => sum + size, 0);
  const days = { candles: daysOf(missing, 'candles'), funding: daysOf(missing, 'funding') };
  const done = { size: 0, candles: 0, funding: 0 };
  const fetchNext = async (): Promise<void> => {
    for (let part = missing.shift(); part !== undefined; part = missing.shift()) {
      const month = new Date(part.span.from).toISOString().slice(0, 7);
      const step = () => `Downloading ${part.what} ${month} (${Math.round(done[part.what])} of ${Math.round(days[part.what])} days)`;
      await work.progress('downloading', done.size / total, step());
      await part.fetch();
      done.size += part.size;
      done[part.what] += dayCount(part.span);
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

const dayCount = ({ from, to }: TimeSpan): number => (to - from) / 86_400_000;

function daysOf(missing: readonly Part[], what: Part['what']): number {
  return missing.reduce((sum, part) => sum + (part.what === what ? dayCount(part.span) : 0), 0);
}

async function candleParts(
  parts: HistoryParts,
  market: MarketData,
  series: CandleSeries,
  wish: HistoryWish,
  work: BacktestWork,
): Promise<Part[]> {
  const timeframe = series.timeframe as Timeframe;
  const length = timeframeLengths[timeframe];
  return pieces(await missingSpans(parts.db, series, wish.candles), length).map(({ from, to }) => ({
    size: (to - from) / length,
    what: 'candles' as const,
    span: { from, to },
    async fetch() {
      const candles = await market.candles(series.symbol, timeframe, from, to, work.signal);
      work.signal.throwIfAborted(); // what was cut short is not kept as whole
      await writeCandles(parts.db, series, { from, to }, toColumns(candles));
    },
  }));
}

/** A payment of funding takes the mark price of its hour, so that hours are what has to be told. */
async function fundingParts(
  parts: HistoryParts,
  market: MarketData,
  series: CandleSeries,
  wish: HistoryWish,
  work: BacktestWork,
): Promise<Part[]> {
  if (wish.funding === null) return [];
  return pieces(await missingFunding(parts.db, series, wish.funding), hour).map(({ from, to }) => ({
    size: (to - from) / hour,
    what: 'funding' as const,
    span: { from, to },
    async fetch() {
      const askedAt = parts.now();
      const events = await market.funding(series.symbol, from, to, work.signal);
      work.signal.throwIfAborted();
      // After the payment of this hour there is none until the next.
      const certain = certainUntil(askedAt, events);
      await writeFunding(parts.db, series, { from, to: certain % hour === 0 ? to : Math.min(to, certain + 1) }, events);
    },
  }));
}

/** Spans cut into parts that are asked for at a time. */
function pieces(spans: readonly TimeSpan[], length: number): TimeSpan[] {
  return spans.flatMap(({ from, to }) => {
    const step = candlesAtOnce * length;
    return Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => ({
      from: from + i * step,
      to: Math.min(to, from + (i + 1) * step),
    }));
  });
}
