import type { Fill } from '../account/fill.ts';
import type { OrderState } from '../account/order-life.ts';
import type { BookLevel } from '../ports/market-data.ts';
import type { TradingSettings } from '../settings/trading-settings.ts';

/** Whether a bot trades: active, only managing what it holds, or ending everything. */
export type BotStatus = 'active' | 'paused' | 'stopped';

/** Prices of a symbol at one moment. Without book levels, a market order fills at bid or ask. */
export interface MarketView {
  symbol: string;
  time: number; // ms
  bid: number;
  ask: number;
  last: number;
  bids?: readonly BookLevel[]; // highest first; up to 20 are used
  asks?: readonly BookLevel[]; // lowest first
}

/** What a strategy says about a closed candle. */
export interface SignalRow {
  enterLong: boolean;
  exitLong: boolean;
  enterShort: boolean;
  exitShort: boolean;
  enterTag: string | null;
  exitTag: string | null;
  confidence: number | null; // 0 to 1
}

/** Everything a bot reacts to. `time` is when it happened, in ms; the engine has no other clock. */
export type BotEvent =
  /** A candle has closed and the strategy has evaluated it. */
  | { kind: 'candle-closed'; time: number; symbol: string; candleTime: number; row: SignalRow; view?: MarketView }
  /** Prices have moved. */
  | { kind: 'market'; view: MarketView }
  /** The order book that these new simulated orders of its symbol have waited for; nothing else is decided on it. */
  | { kind: 'book'; view: MarketView; orderIds: readonly string[] }
  | { kind: 'status-changed'; time: number; status: BotStatus }
  | { kind: 'settings-changed'; time: number; settings: TradingSettings }
  /** A funding time has passed; it may be reported later, and more than once. */
  | { kind: 'funding'; time: number; symbol: string; rate: number; mark: number }
  /** Something has become known of an order; only when orders go to an exchange. */
  | { kind: 'order-update'; time: number; orderId: string; report: OrderReport };

/**
 * What is known of an order at an exchange. Reports may repeat themselves, overtake each other and overlap: a state that
 * cannot follow is an old one, and a fill that is known already does not count again.
 */
export interface OrderReport {
  state: OrderState;
  requested: number; // base currency
  filled: number; // so far; more than the fills add up to while some are still to come
  fills: readonly Fill[]; // new ones, and known ones as well
}
