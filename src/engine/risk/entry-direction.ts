import type { Direction } from '../market/direction.ts';

/** What a strategy says on one row; short flags count only where shorting is allowed. */
export interface SignalFlags {
  enterLong: boolean;
  exitLong: boolean;
  enterShort: boolean;
  exitShort: boolean;
}

/** The direction to enter, or null. Signals that contradict each other mean no entry. */
export function entryDirection(flags: SignalFlags, canShort: boolean): Direction | null {
  const enterShort = canShort && flags.enterShort;
  if (flags.enterLong && !flags.exitLong && !enterShort) return 'long';
  if (enterShort && !flags.exitShort && !flags.enterLong) return 'short';
  return null;
}
