import type { Timeframe } from '#engine/market/timeframe.ts';
import type { CcxtClient } from './ccxt-client.ts';

/** So many streams are asked for in one message. */
const perMessage = 100;

/** Messages of watchers that come within this time are sent together, in ms. */
const gatherMs = 30;

type CandleStream = readonly [symbol: string, timeframe: Timeframe];

/**
 * Tells ccxt which streams are wanted: each once, many in one message where the exchange takes it.
 *
 * What arrives is read from ccxt's caches, so the promises of the watch calls matter only when they fail.
 */
export class StreamSubscriptions {
  readonly #client: CcxtClient;
  readonly #failed: (error: unknown) => void;
  readonly #asked = new Set<string>();
  #wanted: { candles: readonly CandleStream[]; quotes: readonly string[] } = { candles: [], quotes: [] };
  #gathering = false;

  constructor(client: CcxtClient, failed: (error: unknown) => void) {
    this.#client = client;
    this.#failed = failed;
  }

  /** Makes sure that these streams run. */
  want(candles: readonly CandleStream[], quotes: readonly string[]): void {
    this.#wanted = { candles, quotes };
    if (this.#gathering) return;
    this.#gathering = true;
    setTimeout(() => {
      this.#gathering = false;
      this.#ask();
    }, gatherMs);
  }

  /** Nothing runs any more: the next wish asks for all anew. */
  forget(): void {
    this.#asked.clear();
  }

  /** Ends the candles of a symbol and forgets what ccxt keeps of them. */
  dropCandles(symbol: string, timeframe: Timeframe): void {
    this.#asked.delete(`candles ${symbol} ${timeframe}`);
    if (this.#canEnd('unWatchOHLCVForSymbols')) this.#send(this.#client.unWatchOHLCVForSymbols([[symbol, timeframe]]), ignore);
    delete this.#client.ohlcvs?.[symbol]?.[timeframe];
  }

  /** Ends the quotes of a symbol. */
  dropQuotes(symbol: string): void {
    this.#asked.delete(`tickers ${symbol}`);
    this.#asked.delete(`best ${symbol}`);
    if (this.#canEnd('unWatchTickers')) this.#send(this.#client.unWatchTickers([symbol]), ignore);
    if (this.#canEnd('unWatchBidsAsks')) this.#send(this.#client.unWatchBidsAsks([symbol]), ignore);
    delete this.#client.tickers?.[symbol];
    delete this.#client.bidsasks?.[symbol];
  }

  #ask(): void {
    const candles = this.#wanted.candles.filter(([symbol, timeframe]) => this.#isNew(`candles ${symbol} ${timeframe}`));
    if (this.#can('watchOHLCVForSymbols')) {
      for (const chunk of chunks(candles)) this.#send(this.#client.watchOHLCVForSymbols(chunk.map((stream) => [...stream])));
    } else if (this.#can('watchOHLCV')) {
      for (const [symbol, timeframe] of candles) this.#send(this.#client.watchOHLCV(symbol, timeframe));
    }
    if (this.#can('watchTickers')) {
      for (const chunk of chunks(this.#newQuotes('tickers'))) this.#send(this.#client.watchTickers(chunk));
    } else if (this.#can('watchTicker')) {
      for (const symbol of this.#newQuotes('tickers')) this.#send(this.#client.watchTicker(symbol));
    }
    if (this.#can('watchBidsAsks')) {
      for (const chunk of chunks(this.#newQuotes('best'))) this.#send(this.#client.watchBidsAsks(chunk));
    }
  }

  #newQuotes(kind: 'tickers' | 'best'): string[] {
    return this.#wanted.quotes.filter((symbol) => this.#isNew(`${kind} ${symbol}`));
  }

  #isNew(key: string): boolean {
    if (this.#asked.has(key)) return false;
    this.#asked.add(key);
    return true;
  }

  #can(method: string): boolean {
    return this.#client.has[method] === true;
  }

  /** Without a socket there is nothing to end, and asking for it would open one. */
  #canEnd(method: string): boolean {
    return this.#can(method) && Object.keys(this.#client.clients ?? {}).length > 0;
  }

  #send(call: Promise<unknown>, failed: (error: unknown) => void = this.#failed): void {
    call.catch(failed);
  }
}

function ignore(): void {
  // The socket may be gone already; then the stream has ended anyway.
}

function chunks<Item>(items: readonly Item[]): Item[][] {
  const result: Item[][] = [];
  for (let i = 0; i < items.length; i += perMessage) result.push(items.slice(i, i + perMessage));
  return result;
}
