import type { FundingEvents } from './funding.ts';
import { fundingBetween } from './funding.ts';
import type { Trade } from './trade.ts';
import { lastFillTime } from './trade.ts';

/**
 * Works out a trade's funding since its last fill anew.
 *
 * Both ends count, so an event at the very moment of a fill counts before and after it (Q17); with `countOnce` it counts
 * for what was held before.
 */
export function refreshFunding(trade: Trade, events: FundingEvents, time: number, countOnce: boolean): void {
  const since = lastFillTime(trade);
  setRunningFunding(trade, fundingBetween(events, trade, countOnce ? since + 1 : since, time));
}

/** Sets the funding since the last fill, and with it the sum. */
export function setRunningFunding(trade: Trade, running: number): void {
  trade.fundingRunning = running;
  let settled = 0;
  for (const order of trade.orders) if (order.state === 'filled') settled += order.fundingFee;
  trade.fundingFees = settled + running;
}
