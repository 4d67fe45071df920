import { type CandleColumns, candleColumns } from '../market/candle.ts';
import type { Aligned } from '../market/longer-candles.ts';
import { aligned, type OtherPairs } from '../strategy/series.ts';
import type { LineOperand } from './document.ts';

/** The candles of a longer timeframe, of another pair or of both, beside those of the strategy. A pair that is not there has none. */
export function seriesOf(
  own: CandleColumns,
  others: OtherPairs,
  { symbol, timeframe }: Pick<LineOperand, 'symbol' | 'timeframe'>,
): Aligned {
  if (symbol !== undefined && !Object.hasOwn(others, symbol))
    return { candles: candleColumns(0), rows: new Int32Array(own.openTime.length).fill(-1) };
  return aligned(own, others, { ...(symbol === undefined ? {} : { symbol }), ...(timeframe === undefined ? {} : { timeframe }) });
}
