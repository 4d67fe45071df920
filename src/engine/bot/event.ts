import type { SeenCandle } from '../market/candle.ts';
import type { Fill } from '../account/fill.ts';
import type { Direction } from '../market/direction.ts';
import type { OrderState } from '../account/order-life.ts';
import type { LimitFacts, WriteGate } from '../risk/limit.ts';
import type { BookLevel } from '../ports/market-data.ts';
import type { Nearness } from '../strategy/nearness.ts';
import type { ManualRefusal } from './effect.ts';
import type { ManualAction } from './manual-action.ts';
import type { TradingSettings } from '../settings/trading-settings.ts';

/** Whether a bot trades: active, only managing what it holds, or ending everything. */
export type BotStatus = 'active' | 'paused' | 'stopped';

/**
 * What the kill switch leaves of a bot's trading: everything; nothing that makes a position larger; nothing but stops and
 * what closes a trade in need.
 */
export type TradingState = 'active' | 'reducing' | 'halted';

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
  values?: Readonly<Record<string, number>>; // of its first indicators, rounded: for the record, nothing is decided with them
  near?: readonly Nearness[]; // how far from an entry, where the strategy can say it; for the record too
  candle?: SeenCandle; // that it says it about; for the record too
  failure?: string; // why the strategy says nothing about this candle, in a sentence; there is no flag then
}

/** Everything a bot reacts to. `time` is when it happened, in ms; the engine has no other clock. */
export type BotEvent =
  /** A candle has closed and the strategy has evaluated it. */
  | {
      kind: 'candle-closed';
      time: number;
      symbol: string;
      candleTime: number;
      row: SignalRow;
      view?: MarketView;
      pricedAt?: number; // when the prices of `view` last moved; for the record
    }
  /** Prices have moved. */
  | { kind: 'market'; view: MarketView }
  /** The order book that these new simulated orders of its symbol have waited for; nothing else is decided on it. */
  | { kind: 'book'; view: MarketView; orderIds: readonly string[] }
  | { kind: 'status-changed'; time: number; status: BotStatus }
  /** A person wants one trade closed now. It may be asked for more than once. */
  | { kind: 'close-asked'; time: number; tradeId: number }
  /** A person wants something done by hand, once. It may be asked for more than once. */
  | { kind: 'manual-asked'; time: number; action: ManualAction }
  /** What was done for a person was not written, because a limit forbids it; it is not tried again. */
  | { kind: 'manual-refused'; time: number; actionId: string; refusal: ManualRefusal }
  /** A person wants the stop of a trade tried now, and not after the pause that follows this failed one. It may be asked for more than once. */
  | { kind: 'stop-asked'; time: number; tradeId: number; orderId: string }
  /** A person says that so much of a trade is not in its account any more. It may be reported more than once; `fillId` is that of its fill. */
  | {
      kind: 'held-elsewhere';
      time: number;
      tradeId: number;
      amount: number;
      fillId: string;
      isPriceless?: boolean; // no price of its symbol is to be had: one that the trade knows is taken
      paid?: PaidOutside; // what its account says of it; without it nobody knows
    }
  /** What accounts lack of the bot's open trades, by trade id, as open differences say; it takes the place of what was reported before. */
  | { kind: 'account-differs'; time: number; missing: Readonly<Record<number, Missing>> }
  /** The exchange knows orders of the bot up to this number: its next one gets a higher. */
  | { kind: 'order-numbers-seen'; time: number; highest: number }
  /** A person has the bot take over what orders without a record have bought. It may be reported more than once; `fillId` is that of its fill. */
  | { kind: 'holding-adopted'; time: number; symbol: string; holding: AdoptedHolding; fillId: string }
  | { kind: 'settings-changed'; time: number; settings: TradingSettings }
  /** The entry decided on this candle was not written, because a limit forbids it; it is not tried again. */
  | { kind: 'entry-refused'; time: number; symbol: string; candleTime: number; gate: WriteGate; limit?: LimitFacts }
  /** A funding time has passed; it may be reported later, and more than once. */
  | { kind: 'funding'; time: number; symbol: string; rate: number; mark: number }
  /** Something has become known of an order; only when orders go to an exchange. */
  | { kind: 'order-update'; time: number; orderId: string; report: OrderReport };

/** What an account was paid where somebody else than the bot has sold, or bought back, what a trade holds. */
export interface PaidOutside {
  price: number; // average
  fee: number | null; // quote currency, of all of it; null while its value is not known
  sales: readonly { amount: number; time: number }[]; // how much of it when: amounts of base currency
}

/** What an account lacks of a trade, until a person has decided about it. */
export interface Missing {
  amount: number; // base currency
  waits: boolean; // only stops and what people ask for leave the trade until then
}

/** What an account holds by orders that the bot has no record of. */
export interface AdoptedHolding {
  direction: Direction;
  amount: number; // base currency
  price: number; // average
  fee: number | null; // quote currency; null while its value is not known
}

/**
 * What is known of an order at an exchange. Reports may repeat themselves, overtake each other and overlap: a state that
 * cannot follow is an old one, and a fill that is known already does not count again.
 */
export interface OrderReport {
  state: OrderState;
  requested: number; // base currency
  filled: number; // so far; more than the fills add up to while some are still to come
  fills: readonly Fill[]; // new ones, and known ones as well
  isComplete?: true; // no fills will come any more: those that are missing are listed nowhere
  freeCoins?: number; // of a sale that was refused on spot: what the account has free of the coin
}
