import type { TradingSettings } from '../settings/trading-settings.ts';
import type { Trade } from './trade.ts';

/** Balances of a bot or a run, in stake currency. */
export interface Wallet {
  free: number; // not tied up
  tied: number; // stakes of open trades, waiting first entries included
  total: number; // what may be traded with: the share of free and tied, or the given capital with its profits
  available: number; // of the total, what is not tied up
}

/** What a bot or a run may trade with before its first trade, in stake currency. */
export function tradableAtStart({ startingBalance, tradableBalanceRatio, availableCapital }: TradingSettings): number {
  return availableCapital ?? startingBalance * tradableBalanceRatio;
}

/**
 * The wallet from the start balance, the profit of closed trades, and the open trades; `knownFree` replaces what is free
 * now by an earlier figure.
 *
 * Fees are not paid apart: they only lower profits.
 */
export function walletOf(
  settings: TradingSettings,
  closedProfit: number,
  openTrades: readonly Trade[],
  knownFree: number | null = null,
): Wallet {
  let tied = 0;
  let realized = 0;
  for (const trade of openTrades) {
    tied += trade.stake;
    realized += trade.realizedProfit;
  }
  const free = knownFree ?? settings.startingBalance + (closedProfit + realized) - tied;
  const total =
    settings.availableCapital === null ? (tied + free) * settings.tradableBalanceRatio : settings.availableCapital + closedProfit;
  return { free, tied, total, available: Math.min(total - tied, free) };
}
