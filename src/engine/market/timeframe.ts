/** The timeframes the product knows, smallest first, with their length in milliseconds. */
export const timeframeLengths = {
  '1m': 60_000,
  '3m': 180_000,
  '5m': 300_000,
  '15m': 900_000,
  '30m': 1_800_000,
  '1h': 3_600_000,
  '4h': 14_400_000,
  '1d': 86_400_000,
} as const;

/** The name of a timeframe, e.g. '5m'. */
export type Timeframe = keyof typeof timeframeLengths;

/** Whether the text names a timeframe. */
export function isTimeframe(text: string): text is Timeframe {
  return Object.hasOwn(timeframeLengths, text);
}

/** The opening time of the candle that contains `time`; both in ms. */
export function candleOpenTime(timeframe: Timeframe, time: number): number {
  const length = timeframeLengths[timeframe];
  return Math.floor(time / length) * length;
}
