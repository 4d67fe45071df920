import { setTimeout as sleep } from 'node:timers/promises';
import type { Timeframe } from '#engine/market/timeframe.ts';
import type { CcxtClient } from './ccxt-client.ts';

/** So many streams are asked for in one message. */
const perMessage = 100;

/** Messages of watchers that come within this time are sent together, in ms. */
const gatherMs = 30;

/** The end of a stream counts as confirmed after this time, in ms. */
const endMs = 5000;

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
  readonly #ending = new Set<string>();
  #wanted: { candles: readonly CandleStream[]; quotes: readonly string[] } = { candles: [], quotes: [] };
  #gathering = false;

  constructor(client: CcxtClient, failed: (error: unknown) => void) {
    this.#client = client;
    this.#failed = failed;
  }

  /** Makes sure that these streams run. */
  want(candles: readonly CandleStream[], quotes: readonly string[]): void {
    this.#wanted = { candles, quotes };
    this.#askSoon();
  }

  #askSoon(): void {
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
    const others = this.#wanted.candles.filter(([wanted, its]) => wanted !== symbol || its !== timeframe);
    this.#wanted = { ...this.#wanted, candles: others };
    this.#end(`candles ${symbol} ${timeframe}`, 'unWatchOHLCVForSymbols', () => this.#client.unWatchOHLCVForSymbols([[symbol, timeframe]]));
    delete this.#client.ohlcvs?.[symbol]?.[timeframe];
  }

  /** Ends the quotes of a symbol. */
  dropQuotes(symbol: string): void {
    this.#wanted = { ...this.#wanted, quotes: this.#wanted.quotes.filter((wanted) => wanted !== symbol) };
    this.#end(`tickers ${symbol}`, 'unWatchTickers', () => this.#client.unWatchTickers([symbol]));
    this.#end(`best ${symbol}`, 'unWatchBidsAsks', () => this.#client.unWatchBidsAsks([symbol]));
    delete this.#client.tickers?.[symbol];
    delete this.#client.bidsasks?.[symbol];
  }

  /**
   * Ends a stream. Until that is confirmed it must not be asked for again: ccxt would take it for running, send nothing,
   * and forget it when the confirmation comes.
   */
  #end(key: string, method: string, unWatch: () => Promise<unknown>): void {
    // Without a socket there is nothing to end, and asking for it would open one.
    if (!this.#asked.delete(key) || !this.#can(method) || Object.keys(this.#client.clients ?? {}).length === 0) return;
    this.#ending.add(key);
    const ended = () => {
      this.#ending.delete(key);
      this.#askSoon();
    };
    Promise.race([unWatch(), sleep(endMs)]).then(ended, ended);
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
    if (this.#asked.has(key) || this.#ending.has(key)) return false;
    this.#asked.add(key);
    return true;
  }

  #can(method: string): boolean {
    return this.#client.has[method] === true;
  }

  #send(call: Promise<unknown>): void {
    call.catch(this.#failed);
  }
}

function chunks<Item>(items: readonly Item[]): Item[][] {
  const result: Item[][] = [];
  for (let i = 0; i < items.length; i += perMessage) result.push(items.slice(i, i + perMessage));
  return result;
}
