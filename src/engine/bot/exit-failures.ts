import type { Order } from '../account/order.ts';
import type { Trade } from '../account/trade.ts';
import { isProtective } from '../risk/exits.ts';
import type { Step } from './execution.ts';
import { failuresWith, hasMarketMoved, restAfter, retryChangedMs, stoodMs } from './order-failures.ts';
import type { BotState } from './state.ts';

/**
 * Notes that an exit has ended of which nothing was filled and which nobody wanted to end, refused or expired at once: the next one waits,
 * longer with each one in a row. The trade is written with it, so that a runner that starts again and again does not begin with the shortest
 * pause each time.
 */
export function noteExitFailure(step: Step, trade: Trade, exit: Order): void {
  if (exit.state !== 'refused' && step.time - exit.createdTime >= stoodMs) return endExitRest(step.state, trade);
  trade.exitFailures = failuresWith(step, trade, trade.exitFailures, exit);
  step.state.exitRetryTimes[trade.id] = step.time + restAfter(trade.exitFailures);
}

/** An exit was filled, or what it may ask for is another: the next one waits for nothing. */
export function endExitRest(state: BotState, trade: Trade): void {
  delete trade.exitFailures;
  delete state.exitRetryTimes[trade.id];
}

/** Whether the exit that has failed was to limit a loss: nothing else can do so before its rest is over. */
export function hasProtectionFailed({ orders, exitFailures }: Trade): boolean {
  const failed = orders.find(({ id }) => id === exitFailures?.orderId);
  return failed !== undefined && isProtective(failed.tag ?? '');
}

/** How long an exit of a trade rests still after others have failed, in ms; a minute at most where the price is another now. */
export function exitRest(step: Step, trade: Trade): number {
  const until = step.state.exitRetryTimes[trade.id] ?? 0;
  const { exitFailures } = trade;
  if (step.time >= until) return 0;
  const isOther =
    exitFailures !== undefined && step.time - exitFailures.last >= retryChangedMs && hasMarketMoved(step, trade, exitFailures);
  return isOther ? 0 : until - step.time;
}
