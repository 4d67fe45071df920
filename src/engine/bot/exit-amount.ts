import type { Trade } from '../account/trade.ts';
import { truncateAmount } from '../market/rounding.ts';
import type { Step } from './execution.ts';
import { heldFor } from './missing.ts';

/**
 * What an exit or a stop is for, in base currency: all that a trade holds, rounded down to the amount step, but not more than its
 * account holds for it where that is known to be less, or had when it refused a sale. Where nothing was free to sell then it is all of
 * it: another order may have held the coins.
 */
export function exitAmount({ state }: Step, trade: Trade): number {
  const all = truncateAmount(heldFor(state, trade), trade.amountStep, trade.contractSize);
  const free = truncateAmount(state.freeCoins[trade.id] ?? all, trade.amountStep, trade.contractSize);
  return free > 0 ? Math.min(all, free) : all;
}
