import type { Trade } from '../account/trade.ts';
import { truncateAmount } from '../market/rounding.ts';
import type { Step } from './execution.ts';

/**
 * What an exit or a stop is for, in base currency: all that a trade holds, rounded down to the amount step, but not more than its
 * account had when it refused a sale. Where nothing is left to sell it is all of it, until a person decides about the difference.
 */
export function exitAmount({ state }: Step, trade: Trade): number {
  const all = truncateAmount(trade.amount, trade.amountStep, trade.contractSize);
  const free = truncateAmount(state.freeCoins[trade.id] ?? all, trade.amountStep, trade.contractSize);
  return free > 0 ? Math.min(all, free) : all;
}
