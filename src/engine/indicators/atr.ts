import { trueRange, type HighLowClose, type HighLowCloseColumns } from './true-range.ts';
import { WilderAverage } from './wilder.ts';

/**
 * The average true range of every row.
 *
 * Unit:    quote currency, as the prices
 * Source:  Wilder (1978); TA-Lib, ta_ATR.c: the first candle has no true range, the average starts as the simple average of
 *          the `period` that follow
 * Warm-up: NaN in the first `period` rows; the seed weighs less than 0.1 % after about 7 x period rows
 * Edges:   flat prices give 0
 */
export function atr(candles: HighLowCloseColumns, period: number): Float64Array {
  const range = new Atr(period);
  const { high, low, close } = candles;
  const column = new Float64Array(close.length);
  const candle = { high: 0, low: 0, close: 0 };
  for (let i = 0; i < close.length; i++) {
    candle.high = high[i];
    candle.low = low[i];
    candle.close = close[i];
    column[i] = range.push(candle);
  }
  return column;
}

/** The average true range, candle by candle; equal to `atr` bit for bit. */
export class Atr {
  readonly #average: WilderAverage;
  #previousClose = NaN; // NaN before the first candle

  constructor(period: number) {
    this.#average = new WilderAverage(period);
  }

  /** The range with this candle added for good. */
  push(candle: HighLowClose): number {
    const previousClose = this.#previousClose;
    this.#previousClose = candle.close;
    return Number.isNaN(previousClose) ? NaN : this.#average.push(trueRange(candle, previousClose));
  }

  /** The range as it would be with this candle; changes nothing. */
  peek(candle: HighLowClose): number {
    return Number.isNaN(this.#previousClose) ? NaN : this.#average.peek(trueRange(candle, this.#previousClose));
  }
}
