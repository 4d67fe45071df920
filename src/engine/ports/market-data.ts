import type { FundingEvent } from '../account/funding.ts';
import type { Candle } from '../market/candle.ts';
import type { Instrument, MarketType } from '../market/instrument.ts';
import type { Timeframe } from '../market/timeframe.ts';

/** One level of an order book: price in quote currency, amount in base currency. */
export type BookLevel = readonly [price: number, amount: number];

/** The open orders of an instrument, best price first. */
export interface OrderBook {
  symbol: string;
  bids: readonly BookLevel[]; // highest price first
  asks: readonly BookLevel[]; // lowest price first
  time: number; // ms, when it was true
}

/** The best prices of an instrument now. */
export interface Quote {
  symbol: string;
  bid: number;
  ask: number;
  last: number; // price of the last execution
  time: number; // ms, when it was true
}

/** What a watcher of a symbol receives. Values are copies: a watcher may keep them. */
export interface MarketListener {
  /** A candle has closed. Each is reported once, oldest first, without gaps. */
  onCandle?(timeframe: Timeframe, candle: Candle): void;
  /** The candle that is still open has changed. */
  onOpenCandle?(timeframe: Timeframe, candle: Candle): void;
  /** Bid, ask or last price has changed. */
  onQuote?(quote: Quote): void;
  /** The source has fallen silent (true) or speaks again (false). */
  onStale?(stale: boolean): void;
}

/** What a watcher subscribes to. */
export interface MarketSubscription {
  symbol: string;
  timeframes: readonly Timeframe[]; // candles of these; may be empty
  quotes: boolean; // whether bid, ask and last are wanted
}

/**
 * Public market data of one exchange and market type.
 *
 * Fails: `ExchangeError` (see `exchange-error.ts`)
 */
export interface MarketData {
  readonly exchangeId: string;
  readonly marketType: MarketType;
  /** Of these it has candles, smallest first. */
  readonly timeframes: readonly Timeframe[];
  /** All instruments; loaded once, refreshed when older than an hour. */
  instruments(): Promise<readonly Instrument[]>;
  /**
   * One instrument, with its leverage tiers also where the exchange gives them for one symbol at a time, which
   * `instruments` leaves out; null when there is none of this name.
   */
  instrument(symbol: string): Promise<Instrument | null>;
  /**
   * Closed candles with `from <= openTime < to`, oldest first, paged as often as needed.
   * A minute in which nothing was traded may be missing at the exchange; it is missing here too.
   * `stop` (an AbortSignal fits) ends the paging early with what is there.
   */
  candles(symbol: string, timeframe: Timeframe, from: number, to: number, stop?: { readonly aborted: boolean }): Promise<Candle[]>;
  /**
   * The payments of funding of a perpetual with `from <= time < to`, oldest first, paged as often as needed; none on
   * spot and margin. A payment whose mark price the exchange does not give is missing. `stop` as for candles.
   */
  funding(symbol: string, from: number, to: number, stop?: { readonly aborted: boolean }): Promise<FundingEvent[]>;
  /**
   * Closed candles of the mark price, as `candles`; of the price that is traded where the exchange has none of the mark
   * price. None on spot and margin.
   */
  markCandles(symbol: string, timeframe: Timeframe, from: number, to: number, stop?: { readonly aborted: boolean }): Promise<Candle[]>;
  /** The candle that is still open: from the live feed when it is fresh, else asked for; null while nothing has been traded in it. */
  openCandle(symbol: string, timeframe: Timeframe): Promise<Candle | null>;
  /** The order book, at most `limit` levels a side. */
  orderBook(symbol: string, limit: number): Promise<OrderBook>;
  /** The best prices now: from the live feed when it is fresh, else asked for. */
  quote(symbol: string): Promise<Quote>;
  /** Begins to watch; the returned function ends it. Many watchers of a symbol share one subscription. */
  watch(subscription: MarketSubscription, listener: MarketListener): () => void;
  /** Ends all subscriptions and connections. */
  close(): Promise<void>;
}
