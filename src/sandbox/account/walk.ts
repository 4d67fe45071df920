import { hourMs, minuteMs } from '#engine/market/durations.ts';
import type { Pair } from '../market/listings.ts';
import { type Market, tickMs } from '../market/market.ts';
import { ticksPerMinute } from '../market/minutes.ts';

/** Who follows the prices of the market. Prices in ticks of the pair. */
export interface Follower {
  /** The pairs whose prices matter now. */
  pairs(): readonly Pair[];
  /** Whether something may happen while the price of a pair is between these. */
  isReached(pair: Pair, low: number, high: number): boolean;
  /** Whether something is due at a tick between these, whatever the prices are. */
  isDue(first: number, last: number): boolean;
  /** The price of a pair was between these, and nothing happened. */
  passed(pair: Pair, low: number, high: number): void;
  /** A tick at which something may happen. */
  meet(tick: number): void;
}

/**
 * Leads a follower along the prices from the tick after `from` to `to`: whole hours and minutes in which nothing can happen are
 * passed at once, the others tick by tick. The result is the same in one walk or in many.
 */
export function walk(market: Market, from: number, to: number, follower: Follower): void {
  let tick = from + 1;
  while (tick <= to) {
    if (follower.pairs().length === 0) return;
    const span = [60 * ticksPerMinute, ticksPerMinute].find(
      (ticks) => tick % ticks === 0 && tick + ticks - 1 <= to && isQuiet(market, tick, ticks, follower),
    );
    if (span === undefined && isEvent(market, tick, follower)) follower.meet(tick);
    tick += span ?? 1;
  }
}

/** Passes a whole hour or minute when nothing can happen in it. */
function isQuiet(market: Market, tick: number, ticks: number, follower: Follower): boolean {
  if (follower.isDue(tick, tick + ticks - 1) || follower.pairs().some((pair) => market.steered.has(pair))) return false;
  const length = ticks === ticksPerMinute ? minuteMs : hourMs;
  const openTime = tick * tickMs;
  const candles = follower.pairs().map((pair) => ({ pair, candle: market.candle(pair, openTime, length, openTime + length) }));
  if (candles.some(({ pair, candle }) => candle !== null && follower.isReached(pair, candle.low, candle.high))) return false;
  for (const { pair, candle } of candles) if (candle !== null) follower.passed(pair, candle.low, candle.high);
  return true;
}

function isEvent(market: Market, tick: number, follower: Follower): boolean {
  if (follower.isDue(tick, tick)) return true;
  const executions = follower.pairs().map((pair) => ({ pair, price: market.execution(pair, tick)?.price }));
  if (executions.some(({ pair, price }) => price !== undefined && follower.isReached(pair, price, price))) return true;
  for (const { pair, price } of executions) if (price !== undefined) follower.passed(pair, price, price);
  return false;
}
