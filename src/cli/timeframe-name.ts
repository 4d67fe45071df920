import type { Timeframe } from '#engine/market/timeframe.ts';
import { isTimeframe, timeframeLengths } from '#engine/market/timeframe.ts';
import { CommandError } from './command-error.ts';

/** The names of all timeframes, smallest first. */
export const timeframes = Object.keys(timeframeLengths) as readonly Timeframe[];

/** The timeframe an option names; null when it is left out. Fails: CommandError */
export function readTimeframe(text: string | undefined): Timeframe | null {
  if (text === undefined) return null;
  if (!isTimeframe(text)) throw new CommandError(`There is no timeframe "${text}"; use one of ${timeframes.join(', ')}.`);
  return text;
}
