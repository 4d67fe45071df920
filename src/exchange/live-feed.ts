import { setTimeout as sleep } from 'node:timers/promises';
import { ExchangeClosedByUser, UnsubscribeError } from 'ccxt';
import type { Candle } from '#engine/market/candle.ts';
import { hourMs, minuteMs } from '#engine/market/durations.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import type { MarketListener, MarketSubscription, Quote } from '#engine/ports/market-data.ts';
import { Backoff } from './backoff.ts';
import { CandleChannel } from './candle-channel.ts';
import type { CcxtClient } from './ccxt-client.ts';
import { QuoteChannel } from './quote-channel.ts';
import { SocketGuard } from './socket-guard.ts';
import { StreamSubscriptions } from './stream-subscriptions.ts';
import { type Watcher, Watchers } from './watchers.ts';

/** What the feed needs of its market data. */
export interface FeedSource {
  client: CcxtClient;
  exchangeId: string;
  now(): number; // exchange time, ms
  /** Makes the client ready: markets, loaded again when they are old, and the clock. May fail; it is tried again. */
  ready(): Promise<void>;
  /** Loads the list of instruments again, however new it is. May fail; it is tried again. */
  relist(): Promise<unknown>;
  /** Keeps the measured clock right. */
  refreshClock(): void;
  fetchCandles(symbol: string, timeframe: Timeframe, from: number, to: number): Promise<Candle[]>;
  /** Where it gives several at once, one symbol that the exchange does not have costs no other its quote. */
  fetchQuotes(symbols: readonly string[]): Promise<Quote[]>;
  log(message: string): void;
}

/** Times of the feed in ms of machine time; tests shorten them. */
export interface FeedTimes {
  silenceMs: number; // a socket is not considered silent before this
  staleMs: number; // without a frame or an answer for so long a symbol is stale
  streamAwayMs: number; // without a frame for so long REST takes over
  graceMs: number; // how late after its close a candle is fetched by REST when the stream has sent no newer one
  pollMs: number; // between two polls while the stream is away
  quietMs: number; // without a frame for so long, while others arrive, the price of a symbol is asked for by REST; looked at as often
  quoteMaxAgeMs: number; // a quote of the feed that is older is fetched again
  backoffMs: number; // before the first attempt to connect again
  backoffMaxMs: number;
  lingerMs: number; // a subscription is kept for so long after its last watcher has gone
}

/** The times in use. */
export const feedTimes: FeedTimes = {
  silenceMs: 10_000,
  staleMs: 10_000,
  streamAwayMs: 3_000,
  graceMs: 2_000,
  pollMs: 5_000,
  quietMs: 30_000,
  quoteMaxAgeMs: 5_000,
  backoffMs: 500,
  backoffMaxMs: 30_000,
  lingerMs: 2_000,
};

const tickMs = 250;
const relistMs = minuteMs; // before the first look whether what the exchange did not list is listed by now
const relistMostMs = hourMs; // between two looks at last: one list may lack a pair by mistake, and what is gone shall cost little
const scanMs = 20; // frames that arrive within this time are read together
const polledAtOnce = 30;

/** A listed symbol that the exchange gives no price of: it may have left since the list was loaded. */
interface Doubt {
  lookAt: number; // machine time when a newer list is asked for
  pause: Backoff;
}

/** Live candles and quotes: one subscription per symbol and channel, shared by all watchers, kept alive and complete. */
export class LiveFeed {
  readonly #source: FeedSource;
  readonly #times: FeedTimes;
  readonly #backoff: Backoff;
  readonly #guard: SocketGuard;
  readonly #streams: StreamSubscriptions;
  readonly #watchers: Watchers;
  readonly #candles = new Map<string, CandleChannel>();
  readonly #quotes = new Map<string, QuoteChannel>();
  readonly #unknown = new Set<string>(); // watched symbols that the exchange does not list
  readonly #returning = new Set<string>(); // of these those that are listed again, while their price is asked for
  readonly #relistPause = new Backoff(relistMs, relistMostMs);
  #relistMs = 0; // from one look at the list to the next, now
  #relistAt = 0; // machine time of the next
  readonly #doubts = new Map<string, Doubt>(); // listed symbols without a price
  #doubtAt = 0; // machine time of the next such look
  #frameAt = -Infinity; // machine time of the last frame
  #pollAt = 0;
  #pollFrom = 0;
  #quietAt = 0; // machine time of the next look for quiet symbols
  #scanTimer: NodeJS.Timeout | null = null;
  #retry: NodeJS.Timeout | null = null;
  #ticker: NodeJS.Timeout | null = null;
  #starting = false;
  #started = false;
  #closed = false;

  constructor(source: FeedSource, times: FeedTimes) {
    this.#source = source;
    this.#times = times;
    this.#watchers = new Watchers((message) => source.log(message));
    this.#backoff = new Backoff(times.backoffMs, times.backoffMaxMs);
    this.#streams = new StreamSubscriptions(source.client, (error) => this.#subscriptionFailed(error));
    this.#guard = new SocketGuard(
      source.client,
      { onFrame: (first) => this.#frameReceived(first), onLost: (reason) => this.#streamLost(reason) },
      { leastMs: times.silenceMs, mostMs: times.silenceMs * 6 },
    );
  }

  watch(subscription: MarketSubscription, listener: MarketListener): () => void {
    const watcher = this.#watchers.add(subscription, listener, this.#source.now());
    const { symbol, timeframes, quotes } = subscription;
    for (const timeframe of timeframes) {
      const key = candleKey(symbol, timeframe);
      if (!this.#candles.has(key)) this.#candles.set(key, this.#candleChannel(symbol, timeframe));
    }
    if (quotes && !this.#quotes.has(symbol)) this.#quotes.set(symbol, new QuoteChannel(symbol));
    this.#ticker ??= setInterval(() => this.#tick(), tickMs).unref();
    if (this.#started) this.#subscribe();
    else void this.#start();
    // The newest quote was emitted to the others before; a watcher that joins now has not received it yet.
    if (quotes) queueMicrotask(() => this.#emitNewestQuote(symbol, watcher));
    return () => this.#unwatch(watcher);
  }

  #emitNewestQuote(symbol: string, watcher: Watcher): void {
    const quote = this.#quotes.get(symbol)?.fresh(Infinity) ?? null;
    if (quote !== null) this.#watchers.emitQuoteTo(watcher, quote);
  }

  /** The newest quote of a watched symbol when it is fresh. */
  freshQuote(symbol: string, maxAgeMs: number): Quote | null {
    const quote = this.#quotes.get(symbol)?.fresh(maxAgeMs) ?? null;
    return quote === null ? null : { ...quote };
  }

  /** The open candle of a watched symbol while its stream works. Without one it is as old as the last close. */
  openCandle(symbol: string, timeframe: Timeframe): Candle | null {
    if (this.#isStreamAway() || !this.#streams.hasCandles()) return null;
    return this.#candles.get(candleKey(symbol, timeframe))?.openCandle() ?? null;
  }

  /** The time up to which candles of a watched symbol are known to be closed, in ms; 0 when it is not watched, and before it begins. */
  closedUntil(symbol: string, timeframe: Timeframe): number {
    if (!this.#started) return 0;
    return this.#candles.get(candleKey(symbol, timeframe))?.closedUntil() ?? 0;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of [this.#ticker, this.#scanTimer, this.#retry]) if (timer !== null) clearTimeout(timer);
    this.#watchers.clear();
    this.#candles.clear();
    this.#quotes.clear();
    this.#guard.end();
    for (const socket of Object.values(this.#source.client.clients ?? {})) socket.connection?.terminate?.();
    await Promise.race([this.#source.client.close(), sleep(1000)]);
  }

  async #start(): Promise<void> {
    if (this.#starting) return;
    this.#starting = true;
    const askedAt = performance.now();
    while (!this.#closed && !this.#started) {
      try {
        await this.#source.ready();
        this.#beginBy(this.#source.now() - (performance.now() - askedAt));
        this.#started = true;
      } catch (error) {
        this.#source.log(String(error));
        await sleep(this.#backoff.next());
      }
    }
    this.#backoff.reset();
    this.#subscribe();
  }

  /** Until the exchange was asked, this machine's clock stood in for its own. Where that is ahead, candles would be missing that close before its time. */
  #beginBy(time: number): void {
    this.#watchers.joinedBy(time);
    for (const channel of this.#candles.values()) channel.beginBy(time);
  }

  #subscribe(): void {
    if (this.#closed) return;
    this.#leaveOutUnknown();
    this.#streams.want(
      this.#listedCandles().map(({ symbol, timeframe }) => [symbol, timeframe] as const),
      [...this.#quotes.keys()],
    );
  }

  /** The candles of symbols that the exchange lists. Those of others wait, so that none is missing if they come back. */
  #listedCandles(): CandleChannel[] {
    return [...this.#candles.values()].filter(({ symbol }) => !this.#unknown.has(symbol));
  }

  #isListed(symbol: string): boolean {
    return this.#source.client.markets?.[symbol] !== undefined;
  }

  /** A symbol the exchange does not list would make the subscription of all others fail: it is stale until it is listed. */
  #leaveOutUnknown(): void {
    for (const symbol of this.#watchers.symbols()) {
      const isNew = !this.#unknown.has(symbol);
      if (isNew && this.#isListed(symbol)) continue;
      this.#quotes.delete(symbol);
      for (const watcher of this.#watchers.of(symbol)) watcher.unknown = true;
      if (!isNew) continue;
      this.#unknown.add(symbol);
      const due = this.#relistAt;
      this.#relistPause.reset();
      this.#relistLater();
      // What is watched, given up and watched again must not put the look for others off.
      if (due > performance.now()) this.#relistAt = Math.min(due, this.#relistAt);
      for (const channel of this.#candles.values()) if (channel.symbol === symbol) channel.interrupt(this.#rowsOf(channel));
      this.#streams.forgetSymbol(symbol);
      this.#source.log(`${this.#source.exchangeId} has no instrument ${symbol}; nothing will be reported of it until it has.`);
    }
  }

  /** Notices what has left the list, whoever loaded it, and looks from time to time whether the exchange lists by now what it did not. */
  #followList(now: number): void {
    if (this.#watchers.symbols().some((symbol) => !this.#unknown.has(symbol) && !this.#isListed(symbol))) this.#subscribe();
    if (this.#unknown.size === 0) return;
    for (const symbol of this.#unknown) {
      if (!this.#isListed(symbol) || this.#returning.has(symbol)) continue;
      this.#returning.add(symbol);
      void this.#comeBack(symbol).finally(() => this.#returning.delete(symbol));
    }
    if (now >= this.#relistAt) void this.#relist();
  }

  async #relist(): Promise<void> {
    this.#relistAt = performance.now() + this.#relistMs; // without an answer the pause stays as long as it is
    try {
      await this.#source.relist();
      this.#relistLater();
    } catch (error) {
      this.#source.log(String(error));
    }
  }

  #relistLater(): void {
    this.#relistMs = this.#relistPause.next();
    this.#relistAt = performance.now() + this.#relistMs;
  }

  /** Before anybody learns that a symbol is fresh again they receive its price: the one they have may be of weeks ago. */
  async #comeBack(symbol: string): Promise<void> {
    const pause = new Backoff(this.#times.pollMs, relistMs);
    while (!this.#closed && this.#unknown.has(symbol) && this.#isListed(symbol)) {
      try {
        const [quote] = await this.#source.fetchQuotes([symbol]);
        if (quote === undefined) throw new Error(`${this.#source.exchangeId} lists ${symbol} again and has no prices of it yet.`);
        this.#followAgain(symbol, quote);
      } catch (error) {
        this.#source.log(String(error));
        await sleep(pause.next(), undefined, { ref: false });
      }
    }
  }

  #followAgain(symbol: string, quote: Quote): void {
    if (this.#closed || !this.#unknown.delete(symbol)) return; // nobody watches it any more
    this.#doubts.delete(symbol);
    this.#streams.forgetSymbol(symbol); // frames that came while it was away
    const watchers = this.#watchers.of(symbol);
    if (watchers.some(({ subscription }) => subscription.quotes)) {
      const channel = new QuoteChannel(symbol);
      this.#quotes.set(symbol, channel);
      channel.update(quote);
      this.#watchers.emitQuote(quote);
    }
    for (const watcher of watchers) watcher.unknown = false;
    // Its streams begin now: what closed before comes from REST, and they have not missed it.
    for (const channel of this.#candles.values()) if (channel.symbol === symbol) channel.interrupt(undefined);
    this.#source.log(`${this.#source.exchangeId} has the instrument ${symbol} again.`);
    this.#subscribe();
  }

  #unwatch(watcher: Watcher): void {
    const { symbol } = watcher.subscription;
    this.#watchers.remove(watcher);
    if (!this.#closed) setTimeout(() => this.#dropUnused(symbol), this.#times.lingerMs).unref();
  }

  #dropUnused(symbol: string): void {
    if (this.#closed) return;
    const watchers = this.#watchers.of(symbol);
    if (watchers.length === 0) {
      this.#unknown.delete(symbol);
      this.#doubts.delete(symbol);
    }
    for (const [key, channel] of this.#candles) {
      if (channel.symbol !== symbol || watchers.some(({ subscription }) => subscription.timeframes.includes(channel.timeframe))) continue;
      this.#candles.delete(key);
      this.#streams.dropCandles(symbol, channel.timeframe);
    }
    if (this.#quotes.has(symbol) && !watchers.some(({ subscription }) => subscription.quotes)) {
      this.#quotes.delete(symbol);
      this.#streams.dropQuotes(symbol);
    }
    if (this.#watchers.symbols().length === 0 && this.#ticker !== null) {
      clearInterval(this.#ticker);
      this.#ticker = null;
    }
  }

  #frameReceived(first: boolean): void {
    this.#frameAt = performance.now();
    if (first) this.#backoff.reset();
    this.#scanTimer ??= setTimeout(() => {
      this.#scanTimer = null;
      this.#scan();
    }, scanMs);
  }

  #streamLost(reason: string): void {
    if (this.#closed) return;
    this.#source.log(`${this.#source.exchangeId} lost a stream: ${reason}`);
    for (const channel of this.#listedCandles()) channel.interrupt(this.#rowsOf(channel));
    this.#retrySoon();
  }

  #subscriptionFailed(error: unknown): void {
    if (this.#closed || error instanceof UnsubscribeError || error instanceof ExchangeClosedByUser) return;
    this.#source.log(String(error));
    this.#retrySoon();
  }

  #retrySoon(): void {
    this.#retry ??= setTimeout(() => {
      this.#retry = null;
      this.#streams.forget();
      this.#subscribe();
    }, this.#backoff.next());
  }

  #rowsOf({ symbol, timeframe }: CandleChannel) {
    return this.#source.client.ohlcvs?.[symbol]?.[timeframe];
  }

  /** Reads what ccxt has received and emits what is new. */
  #scan(): void {
    const { client } = this.#source;
    for (const channel of this.#listedCandles()) channel.evaluate(this.#rowsOf(channel));
    const now = this.#source.now();
    for (const channel of this.#quotes.values()) {
      const quote = channel.readStream(client.bidsasks?.[channel.symbol], client.tickers?.[channel.symbol], now);
      if (quote !== null) this.#watchers.emitQuote(quote);
    }
  }

  #tick(): void {
    if (this.#started) {
      this.#source.refreshClock();
      this.#scan();
      const now = performance.now();
      this.#followList(now);
      if (this.#isStreamAway()) {
        this.#quietAt = now + this.#times.quietMs; // the streams that come back are given as long to send something
        if (now >= this.#pollAt) this.#poll(now);
      } else if (now >= this.#quietAt) {
        this.#askQuiet(now);
        if (!this.#streams.hasCandles()) this.#pollCandles();
      }
    }
    this.#watchers.reportStale(this.#frameAt, this.#times.staleMs);
  }

  /** While the stream is away: all quotes, and the open candles in turns. */
  #poll(now: number): void {
    this.#pollAt = now + this.#times.pollMs;
    this.#pollCandles();
    const symbols = [...this.#quotes.keys()];
    if (symbols.length > 0) void this.#pollQuotes(symbols);
  }

  #pollCandles(): void {
    const channels = this.#listedCandles();
    for (let i = 0; i < Math.min(polledAtOnce, channels.length); i++) channels[(this.#pollFrom + i) % channels.length]!.poll();
    this.#pollFrom += polledAtOnce;
  }

  /** A symbol whose streams send nothing while others do is calm, or the exchange has ended them: REST says which. */
  #askQuiet(now: number): void {
    this.#quietAt = now + this.#times.quietMs;
    const quiet = [...this.#quotes.values()].filter((channel) => channel.isQuiet(this.#times.quietMs)).map(({ symbol }) => symbol);
    if (quiet.length > 0) void this.#pollQuotes(quiet).then((missed) => this.#streamAgain(missed));
  }

  /** Emits what REST has of these symbols and has not been emitted; gives the symbols whose streams have missed it. */
  async #pollQuotes(symbols: readonly string[]): Promise<string[]> {
    const askedAt = performance.now();
    const missed: string[] = [];
    try {
      const quotes = await this.#source.fetchQuotes(symbols);
      const priced = new Set(quotes.map(({ symbol }) => symbol));
      this.#doubtList(symbols.filter((symbol) => !priced.has(symbol)));
      for (const quote of quotes) {
        this.#doubts.delete(quote.symbol);
        this.#watchers.markPolled(quote.symbol);
        const channel = this.#quotes.get(quote.symbol);
        const hasMissed = channel?.hasMissed(quote) ?? false;
        const changed = channel?.update(quote, askedAt) ?? null;
        if (changed === null) continue;
        this.#watchers.emitQuote(changed);
        if (hasMissed) missed.push(quote.symbol);
      }
    } catch (error) {
      this.#source.log(String(error));
      if (error instanceof ExchangeError && error.kind === 'rejected') this.#doubtList(symbols);
    }
    return missed;
  }

  /** What has no price may have left the exchange since its list was loaded: a newer one says so. Each is looked for less and less often. */
  #doubtList(priceless: readonly string[]): void {
    const now = performance.now();
    for (const symbol of priceless)
      if (!this.#doubts.has(symbol)) this.#doubts.set(symbol, { lookAt: now, pause: new Backoff(relistMs, relistMostMs) });
    const due = priceless.flatMap((symbol) => this.#doubts.get(symbol) ?? []).filter(({ lookAt }) => now >= lookAt);
    if (due.length === 0 || now < this.#doubtAt || this.#closed) return;
    this.#doubtAt = now + relistMs;
    void this.#lookFor(due);
  }

  async #lookFor(doubts: readonly Doubt[]): Promise<void> {
    try {
      await this.#source.relist();
      for (const doubt of doubts) doubt.lookAt = performance.now() + doubt.pause.next();
    } catch (error) {
      this.#source.log(String(error)); // a list that could not be had is asked for again after as long as before
    }
  }

  /** The streams of these symbols have missed something although their socket is open: they are subscribed again, and no other is touched. */
  #streamAgain(symbols: readonly string[]): void {
    const ended = symbols.filter((symbol) => this.#streams.endSilently(symbol));
    if (ended.length === 0) return;
    for (const channel of this.#candles.values()) if (ended.includes(channel.symbol)) channel.interrupt(this.#rowsOf(channel));
    this.#subscribe();
  }

  #isStreamAway(): boolean {
    return performance.now() - this.#frameAt > this.#times.streamAwayMs;
  }

  #candleChannel(symbol: string, timeframe: Timeframe): CandleChannel {
    return new CandleChannel(
      {
        exchangeId: this.#source.exchangeId,
        now: () => this.#source.now(),
        fetch: (...range) => this.#source.fetchCandles(...range),
        closed: (...candle) => this.#watchers.emitCandle('onCandle', ...candle),
        open: (...candle) => this.#watchers.emitCandle('onOpenCandle', ...candle),
        polled: (polledSymbol) => this.#watchers.markPolled(polledSymbol),
        streamIncomplete: (missingSymbol) => {
          if (this.#streams.hasCandles() && !this.#isStreamAway()) this.#guard.dropAll(`the stream sends no candles of ${missingSymbol}`);
        },
        log: (message) => this.#source.log(message),
      },
      symbol,
      timeframe,
      this.#times.graceMs,
    );
  }
}

function candleKey(symbol: string, timeframe: Timeframe): string {
  return `${symbol} ${timeframe}`;
}
