import { setTimeout as sleep } from 'node:timers/promises';
import type { Timeframe } from '#engine/market/timeframe.ts';
import type { CcxtClient } from './ccxt-client.ts';

/** So many streams are subscribed in one message. */
const perMessage = 100;

/** Requests of watchers within this time are sent together, in ms. */
const gatherMs = 30;

/** The end of a stream counts as confirmed after this time, in ms. */
const endMs = 5000;

type StreamKind = 'candles' | 'tickers' | 'best';

type CandleStream = readonly [symbol: string, timeframe: Timeframe];

/**
 * Subscribes and unsubscribes streams through ccxt: each once, many in one message where the exchange accepts it.
 *
 * What arrives is read from ccxt's caches, so the promises of the watch calls matter only when they fail.
 */
export class StreamSubscriptions {
  readonly #client: CcxtClient;
  readonly #failed: (error: unknown) => void;
  readonly #asked = new Set<string>();
  readonly #ending = new Set<string>();
  readonly #unwanted: Record<StreamKind, (readonly string[])[]> = { candles: [], tickers: [], best: [] };
  readonly #ends: readonly { kind: StreamKind; method: string; unWatch: (streams: (readonly string[])[]) => Promise<unknown> }[];
  #wanted: { candles: readonly CandleStream[]; quotes: readonly string[] } = { candles: [], quotes: [] };
  #gathering = false;

  constructor(client: CcxtClient, failed: (error: unknown) => void) {
    this.#client = client;
    this.#failed = failed;
    const symbolsOf = (streams: (readonly string[])[]) => streams.map(([symbol]) => String(symbol));
    this.#ends = [
      {
        kind: 'candles',
        method: 'unWatchOHLCVForSymbols',
        unWatch: (streams) => client.unWatchOHLCVForSymbols(streams.map((stream) => [...stream])),
      },
      { kind: 'tickers', method: 'unWatchTickers', unWatch: (streams) => client.unWatchTickers(symbolsOf(streams)) },
      { kind: 'best', method: 'unWatchBidsAsks', unWatch: (streams) => client.unWatchBidsAsks(symbolsOf(streams)) },
    ];
  }

  /** Whether the exchange has streams of candles: of some, ccxt can watch prices alone. */
  hasCandles(): boolean {
    return this.#can('watchOHLCVForSymbols') || this.#can('watchOHLCV');
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

  /** All subscriptions are lost: the next request subscribes every stream again. */
  forget(): void {
    this.#asked.clear();
  }

  /** What ran for a symbol counts as ended, for ccxt as well, and what ccxt keeps of it is of the past. */
  forgetSymbol(symbol: string): void {
    this.endSilently(symbol);
    for (const key of this.#asked) if (key.split(' ')[1] === symbol) this.#asked.delete(key);
    delete this.#client.ohlcvs?.[symbol];
    delete this.#client.tickers?.[symbol];
    delete this.#client.bidsasks?.[symbol];
  }

  /**
   * What ran for a symbol counts as ended, so that it is subscribed again: by its own records ccxt would never do that. False where nothing is
   * done, because the exchange may refuse a whole message for one stream of it that still runs.
   */
  endSilently(symbol: string): boolean {
    if (!this.#client.id.startsWith('binance')) return false;
    for (const key of this.#asked) if (key.split(' ')[1] === symbol) this.#asked.delete(key);
    for (const { subscriptions } of Object.values(this.#client.clients ?? {}))
      for (const stream of Object.keys(subscriptions)) if (isOf(symbol, stream)) Reflect.deleteProperty(subscriptions, stream);
    return true;
  }

  /** Ends the candles of a symbol and forgets what ccxt keeps of them. */
  dropCandles(symbol: string, timeframe: Timeframe): void {
    const others = this.#wanted.candles.filter(([wanted, its]) => wanted !== symbol || its !== timeframe);
    this.#wanted = { ...this.#wanted, candles: others };
    this.#drop('candles', [symbol, timeframe]);
    delete this.#client.ohlcvs?.[symbol]?.[timeframe];
  }

  /** Ends the quotes of a symbol. */
  dropQuotes(symbol: string): void {
    this.#wanted = { ...this.#wanted, quotes: this.#wanted.quotes.filter((wanted) => wanted !== symbol) };
    this.#drop('tickers', [symbol]);
    this.#drop('best', [symbol]);
    delete this.#client.tickers?.[symbol];
    delete this.#client.bidsasks?.[symbol];
  }

  #drop(kind: StreamKind, stream: readonly string[]): void {
    if (!this.#asked.delete(keyOf(kind, stream))) return;
    this.#unwanted[kind].push(stream);
    this.#askSoon();
  }

  /**
   * Ends the streams without watchers. Until that is confirmed they must not be subscribed again: ccxt would
   * take them for running, send nothing, and forget them when the confirmation comes.
   */
  #endUnwanted(): void {
    const connected = Object.keys(this.#client.clients ?? {}).length > 0; // otherwise nothing runs, and asking would open a socket
    for (const { kind, method, unWatch } of this.#ends) {
      const streams = this.#unwanted[kind].filter((stream) => !this.#asked.has(keyOf(kind, stream)));
      this.#unwanted[kind] = [];
      if (!connected || !this.#can(method)) continue;
      for (const chunk of chunks(streams)) this.#end(kind, chunk, unWatch(chunk));
    }
  }

  #end(kind: StreamKind, streams: (readonly string[])[], confirmed: Promise<unknown>): void {
    const keys = streams.map((stream) => keyOf(kind, stream));
    for (const key of keys) this.#ending.add(key);
    const ended = () => {
      for (const key of keys) this.#ending.delete(key);
      this.#askSoon();
    };
    Promise.race([confirmed, sleep(endMs)]).then(ended, ended);
  }

  #ask(): void {
    this.#endUnwanted();
    const candles = this.#wanted.candles.filter(([symbol, timeframe]) => this.#isNew(keyOf('candles', [symbol, timeframe])));
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
    return this.#wanted.quotes.filter((symbol) => this.#isNew(keyOf(kind, [symbol])));
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

function keyOf(kind: StreamKind, stream: readonly string[]): string {
  return `${kind} ${stream.join(' ')}`;
}

/** Whether ccxt's name of a stream, e.g. 'ohlcv::BTC/USDT::1m' or 'ticker:miniTicker@BTC/USDT', is of this symbol; 'BTC/USDT:USDT' is another one. */
function isOf(symbol: string, stream: string): boolean {
  const [before = '', after] = stream.split(symbol);
  return after !== undefined && /(^|[:@])$/u.test(before) && /^($|::)/u.test(after);
}

function chunks<Item>(items: readonly Item[]): Item[][] {
  const result: Item[][] = [];
  for (let i = 0; i < items.length; i += perMessage) result.push(items.slice(i, i + perMessage));
  return result;
}
