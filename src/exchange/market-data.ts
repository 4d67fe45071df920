import type { FundingEvent } from '#engine/account/funding.ts';
import type { Candle } from '#engine/market/candle.ts';
import { dayMs, hourMs, minuteMs } from '#engine/market/durations.ts';
import type { Instrument, MarketType } from '#engine/market/instrument.ts';
import { candleOpenTime, type Timeframe, timeframeLengths } from '#engine/market/timeframe.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import type { MarketData, OrderBook, Quote } from '#engine/ports/market-data.ts';
import { fetchCandles } from './candle-history.ts';
import { toExchangeError } from './ccxt-errors.ts';
import { toInstruments } from './ccxt-mapping.ts';
import { connect } from './connect.ts';
import { ExchangeClock } from './exchange-clock.ts';
import { fetchQuotes } from './fetch-quotes.ts';
import { fetchFunding } from './funding-history.ts';
import { LeverageTables } from './leverage-tables.ts';
import { type FeedTimes, feedTimes, LiveFeed } from './live-feed.ts';
import { fetchOrderBook } from './order-book.ts';
import type { Priority, RequestBudget } from './request-budget.ts';

/** Which market data is wanted, and from where. */
export interface MarketDataOptions {
  exchangeId: string; // 'binance', 'sandbox', 'bybit_testnet': see `supported.ts`
  marketType: MarketType;
  sandboxUrl?: string; // 'http://127.0.0.1:40123'; needed for the id 'sandbox', must lie on this machine
  budget?: RequestBudget; // by default the one that all connections of this process to this exchange share
  timeoutMs?: number; // for an answer with its body; 10 s by default
  now?: () => number; // ms; the machine's clock by default
  pace?: () => number; // ms; a steady clock beside it: see `MachineClock`
  times?: Partial<FeedTimes>; // to shorten waiting in tests
  retryMs?: number; // before the second attempt at a page of history, then twice as long each time; 500 by default
  log?: (message: string) => void; // failures that were handled
}

const instrumentsMaxAgeMs = hourMs;
const renewMs = minuteMs; // after a failure to load an old list again
const recentFundingMs = 31 * dayMs;

/** Candles of no longer a time are not history, in ms. */
const fewCandlesMs = 2 * minuteMs;

/**
 * Market data of an exchange through ccxt.
 *
 * Nothing is sent before it is asked for. One of these per exchange and market type serves all bots.
 *
 * Fails: ExchangeError `rejected` for an unknown exchange or a sandbox that is not on this machine
 */
export function createMarketData(options: MarketDataOptions): MarketData {
  const { exchangeId, marketType } = options;
  const { client, budget } = connect(options);
  const clock = new ExchangeClock(client, options, exchangeId);
  const log = options.log ?? (() => {});
  const retryMs = options.retryMs ?? 500;
  const history = { client, budget, exchangeId, marketType, price: 'last', retryMs } as const;
  const marks = { ...history, price: 'mark' } as const;
  const tiers = new LeverageTables(history);
  const times = { ...feedTimes, ...options.times };
  const pending = new Map<string, Promise<unknown>>();
  let instruments: { list: readonly Instrument[]; at: number } | null = null;
  let renewal: Promise<readonly Instrument[]> | null = null; // while an old list is loaded again
  let renewAt = 0; // machine time before which an old list is not asked for again, after an attempt that has failed

  /** Asks with an urgency; equal questions at the same time are asked once. */
  const ask = <Result>(priority: Priority, action: string, task: () => Promise<Result>): Promise<Result> => {
    const running = pending.get(action) as Promise<Result> | undefined;
    if (running !== undefined) return running;
    const answer = budget
      .as(priority, task)
      .catch((error: unknown) => {
        throw toExchangeError(error, { exchangeId, action, changes: false, retryAfterMs: budget.closedForMs() || null });
      })
      .finally(() => pending.delete(action));
    pending.set(action, answer);
    return answer;
  };

  const loadInstruments = () =>
    ask('quote', 'its list of instruments', async () => {
      const before = { ...client, options: { ...client.options } };
      try {
        const markets = Object.values(await client.loadMarkets(true));
        const list = toInstruments(client, markets, marketType);
        if (list.length === 0) throw new ExchangeError('temporary', `${exchangeId} gave an empty list of instruments.`);
        instruments = { list, at: performance.now() };
        return list;
      } catch (error) {
        // ccxt takes over any list at once. One that is refused does not say that what was listed has left.
        if (before.markets !== undefined) client.setMarketsFromExchange(before);
        throw error;
      }
    });

  const loaded = async (): Promise<readonly Instrument[]> => {
    if (instruments === null) return await loadInstruments();
    const { list, at } = instruments;
    if (performance.now() < Math.max(at + instrumentsMaxAgeMs, renewAt)) return list;
    // An old list serves better than none while the exchange does not answer. One attempt a minute is enough, and one who waits for it.
    if (renewal !== null) return list;
    renewal = loadInstruments()
      .catch((error: unknown) => {
        log(String(error));
        renewAt = performance.now() + renewMs;
        return list;
      })
      .finally(() => {
        renewal = null;
      });
    return await renewal;
  };

  const instrumentOf = async (symbol: string): Promise<Instrument> => {
    const found = (await loaded()).find((instrument) => instrument.symbol === symbol);
    if (found === undefined) throw new ExchangeError('rejected', `${exchangeId} has no ${marketType} instrument ${symbol}.`);
    return found;
  };

  /** The end of the candles that have closed. */
  const closedUntil = async (timeframe: Timeframe): Promise<number> => {
    await clock.refresh();
    return candleOpenTime(timeframe, clock.now());
  };

  const ready = async () => {
    await loaded();
    await client.loadHttpProxyAgent(); // ccxt refuses ws:// addresses without it
    await clock.refresh();
  };

  const feed = new LiveFeed(
    {
      client,
      exchangeId,
      now: () => clock.now(),
      ready,
      relist: loadInstruments,
      refreshClock: () => void clock.refresh(),
      fetchCandles: (...range) => budget.as('quote', () => fetchCandles(history, ...range)),
      fetchQuotes: (symbols) => ask('quote', `quotes of ${symbols.join(', ')}`, () => fetchQuotes(client, symbols, clock.now(), log)),
      log,
    },
    times,
  );

  return {
    exchangeId,
    marketType,
    timeframes: (Object.keys(timeframeLengths) as Timeframe[]).filter((timeframe) => Object.hasOwn(client.timeframes, timeframe)),
    instruments: async () => [...(await loaded())],
    async candles(symbol: string, timeframe: Timeframe, from: number, to: number, stop): Promise<Candle[]> {
      await instrumentOf(symbol);
      // The current candle is not closed. What the feed has emitted counts as closed, so that history never lacks a candle a listener received.
      const end = Math.min(to, Math.max(await closedUntil(timeframe), feed.closedUntil(symbol, timeframe)));
      // A few minutes are what a fill waits for, to know what its fee is worth.
      const priority = to - from <= fewCandlesMs ? 'quote' : 'history';
      return await budget.as(priority, () => fetchCandles(history, symbol, timeframe, from, end, stop));
    },
    async instrument(symbol: string): Promise<Instrument | null> {
      const found = (await loaded()).find((instrument) => instrument.symbol === symbol) ?? null;
      if (found === null || marketType !== 'futures' || found.leverageTiers.length > 0) return found;
      return { ...found, leverageTiers: await budget.as('quote', () => tiers.of(symbol)) };
    },
    async funding(symbol: string, from: number, to: number, stop): Promise<FundingEvent[]> {
      await instrumentOf(symbol);
      if (marketType !== 'futures') return [];
      // An open trade waits for the payments of its last days, or of the weeks without a runner; months of them are history.
      const priority = to - from <= recentFundingMs ? 'quote' : 'history';
      return await budget.as(priority, () => fetchFunding(marks, symbol, from, to, stop));
    },
    async markCandles(symbol: string, timeframe: Timeframe, from: number, to: number, stop): Promise<Candle[]> {
      await instrumentOf(symbol);
      if (marketType !== 'futures') return [];
      const end = Math.min(to, await closedUntil(timeframe));
      return await budget.as('history', () => fetchCandles(marks, symbol, timeframe, from, end, stop));
    },
    async openCandle(symbol: string, timeframe: Timeframe): Promise<Candle | null> {
      await clock.refresh();
      const from = candleOpenTime(timeframe, clock.now());
      const live = feed.openCandle(symbol, timeframe);
      if (live !== null && live.openTime >= from) return live;
      await instrumentOf(symbol);
      const candles = await ask('quote', `the open ${timeframe} candle of ${symbol}`, () =>
        fetchCandles(history, symbol, timeframe, from, from + timeframeLengths[timeframe]),
      );
      return candles.at(-1) ?? null;
    },
    async orderBook(symbol: string, limit: number): Promise<OrderBook> {
      const { contractSize } = await instrumentOf(symbol);
      const book = await ask('quote', `the order book of ${symbol} to ${limit} levels`, () =>
        fetchOrderBook(client, { exchangeId, symbol, limit, contractSize, now: () => clock.now() }),
      );
      return { ...book, bids: [...book.bids], asks: [...book.asks] };
    },
    async quote(symbol: string): Promise<Quote> {
      const live = feed.freshQuote(symbol, times.quoteMaxAgeMs);
      if (live !== null) return live;
      await instrumentOf(symbol);
      const [quote] = await ask('quote', `the best prices of ${symbol}`, () => fetchQuotes(client, [symbol], clock.now(), log));
      if (quote === undefined) throw new ExchangeError('temporary', `${exchangeId} gave no best prices of ${symbol}.`);
      return { ...quote };
    },
    watch: (subscription, listener) => feed.watch(subscription, listener),
    async close() {
      await feed.close();
      await client.fetchDispatcher?.destroy?.();
    },
  };
}
