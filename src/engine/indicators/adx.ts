import { trueRange, type HighLowClose, type HighLowCloseColumns } from './true-range.ts';
import { WilderAverage, WilderSum } from './wilder.ts';

/** One row of the directional movement system. Unit: 0 to 100 */
export interface AdxPoint {
  adx: number; // how strong the trend is, whichever way it goes
  plusDi: number; // upward movement, as a share of the true range
  minusDi: number; // downward movement
}

/**
 * The average directional index of every row, with +DI and -DI.
 *
 * Source:  Wilder (1978); TA-Lib, ta_ADX.c, ta_PLUS_DI.c, ta_MINUS_DI.c: movements and range are smoothed sums over
 *          `period - 1` movements to begin with; the index starts as the simple average of the first `period` DX
 * Warm-up: +DI and -DI are NaN in the first `period` rows, ADX in the first `2 x period - 1`; the seeds weigh less than
 *          0.1 % after about 7 x period rows for the DI, twice that for the ADX
 * Edges:   while the smoothed range is 0 both DI are 0; while both DI are 0 the ADX keeps its value, and counts 0 during warm-up
 */
export function adx(candles: HighLowCloseColumns, period: number): { [Column in keyof AdxPoint]: Float64Array } {
  const indicator = new Adx(period);
  const { high, low, close } = candles;
  const { length } = close;
  const columns = { adx: new Float64Array(length), plusDi: new Float64Array(length), minusDi: new Float64Array(length) };
  const candle = { high: 0, low: 0, close: 0 };
  for (let i = 0; i < length; i++) {
    candle.high = high[i];
    candle.low = low[i];
    candle.close = close[i];
    const point = indicator.push(candle);
    columns.adx[i] = point.adx;
    columns.plusDi[i] = point.plusDi;
    columns.minusDi[i] = point.minusDi;
  }
  return columns;
}

/** The average directional index, candle by candle; equal to `adx` bit for bit. */
export class Adx {
  readonly #plus: WilderSum;
  readonly #minus: WilderSum;
  readonly #range: WilderSum;
  readonly #average: WilderAverage;
  #last = NaN; // the last ADX
  #previous: HighLowClose = { high: NaN, low: NaN, close: NaN };

  constructor(period: number) {
    this.#plus = new WilderSum(period);
    this.#minus = new WilderSum(period);
    this.#range = new WilderSum(period);
    this.#average = new WilderAverage(period);
  }

  /** The row with this candle added for good. */
  push(candle: HighLowClose): AdxPoint {
    const { high, low, close } = this.#previous;
    this.#previous = { high: candle.high, low: candle.low, close: candle.close };
    if (Number.isNaN(close)) return { adx: NaN, plusDi: NaN, minusDi: NaN };
    const up = candle.high - high;
    const down = low - candle.low;
    const range = this.#range.push(trueRange(candle, close));
    const plusDi = toDi(this.#plus.push(up > 0 && up > down ? up : 0), range);
    const minusDi = toDi(this.#minus.push(down > 0 && down > up ? down : 0), range);
    if (Number.isNaN(range)) return { adx: NaN, plusDi, minusDi };
    if (plusDi + minusDi !== 0) this.#last = this.#average.push(toDx(plusDi, minusDi));
    else if (Number.isNaN(this.#last)) this.#last = this.#average.push(0);
    return { adx: this.#last, plusDi, minusDi };
  }

  /** The row as it would be with this candle; changes nothing. */
  peek(candle: HighLowClose): AdxPoint {
    const { high, low, close } = this.#previous;
    if (Number.isNaN(close)) return { adx: NaN, plusDi: NaN, minusDi: NaN };
    const up = candle.high - high;
    const down = low - candle.low;
    const range = this.#range.peek(trueRange(candle, close));
    const plusDi = toDi(this.#plus.peek(up > 0 && up > down ? up : 0), range);
    const minusDi = toDi(this.#minus.peek(down > 0 && down > up ? down : 0), range);
    if (Number.isNaN(range)) return { adx: NaN, plusDi, minusDi };
    if (plusDi + minusDi !== 0) return { adx: this.#average.peek(toDx(plusDi, minusDi)), plusDi, minusDi };
    return { adx: Number.isNaN(this.#last) ? this.#average.peek(0) : this.#last, plusDi, minusDi };
  }
}

function toDi(movement: number, range: number): number {
  return range === 0 ? 0 : 100 * (movement / range);
}

function toDx(plusDi: number, minusDi: number): number {
  return 100 * (Math.abs(minusDi - plusDi) / (plusDi + minusDi));
}
