import type { Order } from '../account/order.ts';
import type { Trade } from '../account/trade.ts';
import type { Direction } from '../market/direction.ts';

/**
 * Decisions a strategy may take itself, trade by trade; each is optional.
 *
 * They must be pure functions of what they are given. A trade handed to a callback must not be changed by it.
 */
export interface StrategyCallbacks {
  /** The leverage of a new trade; the configured one without it. Clamped to what the instrument allows. */
  leverage?(entry: EntryQuestion & { price: number; proposedLeverage: number; maxLeverage: number }): number;
  /** The price of a limit entry; null keeps the proposed one. */
  entryPrice?(entry: EntryQuestion & { proposedPrice: number; trade: Trade | null }): number | null;
  /** The stake of a new trade. */
  stake?(entry: EntryQuestion & { price: number; leverage: number; proposedStake: number; minStake: number; maxStake: number }): number;
  /** Whether a new trade may be opened. */
  confirmEntry?(entry: EntryQuestion & { price: number; amount: number }): boolean;
  /** Whether an exit may be made; not asked for liquidations and partial exits. */
  confirmExit?(exit: TradeQuestion & { price: number; amount: number; reason: string }): boolean;
  /** The price of a limit exit on a signal; null keeps the proposed one. */
  exitPrice?(exit: TradeQuestion & { proposedPrice: number; profitRatio: number; reason: string }): number | null;
  /** A reason to exit now, or null. Asked on each candle without an exit signal. */
  customExit?(exit: TradeQuestion & { price: number; profitRatio: number }): string | null;
  /** The distance of the stop from `price` as a ratio of the stake; null or 0 leaves the stop. */
  customStop?(stop: TradeQuestion & { price: number; profitRatio: number; afterFill: boolean }): number | null;
  /** Whether `customStop` is also asked after each fill, where it may move the stop both ways. */
  stopAfterFill?: boolean;
  /** A ROI besides the table; the lower counts. */
  roi?(question: TradeQuestion & { minutes: number }): number | null;
  /** Stake to add (positive) or to take out (negative); null or 0 for neither. Asked with position adjustment only. */
  adjustPosition?(
    question: TradeQuestion & { price: number; profitRatio: number; minStake: number; maxStake: number },
  ): number | PositionChange | null;
  /** The price of an order that waits; its own price keeps it, null cancels it. */
  adjustOrderPrice?(question: TradeQuestion & { order: Order; proposedPrice: number }): number | null;
  /** Whether an order has waited long enough, besides the configured time. */
  isTimedOut?(question: TradeQuestion & { order: Order }): boolean;
  /** Called after each fill; the trade may not be settled yet. */
  orderFilled?(fill: TradeQuestion & { order: Order }): void;
  /** Called once per candle before anything else. */
  loopStart?(time: number): void;
}

/** The name of a decision that a strategy may take itself. */
export type CallbackName = Exclude<keyof StrategyCallbacks, 'stopAfterFill'>;

/** A change of a position with the reason for its order. */
export interface PositionChange {
  stake: number | null;
  tag?: string | null; // entry tag, or exit reason
}

/** A question about a new entry. */
export interface EntryQuestion {
  symbol: string;
  time: number;
  direction: Direction;
  tag: string | null;
}

/** A question about a trade. */
export interface TradeQuestion {
  trade: Trade;
  time: number;
}
