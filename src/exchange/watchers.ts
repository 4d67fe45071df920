import type { Candle } from '#engine/market/candle.ts';
import { type Timeframe, timeframeLengths } from '#engine/market/timeframe.ts';
import type { MarketListener, MarketSubscription, Quote } from '#engine/ports/market-data.ts';

/** A listener to one symbol. */
export interface Watcher {
  subscription: MarketSubscription;
  listener: MarketListener;
  joinedAt: number; // exchange time, ms; candles that closed before are not emitted to it
  stale: boolean; // as last reported to it
  unknown: boolean; // the exchange has no such symbol: it stays stale
  polledAt: number; // machine time of the last REST answer about its symbol
}

/** All watchers by symbol. Each receives its own copy, and one that throws does not keep events from the others. */
export class Watchers {
  readonly #bySymbol = new Map<string, Set<Watcher>>();
  readonly #log: (message: string) => void;

  constructor(log: (message: string) => void) {
    this.#log = log;
  }

  add(subscription: MarketSubscription, listener: MarketListener, joinedAt: number): Watcher {
    const watcher: Watcher = { subscription, listener, joinedAt, stale: false, unknown: false, polledAt: performance.now() };
    const others = this.#bySymbol.get(subscription.symbol);
    if (others === undefined) this.#bySymbol.set(subscription.symbol, new Set([watcher]));
    else others.add(watcher);
    return watcher;
  }

  /** All of them have joined at this time or earlier. */
  joinedBy(time: number): void {
    for (const watcher of this.symbols().flatMap((symbol) => this.of(symbol))) watcher.joinedAt = Math.min(watcher.joinedAt, time);
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

  /** Emits a candle, closed or open, to all who watch its timeframe. */
  emitCandle(event: 'onCandle' | 'onOpenCandle', symbol: string, timeframe: Timeframe, candle: Candle): void {
    for (const { subscription, listener, joinedAt } of this.of(symbol)) {
      if (!subscription.timeframes.includes(timeframe) || candle.openTime + timeframeLengths[timeframe] <= joinedAt) continue;
      this.#notify(() => listener[event]?.(timeframe, { ...candle }));
    }
  }

  /** Emits a quote to all who watch the quotes of its symbol. */
  emitQuote(quote: Quote): void {
    for (const { subscription, listener } of this.of(quote.symbol)) {
      if (subscription.quotes) this.#notify(() => listener.onQuote?.({ ...quote }));
    }
  }

  /** Emits a quote to one watcher, if it still watches. */
  emitQuoteTo(watcher: Watcher, quote: Quote): void {
    if (this.of(quote.symbol).includes(watcher)) this.#notify(() => watcher.listener.onQuote?.({ ...quote }));
  }

  /** REST has answered about a symbol: its watchers are not stale. */
  markPolled(symbol: string): void {
    for (const watcher of this.of(symbol)) watcher.polledAt = performance.now();
  }

  /** Reports to each watcher when its source became stale and when it works again. `frameAt` is the machine time of the last frame. */
  reportStale(frameAt: number, staleMs: number): void {
    const now = performance.now();
    for (const watcher of this.symbols().flatMap((symbol) => this.of(symbol))) {
      const stale = watcher.unknown || now - Math.max(watcher.polledAt, frameAt) > staleMs;
      if (stale === watcher.stale) continue;
      watcher.stale = stale;
      this.#notify(() => watcher.listener.onStale?.(stale));
    }
  }

  #notify(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#log(`A listener failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    }
  }
}
