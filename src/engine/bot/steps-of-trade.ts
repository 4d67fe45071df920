import type { Trade } from '../account/trade.ts';
import type { Step } from './execution.ts';

/** The smallest steps of an instrument: of a price in quote currency, of an amount as `Instrument` has it. */
export interface Steps {
  priceTick: number;
  amountStep: number;
}

/**
 * The steps in which orders of a trade are made: those of its entry, or those of now where the exchange has made them coarser since, which would
 * refuse all else. Simulated orders keep those of the entry, as the reference does.
 */
export function stepsOf({ context }: Step, { symbol, priceTick, amountStep }: Trade): Steps {
  const now = context.execution === 'exchange' ? context.instruments.get(symbol) : undefined;
  if (now === undefined) return { priceTick, amountStep };
  return { priceTick: Math.max(priceTick, now.priceTick), amountStep: Math.max(amountStep, now.amountStep) };
}
