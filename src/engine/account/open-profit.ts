import { addFill } from './order-fills.ts';
import type { Order } from './order.ts';
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
  return trade.amount > 0 ? profitAt(wholeTerms(trade), rate, time) : trade.realizedProfit;
}

/**
 * The same for moments of the past, as the fills until then had made the trade: its profit once it was closed, 0 before its first fill.
 * Funding of between two fills counts from the second on. Moments that are asked for one after the other cost little.
 */
export function profitAsOf(trade: Trade): (rate: number, time: number) => number {
  let known = -1;
  let then = trade;
  return (rate, time) => {
    const count = fillsUntil(trade, time);
    if (count !== known) {
      known = count;
      then = count === fillsUntil(trade, Infinity) ? trade : tradeAsOf(trade, time);
    }
    return then.isOpen ? openProfitAt(then, rate, time) : (then.profit ?? 0);
  };
}

function fillsUntil({ orders }: Trade, time: number): number {
  let count = 0;
  for (const { fills } of orders) for (const fill of fills) if (fill.time <= time) count += 1;
  return count;
}

function tradeAsOf(trade: Trade, time: number): Trade {
  const then: Trade = { ...trade, isOpen: true, amount: 0, realizedProfit: 0, orders: [] };
  for (const order of trade.orders) {
    const before: Order = { ...order, fills: [], filled: 0, fillPrice: null, filledTime: null, baseFee: 0 };
    const isWhole = order.fills.every((fill) => fill.time <= time);
    if (!isWhole) for (const fill of order.fills) if (fill.time <= time) addFill(before, fill, trade.symbol);
    then.orders.push(isWhole ? order : before);
  }
  settleTrade(then);
  return then;
}
