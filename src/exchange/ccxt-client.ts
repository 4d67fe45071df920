import type { Dictionary, FundingRateHistory, LeverageTier, Market, OHLCV, OrderBook, Ticker } from 'ccxt';
import type { UrlTable } from './loopback.ts';

/** One websocket of ccxt, as far as it is touched here. */
export interface CcxtSocket {
  url: string;
  connected: Promise<unknown>;
  subscriptions: object;
  connection?: { terminate?: () => void };
  future(messageHash: string): Promise<unknown>;
  send(message: unknown): Promise<unknown>;
  onError(error: Error): void;
}

/** Newest values that a stream of ccxt keeps, by symbol. They are live: copy before use. */
export interface CcxtCaches {
  ohlcvs: Dictionary<Dictionary<OHLCV[]>>;
  tickers: Dictionary<Ticker>;
  bidsasks: Dictionary<Ticker>;
}

/**
 * An exchange of ccxt, as far as it is used and hardened here. ccxt's own types leave out what has to be replaced.
 */
export interface CcxtClient extends CcxtCaches {
  id: string;
  has: Dictionary<boolean | string | undefined>;
  urls: { api: UrlTable; test?: UrlTable };
  options: Dictionary<unknown>;
  streaming: { keepAlive?: number; connectionTimeout?: number };
  exceptions: { exact?: object; broad?: object; spot?: ExceptionMaps; linear?: ExceptionMaps };
  features?: Dictionary<unknown>;
  fees?: { trading?: { taker?: number; maker?: number } };
  markets: Dictionary<Market> | undefined;
  clients: Dictionary<CcxtSocket>;
  precisionMode: number;
  rateLimit: number;
  timeout: number;
  timeframes: Dictionary<string>;
  fetchDispatcher?: { destroy?: () => Promise<void> };

  // Replaced by the hardening.
  fetch(url: string, method?: string, headers?: unknown, body?: unknown): Promise<unknown>;
  fetch2(path: string, api: unknown, method: string, params: object, headers: unknown, body: unknown, config: object): Promise<unknown>;
  parseJson(text: string): unknown;
  onRestResponse(...details: RestResponse): string;
  getDispatcherOptions(plain?: boolean): object;
  calculateRateLimiterCost(api: unknown, method: string, path: string, params: object, config: object): number;
  calculateWsBackoffDelay(url: string): number;
  stream(type: string, hash: string, count?: number): string;
  client(url: string): CcxtSocket;
  handleMessage(socket: CcxtSocket, message: unknown): void;
  onError(socket: CcxtSocket, error: unknown): void;
  onClose(socket: CcxtSocket, error: unknown): void;

  setSandboxMode(on: boolean): void;
  loadHttpProxyAgent(): Promise<unknown>;
  loadMarkets(reload?: boolean): Promise<Dictionary<Market>>;
  setMarketsFromExchange(source: object): void;
  fetchBalance(): Promise<unknown>;
  sapiGetAccountApiRestrictions?(): Promise<Dictionary<unknown>>; // Binance alone
  fetchTime(): Promise<number | undefined>;
  fetchOHLCV(symbol: string, timeframe: string, since: number, limit: number, params?: object): Promise<OHLCV[]>;
  fetchFundingRateHistory(symbol: string, since: number, limit: number, params?: object): Promise<FundingRateHistory[]>;
  fetchMarketLeverageTiers(symbol: string): Promise<LeverageTier[]>;
  fetchOrderBook(symbol: string, limit?: number): Promise<OrderBook>;
  fetchTicker(symbol: string): Promise<Ticker>;
  fetchTickers(symbols?: string[]): Promise<Dictionary<Ticker>>;
  fetchBidsAsks(symbols?: string[]): Promise<Dictionary<Ticker>>;
  watchOHLCV(symbol: string, timeframe: string): Promise<unknown>;
  watchOHLCVForSymbols(pairs: string[][]): Promise<unknown>;
  watchTicker(symbol: string): Promise<unknown>;
  watchTickers(symbols: string[]): Promise<unknown>;
  watchBidsAsks(symbols: string[]): Promise<unknown>;
  unWatchOHLCVForSymbols(pairs: string[][]): Promise<unknown>;
  unWatchTickers(symbols: string[]): Promise<unknown>;
  unWatchBidsAsks(symbols: string[]): Promise<unknown>;
  close(): Promise<unknown>;
}

/** Errors of one market of an exchange, by code. */
export interface ExceptionMaps {
  exact?: object;
  broad?: object;
}

/** What ccxt hands to `onRestResponse`. */
export type RestResponse = [
  status: number,
  statusText: string,
  url: string,
  method: string,
  headers: Dictionary<string>,
  body: string,
  requestHeaders: unknown,
  requestBody: unknown,
];
