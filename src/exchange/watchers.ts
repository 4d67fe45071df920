import type { Candle } from '#engine/market/candle.ts';
import { type Timeframe, timeframeLengths } from '#engine/market/timeframe.ts';
import type { MarketListener, MarketSubscription, Quote } from '#engine/ports/market-data.ts';

/** One who watches a symbol. */
export interface Watcher {
  subscription: MarketSubscription;
  listener: MarketListener;
  joinedAt: number; // exchange time, ms; candles closed before are not told to it
  stale: boolean; // as it was told
  unknown: boolean; // the exchange has no such symbol: it stays stale
  heardAt: number; // machine time of the last news of its symbol that did not come by a socket
}

/** All watchers by symbol, and how they are told: each its own copy, and none can keep the news from the others. */
export class Watchers {
  readonly #bySymbol = new Map<string, Set<Watcher>>();
  readonly #log: (message: string) => void;

  constructor(log: (message: string) => void) {
    this.#log = log;
  }

  add(subscription: MarketSubscription, listener: MarketListener, joinedAt: number): Watcher {
    const watcher: Watcher = { subscription, listener, joinedAt, stale: false, unknown: false, heardAt: performance.now() };
    const others = this.#bySymbol.get(subscription.symbol);
    if (others === undefined) this.#bySymbol.set(subscription.symbol, new Set([watcher]));
    else others.add(watcher);
    return watcher;
  }

  remove(watcher: Watcher): void {
    const { symbol } = watcher.subscription;
    const others = this.#bySymbol.get(symbol);
    others?.delete(watcher);
    if (others?.size === 0) this.#bySymbol.delete(symbol);
  }

  clear(): void {
    this.#bySymbol.clear();
  }

  /** The watched symbols. */
  symbols(): string[] {
    return [...this.#bySymbol.keys()];
  }

  of(symbol: string): readonly Watcher[] {
    return [...(this.#bySymbol.get(symbol) ?? [])];
  }

  tellCandle(news: 'onCandle' | 'onOpenCandle', symbol: string, timeframe: Timeframe, candle: Candle): void {
    for (const { subscription, listener, joinedAt } of this.of(symbol)) {
      if (!subscription.timeframes.includes(timeframe) || candle.openTime + timeframeLengths[timeframe] <= joinedAt) continue;
      this.#tell(() => listener[news]?.(timeframe, { ...candle }));
    }
  }

  tellQuote(quote: Quote): void {
    for (const { subscription, listener } of this.of(quote.symbol)) {
      if (subscription.quotes) this.#tell(() => listener.onQuote?.({ ...quote }));
    }
  }

  /** REST has brought news of a symbol. */
  /** Tells one watcher, if it still watches. */
  tellQuoteTo(watcher: Watcher, quote: Quote): void {
    if (this.of(quote.symbol).includes(watcher)) this.#tell(() => watcher.listener.onQuote?.({ ...quote }));
  }

  noteNews(symbol: string): void {
    for (const watcher of this.of(symbol)) watcher.heardAt = performance.now();
  }

  /** Tells whose source has been silent for too long, and whose speaks again. `frameAt` is the machine time of the last frame. */
  tellStale(frameAt: number, staleMs: number): void {
    const now = performance.now();
    for (const watcher of this.symbols().flatMap((symbol) => this.of(symbol))) {
      const stale = watcher.unknown || now - Math.max(watcher.heardAt, frameAt) > staleMs;
      if (stale === watcher.stale) continue;
      watcher.stale = stale;
      this.#tell(() => watcher.listener.onStale?.(stale));
    }
  }

  #tell(news: () => void): void {
    try {
      news();
    } catch (error) {
      this.#log(`A listener failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    }
  }
}
