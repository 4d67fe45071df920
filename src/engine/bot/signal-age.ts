import { timeframeLengths } from '../market/timeframe.ts';
import type { Timeframe } from '../market/timeframe.ts';

/** Whether the newest candle is too old to be trusted: it opened more than two candles and 5 minutes ago. */
export function isStale(candleTime: number, time: number, timeframe: Timeframe): boolean {
  return candleTime < time - 2 * timeframeLengths[timeframe] - 300_000;
}

/** Whether a candle closed too long ago to enter on it; a limit of 0 is none. */
export function isExpired(candleTime: number, time: number, timeframe: Timeframe, limitMs: number): boolean {
  return limitMs > 0 && time - (candleTime + timeframeLengths[timeframe]) > limitMs;
}
