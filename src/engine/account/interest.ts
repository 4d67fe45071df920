import { hourMs } from '../market/durations.ts';
import type { Direction } from '../market/direction.ts';

/** How an exchange charges for borrowed money or coins. */
export interface InterestTerms {
  scheme: 'binance' | 'kraken';
  ratePerPeriod: number; // per day on Binance, per four hours on Kraken; a fraction
}

/**
 * The interest of a margin trade at `time`.
 *
 * A long borrows quote currency and pays in it; a short borrows the coin and pays in the coin. Hours are counted up to
 * whole ones: Binance charges each by a 24th of the daily rate, Kraken charges once at the start and once per four hours.
 *
 * Unit: quote currency for a long, base currency for a short
 */
export function interestOwed(
  terms: InterestTerms,
  trade: { direction: Direction; amount: number; openRate: number; leverage: number; openTime: number },
  time: number,
): number {
  const { amount, openRate, leverage } = trade;
  const borrowed = trade.direction === 'short' ? amount : (amount * openRate * (leverage - 1)) / leverage;
  const hours = Math.max(0, time - trade.openTime) / hourMs;
  if (terms.scheme === 'binance') return (borrowed * terms.ratePerPeriod * Math.ceil(hours)) / 24;
  return borrowed * terms.ratePerPeriod * (1 + Math.ceil(hours / 4));
}
