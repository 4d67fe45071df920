import type { Pair } from './listings.ts';
import type { Execution, Market } from './market.ts';

/** The execution of a tick, or the last one before it in the hour past: a replayed file may have holes. */
export function lastExecution(market: Market, pair: Pair, tick: number): Execution | null {
  for (let back = 0; back < 60; back++) {
    const minuteEnd = back === 0 ? tick : (Math.floor(tick / 150) - back + 1) * 150 - 1;
    const execution = market.execution(pair, minuteEnd);
    if (execution !== null) return execution;
  }
  return null;
}
