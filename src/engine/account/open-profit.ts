import type { ProfitTerms } from './profit.ts';
import { profitAt } from './profit.ts';
import { signOf } from '../market/direction.ts';
import type { Trade } from './trade.ts';
import { settleTrade } from './trade.ts';

/**
 * What the profit of a whole open trade depends on: that of what is held, with what its exits so far have brought, as if what is
 * held had cost so much less. The funding is that since the last exit, which carries what was paid before.
 */
export function wholeTerms(trade: Trade): ProfitTerms {
  const lastExit = trade.orders.findLastIndex((order) => order.purpose === 'exit' && order.filled > 0);
  if (lastExit === -1) return trade;
  let fundingFees = trade.fundingFees;
  for (const order of trade.orders.slice(0, lastExit + 1)) fundingFees -= order.fundingFee;
  return { ...trade, fundingFees, openValue: trade.openValue - signOf(trade.direction) * trade.realizedProfit };
}

/** What an open trade would bring in all, in quote currency: its exits so far, and what is held if it left at `rate`. 0 before its first fill. */
export function openProfitAt(trade: Trade, rate: number, time: number): number {
  return trade.amount > 0 ? profitAt(wholeTerms(trade), rate, time) : 0;
}

/**
 * The same as the fills until `time` had made the trade: its profit once it was closed, 0 before its first fill. Funding that
 * was paid since the last of those fills counts only where no other fill followed.
 */
export function profitAsOf(trade: Trade, rate: number, time: number): number {
  const filled = trade.orders.filter((order) => order.filled > 0);
  const orders = filled.filter(({ filledTime }) => filledTime !== null && filledTime <= time);
  if (orders.length === filled.length) return trade.isOpen ? openProfitAt(trade, rate, time) : (trade.profit ?? 0);
  const then = { ...trade, orders, amount: 0 };
  settleTrade(then);
  return openProfitAt(then, rate, time);
}
