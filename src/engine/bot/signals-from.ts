import type { Timeframe } from '../market/timeframe.ts';
import { timeframeLengths } from '../market/timeframe.ts';
import type { ParameterValues } from '../strategy/strategy.ts';

/** What the signals of a bot are computed from, besides candles. */
export interface SignalSource {
  timeframe: Timeframe;
  parameters: ParameterValues;
  code?: string | null; // which version of what its strategy runs; absent where it stays
}

/**
 * The opening time after which candles count when signals come of another timeframe, other parameters or other code from `now` on; null
 * when they are as before. So each candle is decided once, by one of the two: the first that counts closes after the change, and no candle
 * that was decided before has opened after it.
 *
 * Unit: ms
 */
export function signalsFrom(before: SignalSource, after: SignalSource, now: number): number | null {
  const names = new Set([...Object.keys(before.parameters), ...Object.keys(after.parameters)]);
  const isSame =
    before.timeframe === after.timeframe &&
    before.code === after.code &&
    [...names].every((name) => before.parameters[name] === after.parameters[name]);
  return isSame ? null : now - Math.min(timeframeLengths[before.timeframe], timeframeLengths[after.timeframe]);
}
