import type { Trade } from '../account/trade.ts';
import type { Instrument } from '../market/instrument.ts';
import type { OrderType } from '../market/order-type.ts';
import { truncateAmount } from '../market/rounding.ts';
import type { Step } from './execution.ts';
import { instrumentOf } from './execution.ts';
import { stepsOf } from './steps-of-trade.ts';

/**
 * The largest order that the exchange takes at a price, in base currency. A market order has a limit of its own, and any other one may not be worth
 * more than the largest value. Simulated orders know none, as the reference has it.
 */
export function largestOrder(step: Step, symbol: string, type: OrderType, price: number): number {
  if (step.context.execution !== 'exchange') return Infinity;
  const { maxAmount, maxMarketAmount = maxAmount, maxCost } = instrumentOf(step, symbol);
  return Math.min(maxAmount, type === 'market' ? maxMarketAmount : maxCost / price);
}

/** An amount, or as much of it as the exchange takes in one order, in whole steps. */
export function withinLargest(step: Step, trade: Trade, type: OrderType, price: number, amount: number): number {
  const largest = largestOrder(step, trade.symbol, type, price);
  return amount > largest ? truncateAmount(largest, stepsOf(step, trade).amountStep, trade.contractSize) : amount;
}

/** The instrument of a symbol as a first entry of this type is sized by: it buys no more than the exchange takes in one order. */
export function instrumentToEnter(step: Step, symbol: string, type: OrderType, price: number): Instrument {
  const instrument = instrumentOf(step, symbol);
  const largest = largestOrder(step, symbol, type, price);
  return largest < instrument.maxAmount ? { ...instrument, maxAmount: largest } : instrument;
}
