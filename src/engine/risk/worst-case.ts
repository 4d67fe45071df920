import type { TradingSettings } from '../settings/trading-settings.ts';

/** What a bot can lose at once, in stake currency; fees, funding and gaps in the price are not in it. */
export interface WorstCase {
  trades: number; // that can be open together: one for each symbol, as many as the bot has slots
  atStops: number; // all of them closed at their stop loss
  whole: number | null; // the stake of all of them lost; null with cross margin, where they share all that the account holds
}

/**
 * The most that the open trades of a bot can lose together. A stake is what a trade holds, or its margin: with leverage a stop
 * loss is a ratio of the stake too, and an isolated position is liquidated before it loses more than its margin.
 */
export function worstCase(of: {
  stake: number;
  slots: number;
  symbols: number;
  stoploss: number; // negative, a ratio of the stake
  marginMode: TradingSettings['marginMode'] | null; // null: spot
}): WorstCase {
  const trades = Math.min(of.slots, of.symbols);
  const stakes = of.stake * trades;
  return { trades, atStops: stakes * Math.min(1, Math.abs(of.stoploss)), whole: of.marginMode === 'cross' ? null : stakes };
}
