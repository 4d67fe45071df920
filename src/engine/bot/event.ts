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

/** Everything a bot can hear. `time` is when it happened, in ms; the engine has no other clock. */
export type BotEvent =
  /** A candle has closed and the strategy has looked at it. */
  | { kind: 'candle-closed'; time: number; symbol: string; candleTime: number; row: SignalRow; view?: MarketView }
  /** Prices have moved. */
  | { kind: 'market'; view: MarketView }
  /** The order book that these new simulated orders of its symbol have waited for; nothing else is decided on it. */
  | { kind: 'book'; view: MarketView; orderIds: readonly string[] }
  | { kind: 'status-changed'; time: number; status: BotStatus }
  | { kind: 'settings-changed'; time: number; settings: TradingSettings }
  /** A funding time has passed; it may be told later, and more than once. */
  | { kind: 'funding'; time: number; symbol: string; rate: number; mark: number }
  /** The exchange has said what became of an order; only when orders go to an exchange. */
  | { kind: 'order-update'; time: number; orderId: string; outcome: OrderOutcome };

/**
 * What became of an order at an exchange. A cancelled one may have been filled in part; one that is still open, although
 * its cancelling was asked for, may be asked for again.
 */
export type OrderOutcome =
  | { state: 'open' }
  | { state: 'filled'; price: number; amount: number; feeRatio: number; liquidity: 'maker' | 'taker' | null }
  | { state: 'cancelled' | 'rejected'; price: number; filledAmount: number; feeRatio: number };
