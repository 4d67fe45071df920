import type { StrategyValues } from '#engine/settings/own-settings.ts';
import type { ParameterValues } from '#engine/strategy/strategy.ts';
import { isDeepStrictEqual } from 'node:util';

/** What a bot trades with, its parameters included. */
export interface TradedWith extends StrategyValues {
  parameters: ParameterValues;
}

/**
 * Whether a change leaves a bot with at most the risk it had: nothing is different, or only what can be nothing but safer. A nearer stop,
 * a pause after fewer losses, a trailing stop where there was none. All else trades otherwise, and nobody can say that it risks less.
 */
export function onlyTightens(before: TradedWith, after: TradedWith): boolean {
  const safer: TradedWith = {
    ...after,
    stoploss: Math.max(before.stoploss, after.stoploss),
    maxConsecutiveLosses: Math.min(before.maxConsecutiveLosses, after.maxConsecutiveLosses),
  };
  if (!isDeepStrictEqual(safer, after)) return false; // one of them is looser
  // Risk and reward are measured by the stop: with a ratio, a nearer stop also takes profit earlier, which risks nothing more.
  const same = { ...after, stoploss: before.stoploss, maxConsecutiveLosses: before.maxConsecutiveLosses };
  return isDeepStrictEqual(before.trailingStop ? same : withoutTrailing(same), before.trailingStop ? before : withoutTrailing(before));
}

/** A trailing stop that was off did nothing: whatever it is now only moves a stop nearer. */
function withoutTrailing(values: TradedWith): TradedWith {
  return { ...values, trailingStop: false, trailingStopPositive: null, trailingStopPositiveOffset: 0, trailingOnlyOffsetIsReached: false };
}
