import type { Direction } from '../market/direction.ts';

/** No new trades on a symbol (or on all, `*`) and side (or both, `*`) until `endTime`. Plain data. */
export interface Lock {
  symbol: string;
  side: Direction | '*';
  endTime: number; // ms; free again at this time
  reason: string;
}

/** The reason of a lock after the exchange has refused an entry. */
export const entryRefused = 'entry refused';

/** The lock of this symbol and direction that lasts longest beyond `time`, or null. A `symbol` or `direction` of '*' asks for locks of all only. */
export function activeLock(locks: readonly Lock[], symbol: string, direction: Direction | '*', time: number): Lock | null {
  let found: Lock | null = null;
  for (const lock of locks) {
    if (lock.endTime <= time) continue;
    if (lock.symbol !== '*' && lock.symbol !== symbol) continue;
    if (lock.side !== '*' && lock.side !== direction) continue;
    if (found === null || lock.endTime > found.endTime) found = lock;
  }
  return found;
}

/** The locks that still matter after `time`. */
export function unexpiredLocks(locks: readonly Lock[], time: number): Lock[] {
  return locks.filter((lock) => lock.endTime > time);
}

/** The next candle boundary; a time exactly on one moves to the one after. */
export function nextBoundary(time: number, timeframeMs: number): number {
  return (Math.floor(time / timeframeMs) + 1) * timeframeMs;
}
