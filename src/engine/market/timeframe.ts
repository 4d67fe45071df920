/** The timeframes the product knows, smallest first, with their length in milliseconds. */
export const timeframeLengths = {
  '1m': 60_000,
  '3m': 180_000,
  '5m': 300_000,
  '15m': 900_000,
  '30m': 1_800_000,
  '1h': 3_600_000,
  '2h': 7_200_000,
  '4h': 14_400_000,
  '6h': 21_600_000,
  '8h': 28_800_000,
  '12h': 43_200_000,
  '1d': 86_400_000,
  '1w': 604_800_000,
} as const;

/** The name of a timeframe, e.g. '5m'. */
export type Timeframe = keyof typeof timeframeLengths;

/** Whether the text names a timeframe. */
export function isTimeframe(text: string): text is Timeframe {
  return Object.hasOwn(timeframeLengths, text);
}

/** The opening time of the candle that contains `time`; both in ms. */
export function candleOpenTime(timeframe: Timeframe, time: number): number {
  return openTimeBefore(timeframeLengths[timeframe], time);
}

/** The newest time at or before `time` at which a candle of this length opens; all in ms. */
export function openTimeBefore(lengthMs: number, time: number): number {
  // Weeks begin on Monday; 1 January 1970 was a Thursday.
  const first = lengthMs === timeframeLengths['1w'] ? 4 * timeframeLengths['1d'] : 0;
  return Math.floor((time - first) / lengthMs) * lengthMs + first;
}
