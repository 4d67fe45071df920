import { baseOf, formatAmount } from '../ui/money.ts';
import type { Difference } from '../live/use-differences.ts';

/** An amount with the currency that its symbol trades: '0.05 BTC'. */
export function amountText(amount: number, symbol: string): string {
  return `${formatAmount(amount)} ${baseOf(symbol)}`;
}

/** What the account holds beyond what the trades say, with its sign: '+0.05 BTC'. */
export function excessText({ expected, actual, symbol }: Difference): string {
  return `${actual > expected ? '+' : '-'}${amountText(Math.abs(actual - expected), symbol)}`;
}

/** A difference in a sentence. */
export function differenceText({ expected, actual, symbol }: Difference, exchange: string): string {
  const amount = amountText(Math.abs(actual - expected), symbol);
  if (expected === 0) return `${exchange} holds ${amount} ${actual > 0 ? 'long' : 'short'}, and no trade says so.`;
  const isMore = Math.abs(actual) > Math.abs(expected) && actual > 0 === expected > 0;
  return `${exchange} holds ${amount} ${isMore ? 'more' : 'less'} than the trades say. Most likely it was traded by hand.`;
}
