import type { Order } from '../account/order.ts';
import type { Trade } from '../account/trade.ts';
import type { Step } from './execution.ts';
import { failuresWith, hasMarketMoved, restAfter, retryChangedMs } from './order-failures.ts';
import type { BotState } from './state.ts';

/**
 * Notes that the exchange has refused an exit: the next one waits, longer with each one in a row. The trade is written with it, so that
 * a runner that starts again and again does not begin with the shortest pause each time.
 */
export function noteExitRefusal(step: Step, trade: Trade, exit: Order): void {
  trade.exitFailures = failuresWith(step, trade, trade.exitFailures, exit);
  step.state.exitRetryTimes[trade.id] = step.time + restAfter(trade.exitFailures);
}

/** An exit was taken, or what it may ask for is another: the next one waits for nothing. */
export function endExitRest(state: BotState, trade: Trade): void {
  delete trade.exitFailures;
  delete state.exitRetryTimes[trade.id];
}

/** How long an exit of a trade rests still after others were refused, in ms; a minute at most where the price is another now. */
export function exitRest(step: Step, trade: Trade): number {
  const until = step.state.exitRetryTimes[trade.id] ?? 0;
  const { exitFailures } = trade;
  if (step.time >= until) return 0;
  const isOther =
    exitFailures !== undefined && step.time - exitFailures.last >= retryChangedMs && hasMarketMoved(step, trade, exitFailures);
  return isOther ? 0 : until - step.time;
}
