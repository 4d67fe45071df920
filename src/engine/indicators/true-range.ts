import type { Candle, CandleColumns } from '../market/candle.ts';

/** The prices of a candle that show how far it moved. */
export type HighLowClose = Pick<Candle, 'high' | 'low' | 'close'>;

/** Columns of those prices. */
export type HighLowCloseColumns = Pick<CandleColumns, 'high' | 'low' | 'close'>;

/**
 * The distance a candle covered, the gap from the previous close included.
 *
 * Source: Wilder (1978); TA-Lib, ta_TRANGE.c
 */
export function trueRange(candle: Pick<Candle, 'high' | 'low'>, previousClose: number): number {
  const { high, low } = candle;
  return Math.max(high - low, Math.abs(high - previousClose), Math.abs(low - previousClose));
}
