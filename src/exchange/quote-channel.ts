import type { Ticker } from 'ccxt';
import type { Quote } from '#engine/ports/market-data.ts';
import { toQuote } from './ccxt-mapping.ts';

/** The best prices of one symbol as the stream or a poll last gave them. */
export class QuoteChannel {
  readonly symbol: string;
  #best: Ticker | undefined; // the newest frame of each stream
  #ticker: Ticker | undefined;
  #newestBest: Ticker | undefined; // the same, or with the prices REST has answered since
  #newestTicker: Ticker | undefined;
  #quote: Quote | null = null;
  #receivedAt = performance.now(); // machine time of the newest quote; before the first, of the beginning

  constructor(symbol: string) {
    this.symbol = symbol;
  }

  /** Reads ccxt's caches, which get a new object with each frame; returns the new quote when bid, ask or last has changed, else null. */
  readStream(best: Ticker | undefined, ticker: Ticker | undefined, now: number): Quote | null {
    const [hasBest, hasTicker] = [best !== undefined && best !== this.#best, ticker !== undefined && ticker !== this.#ticker];
    if (!hasBest && !hasTicker) return null;
    if (hasBest) this.#newestBest = this.#best = best;
    if (hasTicker) this.#newestTicker = this.#ticker = ticker;
    return this.#keep(toQuote(this.symbol, this.#newestBest, this.#newestTicker, now));
  }

  /**
   * Takes what REST has answered; returns it when it differs from the quote before, else null. It counts for no more than what
   * has come since it was `askedAt`, in machine time, and what came before no more beside it: a frame brings a part of a quote.
   */
  update(quote: Quote | null, askedAt = Infinity): Quote | null {
    if (quote === null || this.#receivedAt > askedAt) return null;
    const { bid, ask, last, time: timestamp } = quote;
    if (this.#newestBest !== undefined) this.#newestBest = { ...this.#newestBest, bid, ask, timestamp };
    if (this.#newestTicker !== undefined) this.#newestTicker = { ...this.#newestTicker, bid, ask, last, timestamp };
    return this.#keep(quote);
  }

  /** Whether the streams have given another price than this one: a last price only if they give any, and nothing before the first quote. */
  hasMissed({ bid, ask, last }: Quote): boolean {
    const before = this.#quote;
    if (before === null) return false;
    return before.bid !== bid || before.ask !== ask || (this.#newestTicker !== undefined && before.last !== last);
  }

  #keep(quote: Quote | null): Quote | null {
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

  /** Whether neither a stream nor REST has given a quote for so long. */
  isQuiet(ms: number): boolean {
    return performance.now() - this.#receivedAt > ms;
  }
}
