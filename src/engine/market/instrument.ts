/** Where an instrument is traded: spot, spot on margin, or perpetual futures. */
export type MarketType = 'spot' | 'margin' | 'futures';

/** All market types. */
export const marketTypes = ['spot', 'margin', 'futures'] as const satisfies readonly MarketType[];

/**
 * One tradable thing on one exchange.
 *
 * Unit: prices in quote currency, amounts in base currency, fees as fractions (0.001)
 */
export interface Instrument {
  symbol: string; // 'BTC/USDT' on spot and margin, 'BTC/USDT:USDT' for a perpetual
  base: string; // 'BTC'
  quote: string; // 'USDT'
  marketType: MarketType;
  active: boolean; // whether the exchange takes orders for it now
  priceTick: number; // smallest step of a price, e.g. 0.01
  amountStep: number; // smallest step of an amount, e.g. 0.00001; on futures in contracts
  minAmount: number; // smallest amount of an order; 0 when there is none
  maxAmount: number; // Infinity when there is none
  maxMarketAmount?: number; // of a market order, where that is less
  minCost: number; // smallest price x amount of an order; 0 when there is none
  maxCost: number; // Infinity when there is none
  contractSize: number; // base currency in one contract; 1 on spot
  takerFee: number;
  makerFee: number;
  maxLeverage: number; // 1 on spot
  leverageTiers: readonly LeverageTier[]; // empty on spot
}

/** One row of an exchange's leverage table. */
export interface LeverageTier {
  minNotional: number; // quote currency
  maxNotional: number; // quote currency; Infinity for the last
  maxLeverage: number;
  maintenanceRate: number; // fraction
  maintenanceAmount: number; // quote currency
}
