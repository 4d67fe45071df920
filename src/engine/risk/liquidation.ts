import type { Trade } from '../account/trade.ts';
import type { LiquidationFormula, TradingSettings } from '../settings/trading-settings.ts';
import { signOf } from '../market/direction.ts';
import type { Instrument } from '../market/instrument.ts';
import { roundPrice } from '../market/rounding.ts';
import type { Quirks } from './quirks.ts';

/** What a liquidation price depends on. */
export interface LiquidationTerms {
  sign: 1 | -1;
  amount: number; // base currency
  openRate: number;
  leverage: number;
  walletBalance: number; // the stake when isolated; everything when cross
  otherPositions: number; // cross: what the other positions add to the margin, or take; counted by Binance only
  maintenanceRate: number;
  maintenanceAmount: number;
  takerFee: number;
  maxLeverage: number; // Hyperliquid
}

/** The price at which an exchange takes the position away, without any buffer. */
export function liquidationPriceOf(formula: LiquidationFormula, terms: LiquidationTerms): number {
  const { sign: s, amount, openRate, leverage, walletBalance: w, maintenanceRate: m } = terms;
  switch (formula) {
    case 'binance':
      return (w + terms.otherPositions + terms.maintenanceAmount - s * amount * openRate) / (amount * m - s * amount);
    case 'generic': {
      const rate = m + terms.takerFee;
      return s === 1 ? (openRate - w / amount) / (1 - rate) : (openRate + w / amount) / (1 + rate);
    }
    case 'bybit': {
      const initialMargin = (amount * openRate) / leverage;
      return openRate - (s * (initialMargin - amount * openRate * m)) / amount;
    }
    case 'bitget':
      return (w - amount * openRate * s) / (amount * (m + terms.takerFee - s));
    case 'hyperliquid': {
      const maintenance = (amount * openRate) / terms.maxLeverage / 2;
      return openRate - (s * (w - maintenance)) / amount / (1 - s / (2 * terms.maxLeverage));
    }
  }
}

/** The margin mode of a trade: the one it was opened with, whatever the settings say since. */
export function marginModeOf(trade: Trade, settings: TradingSettings): TradingSettings['marginMode'] {
  return trade.marginMode ?? settings.marginMode;
}

/**
 * Sets the liquidation price of a futures trade after a fill, moved towards the entry by the buffer: the engine leaves
 * before the exchange would. Every open trade with cross margin is set again, as each fill changes what is left for them. A trade
 * whose instrument the exchange has no more keeps its price: it must not keep the others from being left.
 */
export function updateLiquidation(
  filled: Trade,
  openTrades: readonly Trade[],
  freeBalance: number,
  settings: TradingSettings,
  instrumentOf: (symbol: string) => Instrument | undefined,
  quirks: Quirks,
): void {
  if (filled.marketType !== 'futures') return;
  const set = (trade: Trade): void => {
    if (instrumentOf(trade.symbol) === undefined) return;
    trade.liquidationPrice = liquidationOf(trade, openTrades, freeBalance, settings, instrumentOf, quirks);
  };
  if (filled.isOpen && marginModeOf(filled, settings) === 'isolated') set(filled);
  for (const trade of openTrades) if (trade.amount > 0 && marginModeOf(trade, settings) === 'cross') set(trade);
}

/**
 * The liquidation price of a trade with its amount and rate, buffer included, among the open trades and what is free beside
 * them; null where nothing is liquidated, or the market is not known.
 */
export function liquidationOf(
  trade: Trade,
  openTrades: readonly Trade[],
  freeBalance: number,
  settings: TradingSettings,
  instrumentOf: (symbol: string) => Instrument | undefined,
  quirks: Quirks,
): number | null {
  const instrument = instrumentOf(trade.symbol);
  if (instrument === undefined || trade.marketType !== 'futures') return null;
  const isIsolated = marginModeOf(trade, settings) === 'isolated';
  const others = isIsolated ? [] : openTrades.filter((each) => marginModeOf(each, settings) === 'cross');
  const walletBalance = isIsolated ? trade.stake : others.reduce((sum, { stake }) => sum + stake, freeBalance);
  const sign = signOf(trade.direction);
  const own = maintenanceOf(trade, instrument, quirks);
  let otherPositions = 0;
  for (const other of others) {
    if (other.symbol === trade.symbol || other.amount === 0) continue;
    const margin = maintenanceOf(other, instrumentOf(other.symbol), quirks);
    otherPositions -= other.amount * other.openRate * margin.rate - margin.amount;
  }
  const price = liquidationPriceOf(settings.liquidationFormula, {
    sign,
    amount: trade.amount,
    openRate: trade.openRate,
    leverage: trade.leverage,
    walletBalance,
    otherPositions,
    maintenanceRate: own.rate,
    maintenanceAmount: own.amount,
    takerFee: instrument.takerFee,
    maxLeverage: instrument.maxLeverage,
  });
  const buffered = Math.max(price + sign * Math.abs(trade.openRate - price) * settings.liquidationBuffer, 0);
  return Number.isFinite(buffered) ? roundPrice(buffered, trade.priceTick) : null;
}

/** The price at which the exchange itself would act: that of the trade with the buffer taken off again; 0 when it has none. */
export function exchangeLiquidationPrice(trade: Trade, settings: TradingSettings): number {
  if (trade.liquidationPrice === null) return 0;
  return trade.openRate - (trade.openRate - trade.liquidationPrice) / (1 - settings.liquidationBuffer);
}

/** Maintenance rate and amount of a position. leverageTierChosenByStake: the tier is chosen by the stake, not by the notional. */
function maintenanceOf(trade: Trade, instrument: Instrument | undefined, quirks: Quirks): { rate: number; amount: number } {
  const value = quirks.leverageTierChosenByStake ? trade.stake : trade.amount * trade.openRate;
  const tier = instrument?.leverageTiers.findLast(({ minNotional }) => value >= minNotional);
  return tier === undefined ? { rate: 0, amount: 0 } : { rate: tier.maintenanceRate, amount: tier.maintenanceAmount };
}
