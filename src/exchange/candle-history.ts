import { setTimeout as sleep } from 'node:timers/promises';
import type { Candle } from '#engine/market/candle.ts';
import type { MarketType } from '#engine/market/instrument.ts';
import { openTimeBefore, type Timeframe, timeframeLengths } from '#engine/market/timeframe.ts';
import type { CcxtClient } from './ccxt-client.ts';
import { toExchangeError } from './ccxt-errors.ts';
import { toCandle } from './ccxt-mapping.ts';
import { cheapestPage } from './quirks/binance.ts';
import type { RequestBudget } from './request-budget.ts';

/** What the paging of history needs. */
export interface HistorySource {
  client: CcxtClient;
  budget: RequestBudget;
  exchangeId: string;
  marketType: MarketType;
  price: 'last' | 'mark'; // which price candles are of: the one that is traded, or a perpetual's mark price
  retryMs: number; // before the second attempt, then twice as long each time
}

const attempts = 4;

/**
 * Candles of `from <= openTime < to`, closed or not, oldest first, each once.
 *
 * An incomplete page is requested again; what is still missing then is missing at the exchange. A page that fails
 * temporarily is tried four times.
 *
 * Fails: ExchangeError; also when a candle cannot be right
 */
export async function fetchCandles(
  source: HistorySource,
  symbol: string,
  timeframe: Timeframe,
  from: number,
  to: number,
  stop?: { readonly aborted: boolean },
): Promise<Candle[]> {
  const length = timeframeLengths[timeframe];
  const most = pageLimit(source.client, source.marketType);
  const result: Candle[] = [];
  let cursor = openTimeBefore(length, from + length - 1);
  while (cursor < to) {
    if (stop?.aborted === true) break;
    const end = Math.min(to, cursor + most * length);
    const page = await fetchWholePage(source, symbol, timeframe, cursor, end);
    result.push(...page);
    const last = page.at(-1);
    cursor = last === undefined ? end : last.openTime + length;
  }
  return result;
}

/** One page; requested a second time when it is empty, or candles are missing at its beginning or inside it. */
async function fetchWholePage(source: HistorySource, symbol: string, timeframe: Timeframe, from: number, end: number): Promise<Candle[]> {
  const first = await fetchPage(source, symbol, timeframe, from, end);
  if (!hasHole(first, from, timeframeLengths[timeframe])) return first;
  const second = await fetchPage(source, symbol, timeframe, from, end);
  const byTime = new Map([...first, ...second].map((candle) => [candle.openTime, candle]));
  return [...byTime.values()].sort((a, b) => a.openTime - b.openTime);
}

/** A page that only ends early has no hole: the rest is the next page. */
function hasHole(page: readonly Candle[], from: number, length: number): boolean {
  return page.length === 0 || page.some((candle, i) => candle.openTime !== from + i * length);
}

async function fetchPage(source: HistorySource, symbol: string, timeframe: Timeframe, from: number, end: number): Promise<Candle[]> {
  const count = Math.ceil((end - from) / timeframeLengths[timeframe]);
  const ofMark = source.price === 'mark' && Boolean(source.client.has['fetchMarkOHLCV']);
  return await patiently(source, `${source.price === 'mark' ? 'mark prices' : 'candles'} of ${symbol} ${timeframe}`, async () => {
    const rows = await source.client.fetchOHLCV(symbol, timeframe, from, count, ...(ofMark ? [{ price: 'mark' }] : []));
    const byTime = new Map<number, Candle>();
    for (const row of rows) {
      // A mark price has no volume; exchanges send 0 or nothing.
      const candle = toCandle(ofMark ? [...row.slice(0, 5), 0] : row, source.exchangeId, symbol);
      if (candle.openTime >= from && candle.openTime < end) byTime.set(candle.openTime, candle);
    }
    return [...byTime.values()].sort((a, b) => a.openTime - b.openTime);
  });
}

/**
 * The answer to a request for history. One that fails temporarily is tried four times.
 *
 * Fails: ExchangeError that names the action
 */
export async function patiently<Answer>(source: HistorySource, action: string, ask: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      const failure = toExchangeError(error, {
        exchangeId: source.exchangeId,
        action,
        changes: false,
        retryAfterMs: source.budget.closedForMs() || null,
      });
      if (failure.kind !== 'temporary' || attempt === attempts) throw failure;
      await sleep(retryWait(attempt, source.retryMs, failure.retryAfterMs));
      // A timer may end a fraction of a millisecond before its time.
      for (let left = source.budget.closedForMs(); left > 0 && left < 5; left = source.budget.closedForMs()) await sleep(left);
    }
  }
}

/** How long to wait after a failed attempt, in ms: twice as long each time, and never shorter than the exchange has asked for. */
export function retryWait(attempt: number, retryMs: number, retryAfterMs: number | null): number {
  return Math.max(retryMs * 2 ** (attempt - 1), retryAfterMs ?? 0);
}

/** How many candles to request at a time: the number that costs least per candle, else the exchange's limit as ccxt knows it. */
function pageLimit(client: CcxtClient, marketType: MarketType): number {
  const features = client.features as { spot?: Feature; swap?: { linear?: Feature } } | undefined;
  const feature = marketType === 'futures' ? features?.swap?.linear : features?.spot;
  return cheapestPage(client.id, marketType) ?? Math.min(1000, feature?.fetchOHLCV?.limit ?? 200);
}

interface Feature {
  fetchOHLCV?: { limit?: number };
}
