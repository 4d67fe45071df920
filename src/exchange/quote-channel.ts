import type { Ticker } from 'ccxt';
import type { Quote } from '#engine/ports/market-data.ts';
import { toQuote } from './ccxt-mapping.ts';

/** How long after an answer of REST, in machine time, a frame that is older by the exchange's time was on its way. */
const onItsWayMs = 2_000;

/** The best prices of one symbol as the stream or a poll last gave them. */
export class QuoteChannel {
  readonly symbol: string;
  #best: Ticker | undefined; // the newest frame of each stream
  #ticker: Ticker | undefined;
  #newestBest: Ticker | undefined; // the same, or with the prices REST has answered since
  #newestTicker: Ticker | undefined;
  #quote: Quote | null = null;
  #answer: Quote | undefined; // what REST has answered last
  #answeredAt = -Infinity; // when, in machine time
  readonly #inDoubt = { best: false, ticker: false }; // whether the newest frame of each stream counted for nothing
  #receivedAt = performance.now(); // machine time of the newest quote; before the first, of the beginning

  constructor(symbol: string) {
    this.symbol = symbol;
  }

  /**
   * Reads ccxt's caches, which get a new object with each frame; returns the new quote when bid, ask or last has changed, else
   * null. A frame that was on its way when REST answered counts for nothing: it is older than the answer.
   */
  readStream(best: Ticker | undefined, ticker: Ticker | undefined, now: number): Quote | null {
    const newBest = best === this.#best ? undefined : best;
    const newTicker = ticker === this.#ticker ? undefined : ticker;
    this.#best = best ?? this.#best;
    this.#ticker = ticker ?? this.#ticker;
    if (newBest !== undefined) this.#inDoubt.best = this.#wasOnItsWay(newBest);
    if (newTicker !== undefined) this.#inDoubt.ticker = this.#wasOnItsWay(newTicker);
    const [isBestNews, isTickerNews] = [newBest !== undefined && !this.#inDoubt.best, newTicker !== undefined && !this.#inDoubt.ticker];
    if (newBest !== undefined) this.#newestBest = isBestNews ? newBest : (this.#newestBest ?? this.#answered(newBest));
    if (newTicker !== undefined) this.#newestTicker = isTickerNews ? newTicker : (this.#newestTicker ?? this.#answered(newTicker));
    if (!isBestNews && !isTickerNews) return null;
    return this.#keep(toQuote(this.symbol, this.#newestBest, this.#newestTicker, now));
  }

  /**
   * Takes what REST has answered; returns it when it differs from the quote before, else null. It counts for no more than what
   * has come since it was `askedAt`, in machine time, and what came before no more beside it: a frame brings a part of a quote.
   */
  update(quote: Quote | null, askedAt = Infinity): Quote | null {
    if (quote === null || this.#receivedAt > askedAt) return null;
    this.#answer = quote;
    this.#answeredAt = performance.now();
    this.#inDoubt.best = this.#inDoubt.ticker = false;
    if (this.#newestBest !== undefined) this.#newestBest = this.#answered(this.#newestBest);
    if (this.#newestTicker !== undefined) this.#newestTicker = this.#answered(this.#newestTicker);
    return this.#keep(quote);
  }

  /** Only for a while: the clock of the streams may be behind that of REST, and a price must not stand still for it. */
  #wasOnItsWay({ timestamp }: Ticker): boolean {
    if (this.#answer === undefined || timestamp === undefined) return false;
    return timestamp < this.#answer.time && performance.now() - this.#answeredAt <= onItsWayMs;
  }

  /** A frame with the prices that REST has answered. */
  #answered(frame: Ticker): Ticker {
    const { bid, ask, last, time: timestamp } = this.#answer!;
    return { ...frame, bid, ask, last, timestamp };
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

  /** Whether neither a stream nor REST has given a quote for so long, or REST has to say whether the last frame was old. */
  isQuiet(ms: number): boolean {
    return this.#inDoubt.best || this.#inDoubt.ticker || performance.now() - this.#receivedAt > ms;
  }
}
