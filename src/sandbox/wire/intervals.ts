import { dayMs, hourMs, minuteMs } from '#engine/market/durations.ts';

/** The candle lengths the wire knows, in ms. */
export const intervalLengths: Readonly<Record<string, number>> = {
  __proto__: null as never, // no inherited name, such as 'constructor', is an interval
  '1m': minuteMs,
  '3m': 3 * minuteMs,
  '5m': 5 * minuteMs,
  '15m': 15 * minuteMs,
  '30m': 30 * minuteMs,
  '1h': hourMs,
  '2h': 2 * hourMs,
  '4h': 4 * hourMs,
  '6h': 6 * hourMs,
  '8h': 8 * hourMs,
  '12h': 12 * hourMs,
  '1d': dayMs,
  '3d': 3 * dayMs,
  '1w': 7 * dayMs,
};

/** When the candle that holds `time` opened. Weeks begin on Monday; 1 January 1970 was a Thursday. */
export function intervalOpenTime(length: number, time: number): number {
  const offset = length === intervalLengths['1w'] ? 4 * dayMs : 0;
  return Math.floor((time - offset) / length) * length + offset;
}
