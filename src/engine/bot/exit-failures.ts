import type { Order } from '../account/order.ts';
import type { Trade } from '../account/trade.ts';
import { openOrder } from '../account/trade.ts';
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
  // Those that were to limit a loss are a row of their own: they do not wait longer because others have failed before.
  const { exitFailures: before } = trade;
  const isSameRow = before?.isProtective === exit.isProtective;
  const kind = exit.isProtective === true ? { isProtective: true as const } : {};
  trade.exitFailures = { ...failuresWith(step, trade, isSameRow ? before : undefined, exit), ...kind };
  step.state.exitRetryTimes[trade.id] = step.time + restAfter(trade.exitFailures);
}

/** An exit was filled, or what it may ask for is another: the next one waits for nothing. */
export function endExitRest(state: BotState, trade: Trade): void {
  delete trade.exitFailures;
  delete state.exitRetryTimes[trade.id];
}

/** Whether the exit that has failed was to limit a loss: nothing else can do so before its rest is over. */
export function hasProtectionFailed({ exitFailures }: Trade): boolean {
  return exitFailures?.isProtective === true;
}

/** Ends the row of failures once an exit has stood for so long that it has been taken in earnest. */
export function endRowOfFailures({ time }: Step, trade: Trade): void {
  const exit = openOrder(trade, 'exit');
  if (exit?.state === 'open' && time - exit.createdTime >= stoodMs) delete trade.exitFailures;
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
