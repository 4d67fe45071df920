import { type CandleColumns, candleColumns } from '../market/candle.ts';
import type { OtherPairs } from '../strategy/strategy.ts';
import type { LineOperand } from './document.ts';
import { type Aligned, alignedRows, longerCandles } from './longer-candles.ts';

/** The candles of a longer timeframe, of another pair or of both, beside those of the strategy. A pair that is not there has none. */
export function seriesOf(
  own: CandleColumns,
  others: OtherPairs,
  { symbol, timeframe }: Pick<LineOperand, 'symbol' | 'timeframe'>,
): Aligned {
  if (symbol !== undefined && !Object.hasOwn(others, symbol))
    return { candles: candleColumns(0), rows: new Int32Array(own.openTime.length).fill(-1) };
  const candles = symbol === undefined ? own : others[symbol];
  const rows = alignedRows(own.openTime, candles.openTime);
  if (timeframe === undefined) return { candles, rows };
  const longer = longerCandles(candles, timeframe);
  return { candles: longer.candles, rows: rows.map((row) => (row < 0 ? -1 : longer.rows[row])) };
}
