/** The candle lengths the wire knows, in ms. */
export const intervalLengths: Readonly<Record<string, number>> = {
  __proto__: null as never, // 'constructor' is no interval
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
  '3d': 259_200_000,
  '1w': 604_800_000,
};

/** When the candle that holds `time` opened. Weeks begin on Monday; 1 January 1970 was a Thursday. */
export function intervalOpenTime(length: number, time: number): number {
  const offset = length === intervalLengths['1w'] ? 4 * 86_400_000 : 0;
  return Math.floor((time - offset) / length) * length + offset;
}
