import type { FundingEvent, FundingEvents } from './funding.ts';
import { fundingBetween } from './funding.ts';
import type { Trade } from './trade.ts';
import { lastFillTime } from './trade.ts';

/**
 * Works out a trade's funding since its last fill again.
 *
 * Both ends count, so an event at the very moment of a fill counts before and after it (fundingCountsTwiceAtAFill); with `countOnce` it counts
 * for what was held before.
 */
export function refreshFunding(trade: Trade, events: FundingEvents, time: number, countOnce: boolean): void {
  const since = lastFillTime(trade);
  setRunningFunding(trade, fundingBetween(events, trade, countOnce ? since + 1 : since, time));
}

/** The time up to which a trade's funding is accounted for: payments after it, and only they, are still to come. */
export function fundedUntil(trade: Trade): number {
  return Math.max(lastFillTime(trade), trade.fundedUntil ?? 0);
}

/**
 * Adds a payment to a trade, once: false when it was counted before, or was made before the last fill. What was held
 * then is not known any more, and a payment at the very moment of a fill is that of what was held before.
 */
export function addFunding(trade: Trade, event: FundingEvent): boolean {
  if (event.time <= fundedUntil(trade)) return false;
  const paid = event.rate * event.mark * trade.amount;
  setRunningFunding(trade, trade.fundingRunning + (trade.direction === 'long' ? -paid : paid));
  trade.fundedUntil = event.time;
  return true;
}

/** Sets the funding since the last fill, and with it the sum. */
export function setRunningFunding(trade: Trade, running: number): void {
  trade.fundingRunning = running;
  trade.fundingFees = settledFunding(trade) + running;
}

/** Leaves the funding since the last fill out of the sum; it returns with the next count. */
export function dropRunningFunding(trade: Trade): void {
  trade.fundingFees = settledFunding(trade);
}

function settledFunding(trade: Trade): number {
  let settled = 0;
  for (const order of trade.orders) if (order.filled > 0) settled += order.fundingFee;
  return settled;
}
