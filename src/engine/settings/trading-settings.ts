import type { OrderType } from '../market/order-type.ts';
import type { MarketType } from '../market/instrument.ts';
import type { Protection } from './protection.ts';

/** How an exchange works out a liquidation price; `generic` serves OKX, Gate and others. */
export type LiquidationFormula = 'binance' | 'generic' | 'bybit' | 'bitget' | 'hyperliquid';

/** What limits the largest stake: the tier of the leverage with the limits of orders, or the last tier alone. */
export type LargestStakeRule = 'tier-of-leverage' | 'last-tier';

/** How orders of each kind meet the market. */
export interface OrderTypes {
  entry: OrderType;
  exit: OrderType;
  stoploss: OrderType;
  emergencyExit: OrderType;
  forceEntry: OrderType;
  forceExit: OrderType;
}

/** Where a live or paper price is taken from. */
export interface PricingSettings {
  side: 'same' | 'other' | 'bid' | 'ask'; // same: a long enters at the bid and exits at the ask
  useOrderBook: boolean;
  orderBookTop: number; // 1 is the best level
  priceLastBalance: number; // 0 to 1: how far an unfavourable price is moved towards the last one
}

/** How long orders may wait; null is for ever. */
export interface UnfilledTimeout {
  entryMs: number | null;
  exitMs: number | null;
  exitTimeoutCount: number; // timed-out exits before a market exit; 0 is never; paper and live only
}

/** When a trade has won enough: minutes since entry, ascending, and the profit ratio each asks for. */
export interface RoiTable {
  minutes: number[];
  ratios: number[];
}

/**
 * Everything that says how a bot trades, checked and complete. Plain data: it survives JSON.
 *
 * Unit: money in stake currency, ratios as fractions, times in ms
 */
export interface TradingSettings {
  marketType: MarketType;
  canShort: boolean; // the strategy can, and the market lets it
  marginMode: 'isolated' | 'cross';
  liquidationFormula: LiquidationFormula;
  largestStakeRule: LargestStakeRule;
  leverage: number; // asked for; what the instrument allows is less or equal
  interestScheme: 'binance' | 'kraken';
  interestRate: number; // margin only; per day (binance) or per four hours (kraken)

  startingBalance: number;
  stakeAmount: number | 'unlimited';
  maxOpenTrades: number; // -1 is unlimited
  tradableBalanceRatio: number;
  availableCapital: number | null;
  amendLastStakeAmount: boolean;
  lastStakeAmountMinRatio: number;
  amountReserveRatio: number;
  fee: number | null; // for every fill; null takes the instrument's

  stoploss: number; // negative, e.g. -0.1
  trailingStop: boolean;
  trailingStopPositive: number | null;
  trailingStopPositiveOffset: number;
  trailingOnlyOffsetIsReached: boolean;
  minimalRoi: RoiTable;
  riskRewardRatio: number | null; // exit at profit ratio >= this times |stoploss|
  maxConsecutiveLosses: number; // pauses a bot; 0 is never

  useExitSignal: boolean;
  exitProfitOnly: boolean;
  exitProfitOffset: number;
  ignoreRoiIfEntrySignal: boolean;
  ignoreExpiredAfterMs: number; // entries later than this after the candle's close are ignored; 0 is never
  liquidationBuffer: number;
  customPriceMaxDistanceRatio: number; // paper and live only
  positionAdjustment: boolean;
  maxEntryAdjustments: number; // -1 is unlimited
  positionStacking: boolean; // backtest only
  protections: Protection[];

  orderTypes: OrderTypes;
  entryPricing: PricingSettings;
  exitPricing: PricingSettings;
  unfilledTimeout: UnfilledTimeout;
}
