import { isWaiting } from '../account/order.ts';
import { filledEntries } from '../account/trade.ts';
import type { Trade } from '../account/trade.ts';
import { truncateAmount } from '../market/rounding.ts';
import type { Step } from './execution.ts';
import { cancelOrder, closeWithRest, copyOf, instrumentOf } from './execution.ts';
import { stepsOf } from './steps-of-trade.ts';

/**
 * Whether so much of a trade is less than its exchange takes an order for. The rest of a position may be closed whatever it is worth;
 * what is held on spot must be worth the smallest order. Simulated orders know no smallest exit, as the reference has it.
 */
export function isTooSmallToSell(step: Step, trade: Trade, held: number, price: number): boolean {
  if (step.context.execution !== 'exchange') return false;
  const { minAmount, minCost } = instrumentOf(step, trade.symbol);
  const amount = truncateAmount(held, stepsOf(step, trade).amountStep, trade.contractSize);
  return !(amount > 0) || amount < minAmount || (trade.marketType !== 'futures' && amount * price < minCost);
}

/**
 * Deals with a trade of which too little is held to be sold; false when that is not so. No order is made for it: each would be refused.
 * What an exit has left ends the trade and stays in the account, also when a person wants the trade closed. What an entry has bought so
 * far waits until more is bought or the price makes it worth enough.
 */
export function holdSmallRest(step: Step, trade: Trade, price: number): boolean {
  const isTooSmall = filledEntries(trade) > 0 && isTooSmallToSell(step, trade, trade.amount, price);
  if (isTooSmall) noteTooSmall(step, trade, 'to-sell');
  else if (trade.tooSmall === 'to-sell') noteTooSmall(step, trade, null);
  if (!isTooSmall) return false;
  const isWantedOut = step.state.status === 'stopped' || step.state.closeAsked.includes(trade.id);
  const waiting = trade.orders.filter(isWaiting);
  if (isWantedOut) for (const order of waiting) cancelOrder(step, trade, order, 'stopped');
  const hasLeft = trade.orders.some(({ purpose, filled }) => purpose === 'exit' && filled > 0);
  if (waiting.length === 0 && (isWantedOut || hasLeft)) closeWithRest(step, trade);
  return true;
}

/** Notes in a trade what its exchange takes no order for, so that people see why it has no stop; with null that it does. */
export function noteTooSmall(step: Step, trade: Trade, what: NonNullable<Trade['tooSmall']> | null): void {
  if ((trade.tooSmall ?? null) === what) return;
  if (what === null) delete trade.tooSmall;
  else trade.tooSmall = what;
  step.effects.push({ kind: 'trade-updated', time: step.time, trade: copyOf(trade) });
}
