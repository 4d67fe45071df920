import type { Ticker } from 'ccxt';
import type { Quote } from '#engine/ports/market-data.ts';
import { toQuote } from './ccxt-mapping.ts';

/** The best prices of one symbol as the stream or a poll told them last. */
export class QuoteChannel {
  readonly symbol: string;
  #best: Ticker | undefined;
  #ticker: Ticker | undefined;
  #quote: Quote | null = null;
  #heardAt = -Infinity; // machine time

  constructor(symbol: string) {
    this.symbol = symbol;
  }

  /** Takes in what the stream has; the new quote when bid, ask or last has changed, else null. ccxt makes a new object per frame. */
  look(best: Ticker | undefined, ticker: Ticker | undefined, now: number): Quote | null {
    if (best === this.#best && ticker === this.#ticker) return null;
    this.#best = best;
    this.#ticker = ticker;
    return this.take(toQuote(this.symbol, best, ticker, now));
  }

  /** Takes in a quote; answers it when it differs from the one before. */
  take(quote: Quote | null): Quote | null {
    if (quote === null) return null;
    const before = this.#quote;
    this.#quote = quote;
    this.#heardAt = performance.now();
    return before !== null && before.bid === quote.bid && before.ask === quote.ask && before.last === quote.last ? null : quote;
  }

  /** The newest quote when it is not older than this, else null. */
  fresh(maxAgeMs: number): Quote | null {
    return performance.now() - this.#heardAt <= maxAgeMs ? this.#quote : null;
  }
}
