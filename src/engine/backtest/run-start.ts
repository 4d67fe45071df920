import type { Trade } from '../account/trade.ts';
import type { Lock } from '../risk/locks.ts';

/** What a run begins with in place of nothing: the middle of a bot's life. */
export interface RunStart {
  trades: readonly Trade[]; // open ones, in opening order; the run changes them
  closed: readonly Trade[]; // of before, that protections may still count, in closing order; they are no part of the result
  closedProfit: number; // of all closed trades of before, quote currency
  locks: readonly Lock[];
}
