import type { CallbackName, EntryQuestion, TradeQuestion } from './callbacks.ts';

/**
 * What counts as the answer of a callback that has failed: what would be done without it, as far as the reference does the same.
 *
 * Source: freqtrade, the `default_retval` of each call through `strategy_safe_wrapper`
 */
export function defaultAnswer(callback: CallbackName, question: unknown): unknown {
  switch (callback) {
    case 'leverage':
      return 1;
    case 'stake':
      return (question as EntryQuestion & { proposedStake: number }).proposedStake;
    case 'entryPrice':
    case 'exitPrice':
      return (question as { proposedPrice: number }).proposedPrice;
    case 'adjustOrderPrice':
      return (question as TradeQuestion & { order: { price: number } }).order.price;
    case 'confirmEntry':
    case 'confirmExit':
      return true;
    case 'isTimedOut':
      return false;
    case 'customExit':
    case 'customStop':
    case 'roi':
    case 'adjustPosition':
    case 'orderFilled':
    case 'loopStart':
      return null;
  }
}
