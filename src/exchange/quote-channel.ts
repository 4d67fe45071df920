import type { Ticker } from 'ccxt';
import type { Quote } from '#engine/ports/market-data.ts';
import { toQuote } from './ccxt-mapping.ts';

/** The best prices of one symbol as the stream or a poll last gave them. */
export class QuoteChannel {
  readonly symbol: string;
  #best: Ticker | undefined;
  #ticker: Ticker | undefined;
  #quote: Quote | null = null;
  #receivedAt = -Infinity; // machine time

  constructor(symbol: string) {
    this.symbol = symbol;
  }

  /** Reads ccxt's caches, which get a new object with each frame; returns the new quote when bid, ask or last has changed, else null. */
  readStream(best: Ticker | undefined, ticker: Ticker | undefined, now: number): Quote | null {
    if (best === this.#best && ticker === this.#ticker) return null;
    this.#best = best;
    this.#ticker = ticker;
    return this.update(toQuote(this.symbol, best, ticker, now));
  }

  /** Keeps a quote; returns it when it differs from the one before, else null. */
  update(quote: Quote | null): Quote | null {
    if (quote === null) return null;
    const before = this.#quote;
    this.#quote = quote;
    this.#receivedAt = performance.now();
    return before !== null && before.bid === quote.bid && before.ask === quote.ask && before.last === quote.last ? null : quote;
  }

  /** The newest quote when it is not older than this, else null. */
  fresh(maxAgeMs: number): Quote | null {
    return performance.now() - this.#receivedAt <= maxAgeMs ? this.#quote : null;
  }
}
